import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Source } from './syntax.js';

/** A shipped adapter: the sources to mutate, and the suites that must find the mutants. */
export interface Adapter {
  readonly name: string;
  readonly sources: readonly Source[];
  /** Test files that run contract suites, relative to the root of the repository. */
  readonly suites: readonly string[];
  readonly needsPostgres: boolean;
}

interface AdapterEntry {
  readonly name: string;
  readonly sources: string | readonly string[];
  /** Suites of the adapter; by default, those beside its sources. */
  readonly suites?: readonly string[];
  readonly needsPostgres?: boolean;
}

const SERVING_PATH = 'apps/api/src/media/serving/http-cdn-purger';
const REFUNDS_FOLDER = 'apps/api/src/proformas';

const ADAPTERS: readonly AdapterEntry[] = [
  { name: 'database-memory', sources: 'packages/database-memory/src' },
  { name: 'database-postgres', sources: 'packages/database-postgres/src', needsPostgres: true },
  { name: 'storage-disk', sources: 'packages/storage-disk/src' },
  {
    name: 'storage-s3',
    sources: 'packages/storage-s3/src',
    suites: ['tools/storage-s3/s3-media-store-contract.full.test.ts'],
  },
  { name: 'images-sharp', sources: 'packages/images-sharp/src' },
  { name: 'images-jimp', sources: 'packages/images-jimp/src' },
  { name: 'pages-pdfium', sources: 'packages/pages-pdfium/src' },
  { name: 'facts-mediainfo', sources: 'packages/facts-mediainfo/src' },
  { name: 'http-purger', sources: [`${SERVING_PATH}.ts`], suites: [`${SERVING_PATH}.contract.test.ts`] },
  {
    name: 'http-refunds',
    sources: [`${REFUNDS_FOLDER}/http-refund-gateway.ts`],
    suites: [`${REFUNDS_FOLDER}/refund-gateways.contract.test.ts`],
  },
];

interface Exclusion {
  readonly files: RegExp;
  readonly reason: string;
}

/** Files of adapter packages that are not mutated, because no port covers them. */
export const EXCLUSIONS: readonly Exclusion[] = [
  { files: /\.test\.ts$|\/testing\/|\/index\.ts$/, reason: 'Tests and lists of exports.' },
  {
    files:
      /\/migrations\/|\/tables\/(?!column-list)|\/app-table\.ts$|\/migrate\.ts$|\/distribution\.ts$|\/schema-rules\.ts$/,
    reason:
      'Suites run on migrated databases. `tables.one-server.test.ts` and `schema-rules.one-server.test.ts` test the schema.',
  },
  {
    files: /\/embedded\/|\/durability\.ts$|\/open-database\.ts$|\/data-source\.ts$/,
    reason: '`embedded-postgres.full.test.ts` and `database.pg.test.ts` test servers and connections.',
  },
  {
    files: /\/failures\.ts$/,
    reason: 'No port can break a connection. `database.pg.test.ts` does.',
  },
  {
    files: /\/word-similarity\.ts$/,
    reason:
      'Each adapter decides how similar two words are. `word-similarity.test.ts` compares this one with PostgreSQL.',
  },
  {
    files: /\/make-folder\.ts$/,
    reason: 'Works around file systems without nested folders. `make-folder.test.ts` simulates one.',
  },
  { files: /\/checks\/|\/snapshot\.ts$/, reason: 'Only `cli check` uses it, and only with PostgreSQL.' },
];

export const ADAPTER_NAMES: readonly string[] = ADAPTERS.map(({ name }) => name);

export function adaptersOf(root: string, names: readonly string[] = ADAPTER_NAMES): Adapter[] {
  return ADAPTERS.filter(({ name }) => names.includes(name)).map(({ name, sources, suites, needsPostgres = false }) => {
    const files = typeof sources === 'string' ? listFiles(root, sources) : sources;
    return {
      name,
      sources: files
        .filter((file) => !EXCLUSIONS.some((exclusion) => exclusion.files.test(file)))
        .map((file) => new Source(file, readFileSync(join(root, file), 'utf8'))),
      suites: suites ?? files.filter((file) => isContractSuite(root, file)),
      needsPostgres,
    };
  });
}

function listFiles(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => `${folder}/${file}`)
    .sort();
}

function isContractSuite(root: string, file: string): boolean {
  if (!file.endsWith('.test.ts')) return false;
  const text = readFileSync(join(root, file), 'utf8');
  return /\b\w+Contracts?\(/.test(text) && !/\bit(?:\.each)?\(/.test(text);
}
