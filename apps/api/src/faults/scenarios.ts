import { setTimeout as pause } from 'node:timers/promises';
import { crashPoints } from './crash-points.js';
import { bursts, expireTwice } from './bursts.js';
import { databaseWithoutRoom, killedWhileMigrating, noDescriptorsLeft } from './limits.js';
import { overloaded } from './overload.js';
import type { Rig } from './rig.js';
import type { Outcome, Scenario } from './scenario.js';
import type { ServiceProcess } from './processes.js';
import { storeBroken } from './broken-store.js';
import { terminated } from './termination.js';
import { BACKEND, OPEN_TRANSACTIONS, REFUSED_REFUNDS } from './verify.query.js';

/** Milliseconds within which an installation must be ready again. */
export const MAX_READY_MS = 10_000;
const MAX_ANSWER_MS = 8_500;
const GONE_MS = 20_000;
const ASKED_MS = 15_000;
/** Longer than the service waits for any answer of the database. */
const SILENT_MS = 9_000;

export const SCENARIOS: readonly Scenario[] = [
  { name: 'nothing breaks', run: underLoad(async () => pause(1_500)) },
  // The slowest starts first.
  { name: 'F2 a connection is cut at every message', run: (rig) => crashPoints(rig) },
  { name: 'F1 a server is killed, three times', run: killed((rig, round) => rig.apis[round % 2] as ServiceProcess, 3) },
  { name: 'F18 the worker is killed, twice', run: workerKilled },
  { name: 'F3 a backend of the database is killed', run: backendKilled },
  { name: 'F4 the database stops at once', run: databaseStopped('SIGQUIT') },
  { name: 'F4 the database is killed', run: databaseStopped('SIGKILL') },
  { name: 'F5 the wire to the database falls silent', run: wire('silent', SILENT_MS) },
  { name: 'F5 the database is gone for 20 s', run: wire('cut', GONE_MS) },
  { name: 'F6 the pool is exhausted by a lock', run: locked },
  { name: 'F8 the store fails, is slow, is full, breaks off', run: (rig) => storeBroken(rig) },
  { name: 'F9 the database has no room to write', run: (rig) => databaseWithoutRoom(rig) },
  { name: 'F16 far more callers than it can serve', run: (rig) => overloaded(rig), alone: true },
  { name: 'F17 a server has no descriptors left', run: (rig) => noDescriptorsLeft(rig), alone: true },
  { name: 'F20 servers are killed while they migrate', run: (rig) => killedWhileMigrating(rig) },
  { name: 'F10 the payment service fails, is silent, pays without saying so', run: gatewayBroken },
  { name: 'F7 F12 everything at once and twice', run: (rig) => bursts(rig) },
  { name: 'F19 two workers expire the same proformas', run: (rig) => expireTwice(rig) },
  { name: 'F21 a token is revoked under load', run: revoked, alone: true },
  { name: 'F14 SIGTERM under load', run: (rig) => terminated(rig) },
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
        const started = performance.now();
        await server.start();
        ready.push(performance.now() - started);
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
    const [backend] = await rig.rows<{ pid: number }>(BACKEND);
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
        const started = performance.now();
        await rig.caller.ask('GET', '/orders?limit=1');
        slowest = Math.max(slowest, performance.now() - started);
        await pause(100);
      }
      rig.proxy.set('whole');
      readyMs = await rig.untilReady();
    });
    return { readyMs, breaches: tooSlow(slowest), note: `slowest answer ${Math.round(slowest)} ms` };
  };
}

/** Another client locks a table that every call reads. */
async function locked(rig: Rig): Promise<Outcome> {
  const client = await rig.server.client(rig.database);
  await client.query('begin');
  await client.query('lock table products in access exclusive mode');
  const asked = Array.from({ length: 100 }, async () => {
    const started = performance.now();
    await rig.caller.ask('GET', '/products?code=V1');
    return performance.now() - started;
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

async function gatewayBroken(rig: Rig): Promise<Outcome> {
  const before = await refusedRefunds(rig);
  const untried: string[] = [];
  let open = 0;
  await rig.underLoad(async () => {
    for (const manner of ['broken', 'twice', 'silent', 'done and cut', 'well', 'done and silent'] as const) {
      rig.gateway.manner = manner;
      await pause(900);
      // A client that waits for a silent service sends no other refund.
      if (!(await rig.gateway.isAsked(ASKED_MS))) untried.push(`no refund was asked for while it was ${manner}`);
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
      ...untried,
      ...(open === 0 ? [] : ['a transaction is open while the payment service is asked']),
      ...(mistaken === 0 ? [] : [`${mistaken} refunds were recorded as refused`]),
      ...(rig.gateway.books.size > 0 && count > 0 ? [] : ['no refund was paid, or none refused']),
    ],
    note: `${rig.gateway.books.size} refunds paid, ${count} refused`,
  };
}

async function refusedRefunds(rig: Rig): Promise<number> {
  return (await rig.rows<{ count: number }>(REFUSED_REFUNDS))[0]?.count ?? 0;
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
    const started = performance.now();
    while ((await works()) && performance.now() - started < 5_000) await pause(20);
    ms = performance.now() - started;
  });
  return { breaches: ms <= 2_000 ? [] : ['a revoked token works for longer than 2 s'], note: `${Math.round(ms)} ms` };
}

function tooSlow(slowest: number): string[] {
  return slowest <= MAX_ANSWER_MS ? [] : [`an answer takes ${Math.round(slowest)} ms`];
}
