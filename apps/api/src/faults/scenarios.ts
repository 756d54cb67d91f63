import { addHours } from '@back-office/kernel';
import { setTimeout as pause } from 'node:timers/promises';
import { STORE_RULES } from '../checks/index.js';
import { crashPoints } from './crash-points.js';
import { bursts, expireTwice } from './bursts.js';
import { databaseWithoutRoom, killedWhileMigrating, noDescriptorsLeft } from './limits.js';
import { overloaded } from './overload.js';
import type { Rig } from './rig.js';
import type { Outcome, Scenario } from './scenario.js';
import type { ServiceProcess } from './processes.js';
import { settled } from './verify.js';

/** In ms: what an installation is given to be ready again by itself. */
export const READY_MUST_MS = 10_000;
const ANSWER_MUST_MS = 8_500;
const GONE_MS = 20_000;
/** Longer than the service waits for any answer of the database. */
const SILENT_MS = 9_000;
/** Older than anything that may still be in use. */
const SWEPT_HOURS = 25;
const EXIT_MUST_MS = 20_000;

export const SCENARIOS: readonly Scenario[] = [
  { name: 'nothing breaks', run: underLoad(async () => pause(1_500)) },
  // The longest comes first, beside which all others are done.
  { name: 'F2 a connection is cut at every message', run: (rig) => crashPoints(rig) },
  { name: 'F1 a server is killed, three times', run: killed((rig, round) => rig.apis[round % 2] as ServiceProcess, 3) },
  { name: 'F18 the worker is killed, twice', run: workerKilled },
  { name: 'F3 a backend of the database is killed', run: backendKilled },
  { name: 'F4 the database stops at once', run: databaseStopped('SIGQUIT') },
  { name: 'F4 the database is killed', run: databaseStopped('SIGKILL') },
  { name: 'F5 the wire to the database falls silent', run: wire('silent', SILENT_MS) },
  { name: 'F5 the database is gone for 20 s', run: wire('cut', GONE_MS) },
  { name: 'F6 the pool is exhausted by a lock', run: locked },
  { name: 'F8 the store fails, is slow, is full, breaks off', run: storeBroken },
  { name: 'F9 the database has no room to write', run: (rig) => databaseWithoutRoom(rig) },
  { name: 'F16 far more callers than it can serve', run: (rig) => overloaded(rig), alone: true },
  { name: 'F17 a server has no descriptors left', run: (rig) => noDescriptorsLeft(rig) },
  { name: 'F20 servers are killed while they migrate', run: (rig) => killedWhileMigrating(rig) },
  { name: 'F10 the payment service fails, is silent, pays without saying so', run: gatewayBroken },
  { name: 'F7 F12 everything at once and twice', run: (rig) => bursts(rig) },
  { name: 'F19 two workers expire the same proformas', run: (rig) => expireTwice(rig) },
  { name: 'F21 a token is revoked under load', run: revoked, alone: true },
  { name: 'F14 SIGTERM under load', run: terminated },
];

function underLoad(fault: (rig: Rig) => Promise<unknown>): Scenario['run'] {
  return async (rig) => {
    const [before, failures] = [rig.history.flows, rig.caller.failures];
    await rig.underLoad(async () => void (await fault(rig)));
    const failed = rig.caller.failures - failures;
    return {
      breaches: failed === 0 ? [] : [`${failed} answers of 500 and above, though nothing broke`],
      note: `${rig.history.flows - before} flows`,
    };
  };
}

function killed(which: (rig: Rig, round: number) => ServiceProcess, times: number): Scenario['run'] {
  return async (rig) => {
    const ready: number[] = [];
    await rig.underLoad(async () => {
      for (let round = 0; round < times; round += 1) {
        const server = which(rig, round);
        await server.signal('SIGKILL');
        const begun = performance.now();
        await server.start();
        ready.push(performance.now() - begun);
        await pause(300);
      }
    });
    return { readyMs: Math.max(...ready) };
  };
}

async function workerKilled(rig: Rig): Promise<Outcome> {
  const ready: number[] = [];
  await rig.underLoad(async () => {
    for (let round = 0; round < 2; round += 1) {
      await pause(700);
      await rig.worker.signal('SIGKILL');
      ready.push(await rig.restartWorker());
    }
  });
  return { readyMs: Math.max(...ready) };
}

async function backendKilled(rig: Rig): Promise<Outcome> {
  let readyMs = 0;
  await rig.underLoad(async () => {
    const [backend] = await rig.rows<{ pid: number }>(
      `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'
       union all select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() limit 1`,
    );
    process.kill(backend?.pid as number, 'SIGKILL');
    readyMs = await rig.untilReady();
  });
  return { readyMs };
}

function databaseStopped(signal: NodeJS.Signals): Scenario['run'] {
  return async (rig) => {
    let readyMs = 0;
    await rig.underLoad(async () => {
      await rig.server.signal(signal);
      await pause(500);
      await rig.server.startAgain();
      readyMs = await rig.untilReady();
    });
    return { readyMs };
  };
}

function wire(state: 'silent' | 'cut', lastsMs: number): Scenario['run'] {
  return async (rig) => {
    let readyMs = 0;
    let slowest = 0;
    await rig.underLoad(async () => {
      rig.proxy.set(state);
      const end = Date.now() + lastsMs;
      while (Date.now() < end) {
        const begun = performance.now();
        await rig.caller.ask('GET', '/orders?limit=1');
        slowest = Math.max(slowest, performance.now() - begun);
        await pause(100);
      }
      rig.proxy.set('whole');
      readyMs = await rig.untilReady();
    });
    return { readyMs, breaches: tooSlow(slowest), note: `slowest answer ${Math.round(slowest)} ms` };
  };
}

/** Somebody else holds what every call needs. */
async function locked(rig: Rig): Promise<Outcome> {
  const client = await rig.server.client(rig.database);
  await client.query('begin');
  await client.query('lock table products in access exclusive mode');
  const asked = Array.from({ length: 100 }, async () => {
    const begun = performance.now();
    await rig.caller.ask('GET', '/products?code=V1');
    return performance.now() - begun;
  });
  const isAlive = await rig.apis[0].isReady();
  const times = await Promise.all(asked);
  await client.query('rollback');
  await client.end();
  const readyMs = await rig.untilReady();
  const slowest = Math.max(...times);
  const after = await rig.caller.ask('GET', '/products?code=V1');
  return {
    readyMs,
    breaches: [
      ...tooSlow(slowest),
      ...(after !== 'unknown' && after.status === 200 ? [] : ['it does not answer once the lock is gone']),
    ],
    note: `slowest of 100 answers ${Math.round(slowest)} ms, ${isAlive ? 'ready' : 'not ready'} meanwhile`,
  };
}

async function storeBroken(rig: Rig): Promise<Outcome> {
  const breaches: string[] = [];
  await rig.underLoad(async () => {
    for (const fault of ['fails', 'full', 'breaks off', 'slow'] as const) {
      await rig.breakStores(fault);
      await pause(fault === 'slow' ? 2_500 : 800);
      if (fault === 'fails' && (await rig.apis[0].isReady())) breaches.push('ready, though the store is broken');
    }
    await rig.breakStores('none');
  });
  const readyMs = await rig.untilReady();
  const swept = await sweptADayLater(rig);
  return { readyMs, breaches: [...breaches, ...swept.breaches], note: `${swept.count} contents of nobody swept away` };
}

/** What uploads have left that were broken off, and what is lost on purpose, is gone when it is old. */
async function sweptADayLater(rig: Rig): Promise<{ readonly count: number; readonly breaches: readonly string[] }> {
  const unsettled = await settled(rig);
  await rig.loseContent();
  const later = addHours(new Date(), SWEPT_HOURS);
  const ofStore = async (): Promise<string[]> =>
    (await rig.brokenRules(later)).filter((breach) => STORE_RULES.some((name) => breach.startsWith(name)));
  const before = await ofStore();
  const count = await rig.sweepLater(SWEPT_HOURS);
  return {
    count,
    breaches: [
      ...unsettled,
      ...(before.length > 0 && count > 0 ? [] : ['what is lost is not found']),
      ...(await ofStore()).map((breach) => `a day later: ${breach}`),
    ],
  };
}

/** A transaction in which nobody has worked for longer than any rule takes to decide. */
const OPEN_TRANSACTIONS = `
  select count(*)::int as count from pg_stat_activity
  where datname = current_database() and state = 'idle in transaction' and state_change < now() - interval '400 ms'`;

async function gatewayBroken(rig: Rig): Promise<Outcome> {
  const before = await refusedRefunds(rig);
  let open = 0;
  await rig.underLoad(async () => {
    for (const manner of ['broken', 'twice', 'silent', 'done and cut', 'well', 'done and silent'] as const) {
      rig.gateway.manner = manner;
      await pause(900);
      open += (await rig.rows<{ count: number }>(OPEN_TRANSACTIONS))[0]?.count ?? 0;
    }
    rig.gateway.manner = 'well';
  });
  const mistaken = (await refusedRefunds(rig)) - before;
  rig.gateway.manner = 'refused';
  await rig.underLoad(async () => pause(600), { after: 0 });
  rig.gateway.manner = 'well';
  const count = (await refusedRefunds(rig)) - before;
  return {
    breaches: [
      ...(open === 0 ? [] : ['a transaction is open while the payment service is asked']),
      ...(mistaken === 0 ? [] : [`${mistaken} refunds were taken for refused`]),
      ...(rig.gateway.books.size > 0 && count > 0 ? [] : ['no refund was paid, or none refused']),
    ],
    note: `${rig.gateway.books.size} refunds paid, ${count} refused`,
  };
}

async function refusedRefunds(rig: Rig): Promise<number> {
  const [row] = await rig.rows<{ count: number }>(
    `select count(*)::int as count from payments where status = 'refund_failed'`,
  );
  return row?.count ?? 0;
}

async function revoked(rig: Rig): Promise<Outcome> {
  const token = await rig.secondToken();
  const works = async (): Promise<boolean> => {
    const answers = rig.apis.map(async ({ origin }) => {
      const answer = await fetch(`${origin}/api/v2/orders?limit=1`, { headers: { Authorization: `Bearer ${token}` } });
      await answer.body?.cancel();
      return answer.status === 200;
    });
    return (await Promise.all(answers)).includes(true);
  };
  if (!(await works())) return { breaches: ['the second token does not work'] };
  let ms = 0;
  await rig.underLoad(async () => {
    await rig.revoke(token);
    const begun = performance.now();
    while ((await works()) && performance.now() - begun < 5_000) await pause(20);
    ms = performance.now() - begun;
  });
  return { breaches: ms <= 2_000 ? [] : ['a revoked token works for longer than 2 s'], note: `${Math.round(ms)} ms` };
}

const ACCEPTED = 12;

/** Calls that the server has accepted wait for a lock when it is told to stop; each of them is answered. */
async function terminated(rig: Rig): Promise<Outcome> {
  const [server] = rig.apis;
  let exit: number | null = null;
  let exitMs = 0;
  let answered: number[] = [];
  await rig.underLoad(async () => {
    const client = await rig.server.client(rig.database);
    await client.query('begin');
    await client.query('lock table cdn_upload_presets in access exclusive mode');
    const asked = Array.from({ length: ACCEPTED }, () => statusOf(`${server.origin}/api/v2/cdn_upload_presets`, rig));
    await untilWaiting(rig);
    const begun = performance.now();
    const ended = server.signal('SIGTERM');
    await pause(300);
    await client.query('rollback');
    await client.end();
    answered = await Promise.all(asked);
    exit = await ended;
    exitMs = performance.now() - begun;
    await server.start();
  });
  const good = answered.filter((status) => status === 200).length;
  return {
    breaches: [
      ...(good === ACCEPTED ? [] : [`of ${ACCEPTED} accepted calls ${good} are answered: ${answered.join(' ')}`]),
      ...(exit === 0 ? [] : [`it exits with ${exit}`]),
      ...(exitMs <= EXIT_MUST_MS ? [] : [`it takes ${Math.round(exitMs)} ms to exit`]),
    ],
    note: `exit after ${Math.round(exitMs)} ms, ${good} accepted calls answered`,
  };
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

/** Until the accepted calls have come as far as the lock, or as many of them as have a connection. */
async function untilWaiting(rig: Rig): Promise<void> {
  const waiting = `select count(*)::int as count from pg_locks where not granted and relation = 'cdn_upload_presets'::regclass`;
  const end = Date.now() + 1_000;
  while (Date.now() < end) {
    const [row] = await rig.rows<{ count: number }>(waiting);
    if ((row?.count ?? 0) >= ACCEPTED / 2) return;
    await pause(10);
  }
}

function tooSlow(slowest: number): string[] {
  return slowest <= ANSWER_MUST_MS ? [] : [`an answer takes ${Math.round(slowest)} ms`];
}
