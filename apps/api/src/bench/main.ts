import { Command, type CommandOptions } from 'commander';
import { mkdtemp, chmod, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readConfig } from '../config.js';
import { startEmbeddedPostgres } from '@back-office/database-postgres';
import { benchCatalogue } from './catalogue.js';
import { benchMedia } from './media.js';
import { print, printedLines } from './measure.js';
import { writePerformance } from './performance-page.js';
import { benchProcess } from './process.js';
import { benchProformas } from './proformas.js';
import { benchShop, benchStatements } from './shop.js';
import { benchWebhooks } from './webhooks.js';

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

const program = new Command('bench').description('Compares the service with floors that do the least work');
pacedCommand('proformas')
  .description('measures lists and the lifecycle of proformas')
  .option('--rows <n>', 'proformas in the large app', '1000000')
  .option('--due <n>', 'proformas that the sweep expires', '100000')
  .action(async ({ rows, seconds, rounds, due }: Options) => {
    await withDatabase((url) =>
      benchProformas(url, {
        rows: Number(rows),
        seconds: Number(seconds),
        rounds: Number(rounds),
        dueCount: Number(due),
      }),
    );
  });
pacedCommand('shop')
  .description('measures the calls of a shop, with their CPU time, beside a bare server and a naive one')
  .option('--only <name>', 'measures only jobs whose name contains this text', '')
  .action(({ seconds, rounds, only }: Readonly<Record<'seconds' | 'rounds' | 'only', string>>) =>
    withDatabase((url) => benchShop(url, { seconds: Number(seconds), rounds: Number(rounds), only })),
  );
program
  .command('statements')
  .description('shows what PostgreSQL does for each statement of a lifecycle; needs auto_explain and a superuser')
  .action(() => withDatabase(benchStatements));
pacedCommand('catalogue')
  .description('measures look-ups, searches and bulk writes of a catalogue')
  .option('--products <n>', 'products in the catalogue, with two variants each', '50000')
  .action(async ({ products, seconds, rounds }: CatalogueArguments) => {
    await withDatabase((url) =>
      benchCatalogue(url, { products: Number(products), seconds: Number(seconds), rounds: Number(rounds) }),
    );
  });
program
  .command('media')
  .description('measures image processing and the list of a large library')
  .option('--files <n>', 'files in the list', '200000')
  .option('--images <n>', 'images uploaded per round', '5')
  .option('--seconds <n>', 'seconds of each measurement of the list', '4')
  .option('--rounds <n>', 'rounds; figures are their medians', '3')
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
  .command('webhooks')
  .description('measures how fast one worker delivers events')
  .option('--events <n>', 'events of a round', '10000')
  .option('--rounds <n>', 'rounds; figures are their medians', '3')
  .action(({ events, rounds }: Readonly<Record<'events' | 'rounds', string>>) =>
    withDatabase((url) => benchWebhooks(url, { events: Number(events), rounds: Number(rounds) })),
  );
program
  .command('process')
  .description('measures start-up time and memory of a process')
  .action(() => withDatabase(benchProcess));
pacedCommand('all', { isDefault: true })
  .description('measures everything and writes docs/performance.md')
  .option('--scale <share>', 'share of the full amounts of data', '1')
  .action(async ({ scale, seconds, rounds }: Readonly<Record<'scale' | 'seconds' | 'rounds', string>>) => {
    const scaled = (fullCount: number): number => Math.max(1, Math.round(fullCount * Number(scale)));
    const pace = { seconds: Number(seconds), rounds: Number(rounds) };
    print(`\nOptions of this run: \`--scale ${scale} --seconds ${seconds} --rounds ${rounds}\`.`);
    const parts = {
      Process: benchProcess,
      Shop: (url: string) => benchShop(url, { ...pace, only: '' }),
      Proformas: (url: string) => benchProformas(url, { ...pace, rows: scaled(1_000_000), dueCount: scaled(100_000) }),
      Catalogue: (url: string) => benchCatalogue(url, { ...pace, products: scaled(50_000) }),
      Webhooks: (url: string) => benchWebhooks(url, { events: scaled(10_000), rounds: pace.rounds }),
      Media: (url: string) => benchMedia(url, { ...pace, files: scaled(200_000), images: 6 }),
    };
    for (const [name, part] of Object.entries(parts)) {
      print(`\n## ${name}\n`);
      await withDatabase(part);
    }
    await writePerformance(printedLines);
  });
await program.parseAsync();

function pacedCommand(name: string, options?: CommandOptions): Command {
  return program
    .command(name, options)
    .option('--seconds <n>', 'seconds of each measurement', '4')
    .option('--rounds <n>', 'rounds; figures are their medians', '3');
}

/** Creates a temporary database on the server of `DATABASE_URL`, or on an embedded server. */
async function withDatabase(measure: (url: string) => Promise<void>): Promise<void> {
  const { databaseUrl } = readConfig();
  const dataDir = databaseUrl === undefined ? await mkdtemp(join(tmpdir(), 'back-office-bench-')) : undefined;
  if (dataDir !== undefined) await chmod(dataDir, 0o755);
  const embedded = dataDir === undefined ? undefined : await startEmbeddedPostgres({ dataDir });
  const base = new URL(databaseUrl ?? `postgres://${embedded?.user}@localhost/postgres?port=5432`);
  if (embedded) base.searchParams.set('host', embedded.host);
  const benchUrl = new URL(base);
  benchUrl.pathname = `/bench_${process.pid}`;
  const admin = new pg.Client({ connectionString: base.href });
  await admin.connect();
  await admin.query(`create database bench_${process.pid}`);
  let cleanUpResult: Promise<void> | undefined;
  const cleanUp = (): Promise<void> => (cleanUpResult ??= dropDatabase());
  const dropDatabase = async (): Promise<void> => {
    await admin.query(`drop database bench_${process.pid} with (force)`);
    await admin.end();
    await embedded?.stop();
    if (dataDir !== undefined) await rm(dataDir, { recursive: true, force: true });
  };
  const onInterrupt = (): void => void cleanUp().finally(() => process.exit(1));
  for (const signal of SIGNALS) process.once(signal, onInterrupt);
  try {
    await measure(benchUrl.href);
  } finally {
    for (const signal of SIGNALS) process.off(signal, onInterrupt);
    await cleanUp();
  }
}
