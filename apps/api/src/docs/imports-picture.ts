import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const START = '<!-- imports: start -->';
const END = '<!-- imports: end -->';
const IMPORT = /\bfrom '@back-office\/([\w-]+)'/g;
/** Every package imports it, so its arrows would hide all others. */
const KERNEL = 'kernel';

/** The page with a picture of the imports between packages. */
export function withImportsPicture(page: string, root: string): string {
  const [before = '', rest = ''] = page.split(START);
  const after = rest.split(END)[1] ?? '';
  return `${before}${START}\n\n\`\`\`mermaid\n${pictureOf(root)}\n\`\`\`\n\n${END}${after}`;
}

function pictureOf(root: string): string {
  const names = readdirSync(join(root, 'packages'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const packages = names.map(({ name }) => ({ name, uses: importedBy(join(root, 'packages', name, 'src')) }));
  const adapters = packages.filter(({ name }) => name.includes('-'));
  const domains = packages.filter(({ name }) => !name.includes('-') && name !== KERNEL && name !== 'database');
  return [
    'flowchart TD',
    `  api["apps/api"] --> domains & database & adapters`,
    '  subgraph domains["pure domains"]',
    `    ${domains.map(({ name }) => name).join('; ')}`,
    '  end',
    '  subgraph adapters["adapters"]',
    `    ${adapters.map(({ name }) => name).join('; ')}`,
    '  end',
    '  database["database: the list of ports"]',
    `  domains & database & adapters --> ${KERNEL}`,
    '  database --> domains',
    ...[...domains, ...adapters].flatMap(({ name, uses }) => arrowsOf(name, uses, domains.length)),
  ].join('\n');
}

/** One arrow replaces those of a database adapter to nearly every domain. */
function arrowsOf(name: string, uses: ReadonlySet<string>, domains: number): string[] {
  const shown = [...uses].filter((used) => used !== name && used !== KERNEL).sort();
  const usesMost = shown.length >= domains / 2;
  const others = usesMost ? shown.filter((used) => used === 'database' || used.includes('-')) : shown;
  return [...(usesMost ? [`  ${name} --> domains`] : []), ...others.map((used) => `  ${name} --> ${used}`)];
}

function importedBy(source: string): ReadonlySet<string> {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  const production = files.filter((file) => file.endsWith('.ts') && !/\.test\.ts$|^testing\//.test(file));
  const texts = production.map((file) => readFileSync(join(source, file), 'utf8'));
  return new Set(texts.flatMap((text) => [...text.matchAll(IMPORT)].map(([, name = '']) => name)));
}
