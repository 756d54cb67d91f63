import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { autocannon } from './autocannon.js';
import { fillDue } from './fill.query.js';
import { print } from './measure.js';

const LIMITS = { perSecond: 1_000, slower: 3 };
const POLL_MS = 200;
const OTHER_CALLS = { connections: 2, connectionRate: 25 };

export interface ExpiryTask {
  readonly url: string;
  readonly appId: number;
  /** URL that a second client requests during the sweep. */
  readonly requestUrl: string;
  readonly token: string;
  readonly count: number;
}

/** Measures how fast a worker expires proformas, and how much it slows down another client. */
export async function benchExpiry({ url, appId, requestUrl, token, count }: ExpiryTask): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await fillDue(client, appId, count);
  await client.query('vacuum (analyze)');
  const headers = { Authorization: `Bearer ${token}` };
  const idleResult = await autocannon({ url: requestUrl, duration: 4, headers, ...OTHER_CALLS });
  const load = autocannon({ url: requestUrl, duration: 3_600, headers, ...OTHER_CALLS });
  const startMs = performance.now();
  const worker = spawn(process.execPath, [fileURLToPath(new URL('../worker.js', import.meta.url))], {
    env: { DATABASE_URL: url, LOG_LEVEL: 'error' },
    stdio: 'inherit',
  });
  while ((await countDue(client, appId)) > 0) await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  const seconds = (performance.now() - startMs) / 1_000;
  load.stop();
  const busyResult = await load;
  worker.kill();
  await client.end();
  report(
    count / seconds,
    busyResult.latency.p99 / Math.max(idleResult.latency.p99, 1),
    idleResult.latency.p99,
    busyResult.latency.p99,
  );
}

async function countDue(client: pg.Client, appId: number): Promise<number> {
  const { rows } = await client.query<{ due: string }>(
    'select count(*) as due from proforma_orders where app_id = $1 and due_at <= now()',
    [appId],
  );
  return Number(rows[0]?.due);
}

function report(perSecond: number, slowdown: number, idleMs: number, busyMs: number): void {
  print('\n| expiry, while two clients read lists | | must |');
  print('| --- | --- | --- |');
  print(
    `| expired proformas per second, with the start of the worker | ${Math.round(perSecond)} | ≥ ${LIMITS.perSecond} |`,
  );
  print(
    `| p99 latency of the other clients (${idleMs} ms without expiry) | ${busyMs} ms, ${slowdown.toFixed(1)} times | ≤ ${LIMITS.slower} times |`,
  );
  if (perSecond < LIMITS.perSecond || slowdown > LIMITS.slower) process.exitCode = 1;
}
