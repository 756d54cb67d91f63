import { Command } from 'commander';
import { mkdtemp, chmod, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readConfig } from '../config.js';
import { startEmbeddedPostgres } from '@back-office/database-postgres';
import { benchCatalogue } from './catalogue.js';
import { benchMedia } from './media.js';
import { print, printed } from './measure.js';
import { writePerformance } from './performance-page.js';
import { benchProcess } from './process.js';
import { benchProformas } from './proformas.js';

interface Options {
  readonly rows: string;
  readonly seconds: string;
  readonly rounds: string;
  readonly due: string;
}

interface CatalogueArguments {
  readonly products: string;
  readonly seconds: string;
  readonly rounds: string;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const program = new Command('bench').description('Measures the service against its bare limits, in one run');
program
  .command('proformas')
  .description('lists of proformas, and the whole lifecycle')
  .option('--rows <n>', 'proformas in the large app', '1000000')
  .option('--seconds <n>', 'of each measurement', '4')
  .option('--rounds <n>', 'of which the medians are taken', '3')
  .option('--due <n>', 'proformas that a sweep has to expire', '100000')
  .action(async ({ rows, seconds, rounds, due }: Options) => {
    await withDatabase((url) =>
      benchProformas(url, {
        rows: Number(rows),
        seconds: Number(seconds),
        rounds: Number(rounds),
        due: Number(due),
      }),
    );
  });
program
  .command('catalogue')
  .description('a catalogue loaded through the API, its look-ups, searches and bulk writes')
  .option('--products <n>', 'in the catalogue, two variants each', '50000')
  .option('--seconds <n>', 'of each measurement', '4')
  .option('--rounds <n>', 'of which the medians are taken', '3')
  .action(async ({ products, seconds, rounds }: CatalogueArguments) => {
    await withDatabase((url) =>
      benchCatalogue(url, { products: Number(products), seconds: Number(seconds), rounds: Number(rounds) }),
    );
  });
program
  .command('media')
  .description('from upload to finished renditions, and the list of a large library')
  .option('--files <n>', 'in the list', '200000')
  .option('--images <n>', 'uploaded one at a time in a round', '5')
  .option('--seconds <n>', 'of each measurement of the list', '4')
  .option('--rounds <n>', 'of which the medians are taken', '3')
  .action(
    async ({ files, images, seconds, rounds }: Readonly<Record<'files' | 'images' | 'seconds' | 'rounds', string>>) => {
      const numbers = {
        files: Number(files),
        images: Number(images),
        seconds: Number(seconds),
        rounds: Number(rounds),
      };
      await withDatabase((url) => benchMedia(url, numbers));
    },
  );
program
  .command('process')
  .description('how fast a process starts, and how much memory it takes')
  .action(() => withDatabase(benchProcess));
program
  .command('all', { isDefault: true })
  .description('all of it, and writes docs/performance.md')
  .option('--scale <share>', 'of the full amounts of data', '1')
  .option('--seconds <n>', 'of each measurement', '4')
  .option('--rounds <n>', 'of which the medians are taken', '3')
  .action(async ({ scale, seconds, rounds }: Readonly<Record<'scale' | 'seconds' | 'rounds', string>>) => {
    const of = (full: number): number => Math.max(1, Math.round(full * Number(scale)));
    const pace = { seconds: Number(seconds), rounds: Number(rounds) };
    print(`\nOptions of this run: \`--scale ${scale} --seconds ${seconds} --rounds ${rounds}\`.`);
    const parts = {
      Process: benchProcess,
      Proformas: (url: string) => benchProformas(url, { ...pace, rows: of(1_000_000), due: of(100_000) }),
      Catalogue: (url: string) => benchCatalogue(url, { ...pace, products: of(50_000) }),
      Media: (url: string) => benchMedia(url, { ...pace, files: of(200_000), images: 6 }),
    };
    for (const [name, part] of Object.entries(parts)) {
      print(`\n## ${name}\n`);
      await withDatabase(part);
    }
    await writePerformance(printed);
  });
await program.parseAsync();

/** Creates a temporary database on the server of `DATABASE_URL`, or on an embedded one. */
async function withDatabase(measure: (url: string) => Promise<void>): Promise<void> {
  const { databaseUrl } = readConfig();
  const home = databaseUrl === undefined ? await mkdtemp(join(tmpdir(), 'back-office-bench-')) : undefined;
  if (home !== undefined) await chmod(home, 0o755);
  const embedded = home === undefined ? undefined : await startEmbeddedPostgres({ dataDir: home });
  const base = new URL(databaseUrl ?? `postgres://${embedded?.user}@localhost/postgres?port=5432`);
  if (embedded) base.searchParams.set('host', embedded.host);
  const own = new URL(base);
  own.pathname = `/bench_${process.pid}`;
  const admin = new pg.Client({ connectionString: base.href });
  await admin.connect();
  await admin.query(`create database bench_${process.pid}`);
  let cleaned: Promise<void> | undefined;
  const cleanUp = (): Promise<void> => (cleaned ??= clean());
  const clean = async (): Promise<void> => {
    await admin.query(`drop database bench_${process.pid} with (force)`);
    await admin.end();
    await embedded?.stop();
    if (home !== undefined) await rm(home, { recursive: true, force: true });
  };
  const interrupted = (): void => void cleanUp().finally(() => process.exit(1));
  for (const signal of SIGNALS) process.once(signal, interrupted);
  try {
    await measure(own.href);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
    await cleanUp();
  }
}
