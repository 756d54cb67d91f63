import { setTimeout as pause } from 'node:timers/promises';
import type { Rig } from './rig.js';
import type { Outcome } from './scenario.js';
import { WAITING } from './verify.query.js';

const MAX_EXIT_MS = 20_000;
/** Fewer than the database connections of a server, so all of them reach the lock. */
const ACCEPTED = 6;
/** No other client reads this table. */
const TABLE = 'product_attribute_defs';
const CALL = { path: '/product_attribute_defs?code=NONE', status: 200 };
const UNTIL_STOPPING_MS = 300;

/** Stops a server under load; it answers every accepted call that waits for a lock. */
export async function terminated(rig: Rig): Promise<Outcome> {
  const [server] = rig.apis;
  const breaches: string[] = [];
  let exitMs = 0;
  await rig.underLoad(async () => {
    const asked = await whileLocked(rig, async () => {
      const calls = Array.from({ length: ACCEPTED }, () => statusOf(`${server.origin}/api/v2${CALL.path}`, rig));
      if (!(await areWaiting(rig))) breaches.push('the calls do not reach the lock');
      const started = performance.now();
      const ended = server.signal('SIGTERM').then((code) => ({ code, ms: performance.now() - started }));
      await pause(UNTIL_STOPPING_MS);
      return { calls, ended };
    });
    const statuses = await Promise.all(asked.calls);
    const { code, ms } = await asked.ended;
    exitMs = ms;
    if (statuses.some((status) => status !== CALL.status))
      breaches.push(`accepted calls are answered ${statuses.join(' ')}`);
    if (code !== 0) breaches.push(`it exits with ${code}`);
    await server.start();
  });
  if (exitMs > MAX_EXIT_MS) breaches.push(`it takes ${Math.round(exitMs)} ms to exit`);
  return { breaches, note: `exit after ${Math.round(exitMs)} ms, ${ACCEPTED} accepted calls answered` };
}

async function whileLocked<Result>(rig: Rig, work: () => Promise<Result>): Promise<Result> {
  const client = await rig.server.client(rig.database);
  try {
    await client.query('begin');
    await client.query(`lock table ${TABLE} in access exclusive mode`);
    return await work();
  } finally {
    await client.end();
  }
}

/** Waits up to 1 s, the lock timeout of the service, until all calls wait for the lock. */
async function areWaiting(rig: Rig): Promise<boolean> {
  const end = Date.now() + 1_000;
  while (Date.now() < end) {
    const [row] = await rig.rows<{ count: number }>(WAITING, [TABLE]);
    if (row?.count === ACCEPTED) return true;
    await pause(10);
  }
  return false;
}

/** 0 without an answer. */
async function statusOf(url: string, { caller }: Rig): Promise<number> {
  try {
    const answer = await fetch(url, { headers: caller.headers });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}
