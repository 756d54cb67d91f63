import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Marked, type Tokens } from 'marked';

const FOLDER = fileURLToPath(new URL('../../../../docs/', import.meta.url));
const LINK_TO_PAGE = /^(?!\w+:|\/|\.\.)([\w/-]+)\.md(#.*)?$/;

const STYLE = `body { font: 16px/1.55 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
code, pre { font: 0.9em ui-monospace, monospace; background: #f5f5f5 } pre { padding: 0.8rem; overflow-x: auto }
table { border-collapse: collapse; display: block; overflow-x: auto } th, td { border: 1px solid #ddd; padding: 0.3rem 0.6rem; text-align: left; vertical-align: top }
h1, h2, h3 { line-height: 1.2; margin-top: 2rem } a { color: #00695c }`;

/** Pages of `docs/` as HTML; a page is rendered at its first request. */
export class Guides {
  private readonly names = new Set(
    readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => file.slice(0, -'.md'.length).replaceAll('\\', '/')),
  );
  private readonly pages = new Map<string, string>();

  /** Returns `undefined` for a page that does not exist. The name is a path below `docs/` without the extension. */
  find(name: string): string | undefined {
    if (!this.names.has(name)) return undefined;
    const page = this.pages.get(name) ?? render(readFileSync(`${FOLDER}${name}.md`, 'utf8'));
    this.pages.set(name, page);
    return page;
  }
}

function render(markdown: string): string {
  const marked = new Marked({ async: false });
  marked.use({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
    },
    walkTokens: (token) => {
      if (token.type === 'link') token['href'] = String(token['href']).replace(LINK_TO_PAGE, '$1$2');
    },
  });
  const [, title = 'Guide'] = /^# (.+)$/m.exec(markdown) ?? [];
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${title}</title>
    <style>${STYLE}</style>
  </head>
  <body>
    <nav><a href="/docs">API reference</a></nav>
    ${marked.parse(markdown) as string}
  </body>
</html>
`;
}

/** The anchors that Git hosts give to headings, to which the pages link. */
function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}
