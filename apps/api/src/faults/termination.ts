import { setTimeout as pause } from 'node:timers/promises';
import type { Rig } from './rig.js';
import type { Outcome } from './scenario.js';
import { WAITING } from './verify.query.js';

const EXIT_MUST_MS = 20_000;
/** Fewer than a server has connections to the database, so that all of them come as far as the lock. */
const ACCEPTED = 6;
/** What nobody else reads here. */
const TABLE = 'product_attribute_defs';
const QUESTION = { path: '/product_attribute_defs?code=NONE', status: 200 };
const UNTIL_STOPPING_MS = 300;

/** A server is told to stop under load, while calls that it has accepted wait for a lock; each of them is answered. */
export async function terminated(rig: Rig): Promise<Outcome> {
  const [server] = rig.apis;
  const breaches: string[] = [];
  let exitMs = 0;
  await rig.underLoad(async () => {
    const asked = await whileLocked(rig, async () => {
      const calls = Array.from({ length: ACCEPTED }, () => statusOf(`${server.origin}/api/v2${QUESTION.path}`, rig));
      if (!(await areWaiting(rig))) breaches.push('the calls do not come as far as the lock');
      const begun = performance.now();
      const ended = server.signal('SIGTERM').then((code) => ({ code, ms: performance.now() - begun }));
      await pause(UNTIL_STOPPING_MS);
      return { calls, ended };
    });
    const statuses = await Promise.all(asked.calls);
    const { code, ms } = await asked.ended;
    exitMs = ms;
    if (statuses.some((status) => status !== QUESTION.status))
      breaches.push(`accepted calls are answered ${statuses.join(' ')}`);
    if (code !== 0) breaches.push(`it exits with ${code}`);
    await server.start();
  });
  if (exitMs > EXIT_MUST_MS) breaches.push(`it takes ${Math.round(exitMs)} ms to exit`);
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

/** Whether the accepted calls have all come as far as the lock; no longer than the service would wait for it. */
async function areWaiting(rig: Rig): Promise<boolean> {
  const end = Date.now() + 1_000;
  while (Date.now() < end) {
    const [row] = await rig.rows<{ count: number }>(WAITING, [TABLE]);
    if (row?.count === ACCEPTED) return true;
    await pause(10);
  }
  return false;
}

/** 0 when nothing was answered. */
async function statusOf(url: string, { caller }: Rig): Promise<number> {
  try {
    const answer = await fetch(url, { headers: caller.headers });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}
