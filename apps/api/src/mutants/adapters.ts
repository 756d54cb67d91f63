import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Source } from './syntax.js';

/** A shipped adapter: what is mutated, and the suites that have to notice. */
export interface Adapter {
  readonly name: string;
  readonly sources: readonly Source[];
  /** Files that run contract suites, from the root of the repository. */
  readonly suites: readonly string[];
  readonly needsPostgres: boolean;
}

interface Listed {
  readonly name: string;
  /** A folder, or files. */
  readonly sources: string | readonly string[];
  /** Where the suites are, if not beside the sources. */
  readonly suites?: readonly string[];
  readonly needsPostgres?: boolean;
}

const SERVING = 'apps/api/src/media/serving/http-cdn-purger';
const REFUNDS = 'apps/api/src/proformas';

const LISTED: readonly Listed[] = [
  { name: 'database-memory', sources: 'packages/database-memory/src' },
  { name: 'database-postgres', sources: 'packages/database-postgres/src', needsPostgres: true },
  { name: 'storage-disk', sources: 'packages/storage-disk/src' },
  { name: 'storage-s3', sources: 'packages/storage-s3/src' },
  { name: 'images-sharp', sources: 'packages/images-sharp/src' },
  { name: 'images-jimp', sources: 'packages/images-jimp/src' },
  { name: 'pages-pdfium', sources: 'packages/pages-pdfium/src' },
  { name: 'facts-mediainfo', sources: 'packages/facts-mediainfo/src' },
  { name: 'http-purger', sources: [`${SERVING}.ts`], suites: [`${SERVING}.contract.test.ts`] },
  {
    name: 'http-refunds',
    sources: [`${REFUNDS}/http-refund-gateway.ts`],
    suites: [`${REFUNDS}/refund-gateways.contract.test.ts`],
  },
];

interface Aside {
  readonly files: RegExp;
  readonly reason: string;
}

/** Files of adapters that are behind no port. */
export const ASIDE: readonly Aside[] = [
  { files: /\.test\.ts$|\/testing\/|\/index\.ts$/, reason: 'Tests, and lists of what a package exports.' },
  {
    files: /\/migrations\/|\/tables\/(?!column-list)|\/migrate\.ts$|\/distribution\.ts$|\/schema-rules\.ts$/,
    reason:
      'The schema: suites run on databases that are migrated already. `tables.db.test.ts` and `schema-rules.db.test.ts` hold it.',
  },
  {
    files: /\/embedded\/|\/durability\.ts$|\/open-database\.ts$|\/data-source\.ts$/,
    reason: 'Servers and connections. `embedded-postgres.test.ts` and `database.db.test.ts` hold them.',
  },
  {
    files: /\/failures\.ts$/,
    reason: 'What a failed connection means. `database.db.test.ts` breaks connections; no port can.',
  },
  {
    files: /\/word-similarity\.ts$/,
    reason: 'How alike two words are is up to an adapter. `word-similarity.test.ts` compares it with PostgreSQL.',
  },
  {
    files: /\/make-folder\.ts$/,
    reason: 'Works around a file system that makes no folders in folders. `make-folder.test.ts` plays one.',
  },
  { files: /\/checks\/|\/snapshot\.ts$/, reason: '`cli check`, which is for PostgreSQL alone.' },
];

export const ADAPTER_NAMES: readonly string[] = LISTED.map(({ name }) => name);

export function adaptersOf(root: string, names: readonly string[] = ADAPTER_NAMES): Adapter[] {
  return LISTED.filter(({ name }) => names.includes(name)).map(({ name, sources, suites, needsPostgres = false }) => {
    const files = typeof sources === 'string' ? filesIn(root, sources) : sources;
    return {
      name,
      sources: files
        .filter((file) => !ASIDE.some((aside) => aside.files.test(file)))
        .map((file) => new Source(file, readFileSync(join(root, file), 'utf8'))),
      suites: suites ?? files.filter((file) => runsContracts(root, file)),
      needsPostgres,
    };
  });
}

function filesIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`)
    .sort();
}

/** Whether a file does nothing but run contract suites. */
function runsContracts(root: string, file: string): boolean {
  if (!file.endsWith('.test.ts')) return false;
  const text = readFileSync(join(root, file), 'utf8');
  return /\b\w+Contracts?\(/.test(text) && !/\bit(?:\.each)?\(/.test(text);
}
