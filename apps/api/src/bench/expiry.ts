import autocannon, { type Instance, type Options, type Result } from 'autocannon';
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { fillDue } from './fill.query.js';
import { print } from './measure.js';
import { FLAGS } from './systems.js';

const MUST = { perSecond: 1_000, slower: 3 };
const LOOK_MS = 200;
const OTHER_CALLS = { connections: 2, connectionRate: 25 };

export interface ExpiryTask {
  readonly url: string;
  readonly appId: number;
  /** A call that another client repeats meanwhile. */
  readonly path: string;
  readonly token: string;
  readonly count: number;
}

/** Measures how fast a worker expires proformas, and how much it slows down another client. */
export async function benchExpiry({ url, appId, path, token, count }: ExpiryTask): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await fillDue(client, appId, count);
  await client.query('vacuum (analyze)');
  const headers = { Authorization: `Bearer ${token}` };
  const idle = await autocannon({ url: path, duration: 4, headers, ...OTHER_CALLS });
  const stopLoad = loadUntilStopped({ url: path, duration: 3_600, headers, ...OTHER_CALLS });
  const started = performance.now();
  const worker = spawn(process.execPath, [...FLAGS, fileURLToPath(new URL('../worker.js', import.meta.url))], {
    env: { DATABASE_URL: url, LOG_LEVEL: 'error' },
    stdio: 'inherit',
  });
  while ((await dueOf(client, appId)) > 0) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  const seconds = (performance.now() - started) / 1_000;
  const busy = await stopLoad();
  worker.kill();
  await client.end();
  report(count / seconds, busy.latency.p99 / Math.max(idle.latency.p99, 1), idle.latency.p99, busy.latency.p99);
}

function loadUntilStopped(options: Options): () => Promise<Result> {
  let instance: Instance | undefined;
  const result = new Promise<Result>((resolve, reject) => {
    instance = autocannon(options, (error, measured) => (error ? reject(error as Error) : resolve(measured)));
  });
  return () => {
    instance?.stop();
    return result;
  };
}

async function dueOf(client: pg.Client, appId: number): Promise<number> {
  const { rows } = await client.query<{ due: string }>(
    'select count(*) as due from proforma_orders where app_id = $1 and due_at <= now()',
    [appId],
  );
  return Number(rows[0]?.due);
}

function report(perSecond: number, slower: number, idle: number, busy: number): void {
  print('\n| expiry, beside two other clients | | must |');
  print('| --- | --- | --- |');
  print(`| proformas a second, start of the worker included | ${Math.round(perSecond)} | ≥ ${MUST.perSecond} |`);
  print(`| p99 of other calls, ${idle} ms idle | ${busy} ms, ${slower.toFixed(1)} times | ≤ ${MUST.slower} times |`);
  if (perSecond < MUST.perSecond || slower > MUST.slower) process.exitCode = 1;
}
