import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const START_MARKER = '<!-- imports: start -->';
const END_MARKER = '<!-- imports: end -->';
const IMPORT = /\bfrom '@back-office\/([\w-]+)'/g;
/** Every package imports the kernel. Its arrows would hide all others, so the picture omits them. */
const KERNEL = 'kernel';
/** Packages that are not domains. The picture omits the client, because the service does not import it. */
const NOT_DOMAINS = [KERNEL, 'database', 'client'];

export function withImportsPicture(page: string, root: string): string {
  const [textBefore = '', textAfterStart = ''] = page.split(START_MARKER);
  const textAfterEnd = textAfterStart.split(END_MARKER)[1] ?? '';
  return `${textBefore}${START_MARKER}\n\n\`\`\`mermaid\n${diagramOf(root)}\n\`\`\`\n\n${END_MARKER}${textAfterEnd}`;
}

function diagramOf(root: string): string {
  const names = readdirSync(join(root, 'packages'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const packages = names.map(({ name }) => ({ name, uses: importedBy(join(root, 'packages', name, 'src')) }));
  const adapters = packages.filter(({ name }) => name.includes('-'));
  const domains = packages.filter(({ name }) => !name.includes('-') && !NOT_DOMAINS.includes(name));
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

/** A package that imports most domains gets a single arrow to the group of domains. */
function arrowsOf(name: string, uses: ReadonlySet<string>, domains: number): string[] {
  const shownImports = [...uses].filter((importName) => importName !== name && importName !== KERNEL).sort();
  const usesMost = shownImports.length >= domains / 2;
  const singleArrows = usesMost
    ? shownImports.filter((importName) => importName === 'database' || importName.includes('-'))
    : shownImports;
  return [
    ...(usesMost ? [`  ${name} --> domains`] : []),
    ...singleArrows.map((importName) => `  ${name} --> ${importName}`),
  ];
}

function importedBy(source: string): ReadonlySet<string> {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  const production = files.filter((file) => file.endsWith('.ts') && !/\.test\.ts$|^testing\//.test(file));
  const texts = production.map((file) => readFileSync(join(source, file), 'utf8'));
  return new Set(texts.flatMap((text) => [...text.matchAll(IMPORT)].map(([, name = '']) => name)));
}
