import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked, type Tokens } from 'marked';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const BASE = '/docs/guides/';

/** A line of the README that leads to a page of `docs/`. */
const LISTED_PAGE = /^- \[[^\]]+\]\(docs\//;

const STYLE = `body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
code, pre { font: 0.9em ui-monospace, monospace; background: #f5f5f5 } pre { padding: 0.8rem; overflow-x: auto }
table { border-collapse: collapse; display: block; overflow-x: auto } th, td { border: 1px solid #ddd; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top }
h1, h2, h3 { line-height: 1.2; margin-top: 2rem } a { color: #00695c }`;

/** Pages of `docs/` as HTML. A page is converted on its first request. */
export class Guides {
  private readonly names: ReadonlySet<string>;
  private readonly pages = new Map<string, string>();

  /** `root` is the folder of `docs/` and the README. An installation may lack both. */
  constructor(private readonly root = ROOT) {
    const folder = join(root, 'docs');
    const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
    const pages = files.filter((file) => file.endsWith('.md'));
    this.names = new Set(pages.map((file) => file.slice(0, -'.md'.length).replaceAll('\\', '/')));
  }

  /**
   * Returns a page as HTML; `undefined` for an unknown page. `name` is the path below `docs/` without the extension. An
   * empty name returns the list of pages, grouped as in the README if it lists any.
   */
  find(name: string): string | undefined {
    if (name === '') return this.names.size > 0 ? this.renderList() : undefined;
    if (!this.names.has(name)) return undefined;
    const page = this.pages.get(name) ?? this.renderPage(name);
    this.pages.set(name, page);
    return page;
  }

  private renderPage(name: string): string {
    const markdown = readFileSync(join(this.root, 'docs', `${name}.md`), 'utf8');
    return render(titleOf(markdown), this.convert(markdown, `docs/${name}`));
  }

  private renderList(): string {
    const groups = this.readGroups();
    const names = [...this.names].sort();
    const list = groups.length > 0 ? groups : names.map((name) => `- [${name}](docs/${name}.md)`);
    return render('Guides', this.convert(`# Guides\n\n${list.join('\n')}`, 'README'));
  }

  /** Returns the groups of the README as Markdown. */
  private readGroups(): string[] {
    const readme = join(this.root, 'README.md');
    if (!existsSync(readme)) return [];
    const sections = readFileSync(readme, 'utf8')
      .split(/^## /m)
      .map((section) => section.split('\n'))
      .map(([heading = '', ...lines]) => ({ heading, items: lines.filter((line) => LISTED_PAGE.test(line)) }))
      .filter(({ items }) => items.length > 0);
    return sections.map(({ heading, items }) => `## ${heading}\n\n${items.join('\n')}\n`);
  }

  /** `file` is the path of the page below the root, without its extension. */
  private convert(markdown: string, file: string): string {
    const marked = new Marked({ async: false });
    marked.use({
      renderer: {
        heading({ tokens, depth, text }: Tokens.Heading) {
          return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
        },
      },
      walkTokens: (token) => {
        if (token.type === 'link') this.resolveLink(token as Tokens.Link, file);
        // Only the repository has the images, so a guide shows their descriptions.
        if (token.type === 'image') Object.assign(token, { type: 'text' });
      },
    });
    return marked.parse(markdown) as string;
  }

  /** Converts a link to another guide to its URL. A link to any other file of the repository becomes plain text. */
  private resolveLink(link: Tokens.Link, file: string): void {
    if (/^(?:\w+:|#|\/)/.test(link.href)) return;
    const { pathname, hash } = new URL(link.href, `file:///root/${file}`);
    const target = pathname.replace('/root/docs/', '').replace(/\.md$/, '');
    if (this.names.has(target)) link.href = `${BASE}${target}${hash}`;
    else Object.assign(link, { type: 'text' });
  }
}

function titleOf(markdown: string): string {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? 'Guide';
}

function render(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="data:," />
    <title>${title}</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <nav><a href="/">Start</a> · <a href="/docs">API reference</a> · <a href="${BASE}">Guides</a></nav>
    ${content}
  </body>
</html>
`;
}

/** Returns the anchor of a heading as GitHub forms it, because links in the pages contain such anchors. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}
