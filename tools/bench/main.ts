import { Command } from 'commander';
import { mkdtemp, chmod, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { readConfig } from '../../apps/api/src/config.js';
import { startEmbeddedPostgres } from '@back-office/database-postgres';
import { benchShop } from './shop.js';
import { benchUploads, UPLOAD } from './uploads.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

const program = new Command('bench')
  .description('Measures a lifecycle, a page of proformas and an upload beside servers that do the least work')
  .option('--only <name>', 'only jobs whose name contains this text', '')
  .option('--seconds <n>', 'seconds of each measurement', '4')
  .option('--rounds <n>', 'rounds; figures are their medians', '3');
program.parse();
const { only, ...options } = program.opts<Readonly<Record<'only' | 'seconds' | 'rounds', string>>>();
const [seconds, rounds] = [Number(options.seconds), Number(options.rounds)];
await withDatabase((url) => benchShop(url, { seconds, rounds, only }));
if (UPLOAD.includes(only)) await withDatabase((url) => benchUploads(url, rounds));

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
