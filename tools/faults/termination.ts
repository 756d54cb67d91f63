import { setTimeout as pause } from 'node:timers/promises';
import type { Rig } from './rig.js';
import type { ScenarioResult } from './scenario.js';
import { LOCK_WAITERS } from './verify.query.js';

const MAX_EXIT_MS = 20_000;
/** The connections of one app while another app calls, so that every call can reach the lock, also after a flood. */
const ACCEPTED_CALLS = 4;
/** A table that no other client reads. */
const LOCKED_TABLE = 'product_attribute_defs';
const CALL = { path: '/product_attribute_defs?code=NONE', status: 200 };
const STOP_DELAY_MS = 300;

/** Stops a server under load. It must answer every accepted call, even though these calls wait for a lock. */
export async function serverTerminated(rig: Rig): Promise<ScenarioResult> {
  const [server] = rig.apis;
  const breaches: string[] = [];
  let exitMs = 0;
  await rig.underLoad(async () => {
    const result = await withLockedTable(rig, async () => {
      const calls = Array.from({ length: ACCEPTED_CALLS }, () =>
        fetchStatus(`${server.origin}/api/v2${CALL.path}`, rig),
      );
      if (!(await waitForBlockedCalls(rig))) breaches.push('the calls did not reach the lock');
      const startMs = performance.now();
      const exit = server.signal('SIGTERM').then((code) => ({ code, ms: performance.now() - startMs }));
      await pause(STOP_DELAY_MS);
      return { calls, ended: exit };
    });
    const statuses = await Promise.all(result.calls);
    const { code, ms } = await result.ended;
    exitMs = ms;
    if (statuses.some((status) => status !== CALL.status))
      breaches.push(`accepted calls are answered ${statuses.join(' ')}`);
    if (code !== 0) breaches.push(`the server exits with ${code}`);
    await server.start();
  });
  if (exitMs > MAX_EXIT_MS) breaches.push(`the server takes ${Math.round(exitMs)} ms to exit`);
  return { breaches, note: `exit after ${Math.round(exitMs)} ms, ${ACCEPTED_CALLS} accepted calls answered` };
}

async function withLockedTable<Result>(rig: Rig, work: () => Promise<Result>): Promise<Result> {
  const client = await rig.server.connect(rig.database);
  try {
    await client.query('begin');
    await client.query(`lock table ${LOCKED_TABLE} in access exclusive mode`);
    return await work();
  } finally {
    await client.end();
  }
}

/** Waits until all calls wait for the lock. Returns false after the service's lock timeout of 1 s. */
async function waitForBlockedCalls(rig: Rig): Promise<boolean> {
  const deadline = Date.now() + 1_000;
  while (Date.now() < deadline) {
    const [row] = await rig.rows<{ count: number }>(LOCK_WAITERS, [LOCKED_TABLE]);
    if (row?.count === ACCEPTED_CALLS) return true;
    await pause(10);
  }
  return false;
}

/** Returns 0 when no answer arrives. */
async function fetchStatus(url: string, { caller }: Rig): Promise<number> {
  try {
    const answer = await fetch(url, { headers: caller.headers });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}
