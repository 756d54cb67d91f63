import { everyTrick } from './every-trick.js';
import { setTimeout as pause } from 'node:timers/promises';
import { crashPoints } from './crash-points.js';
import { bursts, expireTwice } from './bursts.js';
import { besieged, bombed, flooded } from './fairness.js';
import { databaseDiskFull, killedWhileMigrating, noDescriptorsLeft } from './limits.js';
import { overloaded } from './overload.js';
import type { Rig } from './rig.js';
import type { ScenarioResult, Scenario } from './scenario.js';
import type { ServiceProcess } from './processes.js';
import { storeBroken } from './broken-store.js';
import { serverTerminated } from './termination.js';
import { BACKEND_PID, OPEN_TRANSACTIONS, REFUSED_REFUNDS } from './verify.query.js';

export const MAX_READY_MS = 10_000;
const MAX_ANSWER_MS = 8_500;
const OUTAGE_MS = 20_000;
const MAX_REFUND_WAIT_MS = 15_000;
/** Longer than the service ever waits for an answer of the database. */
const SILENT_MS = 9_000;

export const SCENARIOS: readonly Scenario[] = [
  { name: 'nothing breaks', run: underLoad(async () => pause(1_500)) },
  // The slowest scenario starts first, so that the whole run ends early.
  { name: 'F2 the connection is cut at every message', run: (rig) => crashPoints(rig) },
  {
    name: 'F1 a server is killed, three times',
    run: serverKilled((rig, round) => rig.apis[round % 2] as ServiceProcess, 3),
  },
  { name: 'F18 the worker is killed, twice', run: workerKilled },
  { name: 'F3 a backend of the database is killed', run: backendKilled },
  { name: 'F4 the database stops at once', run: databaseStopped('SIGQUIT') },
  { name: 'F4 the database is killed', run: databaseStopped('SIGKILL') },
  { name: 'F5 the database connection falls silent', run: networkBroken('silent', SILENT_MS) },
  { name: 'F5 the database is unreachable for 20 s', run: networkBroken('cut', OUTAGE_MS) },
  { name: 'F6 the pool is exhausted by a lock', run: tableLocked },
  { name: 'F8 the store fails, is slow, is full, breaks off', run: (rig) => storeBroken(rig) },
  { name: 'F9 the disk of the database is full', run: (rig) => databaseDiskFull(rig) },
  { name: 'F16 there are far more clients than connections', run: (rig) => overloaded(rig), runsAlone: true },
  { name: 'F17 a server has no descriptors left', run: (rig) => noDescriptorsLeft(rig), runsAlone: true },
  { name: 'F22 an app floods the service', run: (rig) => flooded(rig, { isTimed: true }), runsAlone: true },
  { name: 'F23 strangers flood the service', run: (rig) => besieged(rig, { isTimed: true }), runsAlone: true },
  { name: 'F24 an app uploads bombs', run: (rig) => bombed(rig, { isTimed: true }), runsAlone: true },
  { name: 'F26 an app uses every trick at once', run: (rig) => everyTrick(rig, { isTimed: true }), runsAlone: true },
  { name: 'F20 servers are killed while they migrate', run: (rig) => killedWhileMigrating(rig) },
  { name: 'F10 the payment service fails, is silent, pays without an answer', run: gatewayBroken },
  { name: 'F25 a receiver of webhooks misbehaves', run: receiverBroken },
  { name: 'F7 F12 concurrent calls compete for records', run: (rig) => bursts(rig) },
  { name: 'F19 two workers expire the same proformas', run: (rig) => expireTwice(rig) },
  { name: 'F21 a token is revoked under load', run: tokenRevoked, runsAlone: true },
  { name: 'F14 SIGTERM under load', run: (rig) => serverTerminated(rig) },
];

function underLoad(fault: (rig: Rig) => Promise<unknown>): Scenario['run'] {
  return async (rig) => {
    const [jobsBefore, failuresBefore] = [rig.history.completedJobs, rig.caller.failures];
    await rig.underLoad(async () => void (await fault(rig)));
    const failedCalls = rig.caller.failures - failuresBefore;
    return {
      breaches: failedCalls === 0 ? [] : [`${failedCalls} answers with status 500 and above, although nothing broke`],
      note: `${rig.history.completedJobs - jobsBefore} jobs`,
    };
  };
}

function serverKilled(serverOf: (rig: Rig, round: number) => ServiceProcess, rounds: number): Scenario['run'] {
  return async (rig) => {
    const readyTimesMs: number[] = [];
    await rig.underLoad(async () => {
      for (let round = 0; round < rounds; round += 1) {
        const server = serverOf(rig, round);
        await server.signal('SIGKILL');
        const startMs = performance.now();
        await server.start();
        readyTimesMs.push(performance.now() - startMs);
        await pause(300);
      }
    });
    return { readyMs: Math.max(...readyTimesMs) };
  };
}

async function workerKilled(rig: Rig): Promise<ScenarioResult> {
  const readyTimesMs: number[] = [];
  await rig.underLoad(async () => {
    for (let round = 0; round < 2; round += 1) {
      await pause(700);
      await rig.worker.signal('SIGKILL');
      readyTimesMs.push(await rig.restartWorker());
    }
  });
  return { readyMs: Math.max(...readyTimesMs) };
}

async function backendKilled(rig: Rig): Promise<ScenarioResult> {
  let readyMs = 0;
  await rig.underLoad(async () => {
    const [backend] = await rig.rows<{ pid: number }>(BACKEND_PID);
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
      await rig.server.ensureStarted();
      readyMs = await rig.untilReady();
    });
    return { readyMs };
  };
}

function networkBroken(state: 'silent' | 'cut', durationMs: number): Scenario['run'] {
  return async (rig) => {
    let readyMs = 0;
    let slowestMs = 0;
    await rig.underLoad(async () => {
      rig.proxy.setState(state);
      const endMs = Date.now() + durationMs;
      while (Date.now() < endMs) {
        const startMs = performance.now();
        await rig.caller.call('GET', '/orders?limit=1');
        slowestMs = Math.max(slowestMs, performance.now() - startMs);
        await pause(100);
      }
      rig.proxy.setState('whole');
      readyMs = await rig.untilReady();
    });
    return { readyMs, breaches: slownessBreaches(slowestMs), note: `slowest answer ${Math.round(slowestMs)} ms` };
  };
}

/** Locks a table that every call must read. */
async function tableLocked(rig: Rig): Promise<ScenarioResult> {
  const client = await rig.server.connect(rig.database);
  await client.query('begin');
  await client.query('lock table products in access exclusive mode');
  const calls = Array.from({ length: 100 }, async () => {
    const startMs = performance.now();
    await rig.caller.call('GET', '/products?code=V1');
    return performance.now() - startMs;
  });
  const isReady = await rig.apis[0].isReady();
  const timesMs = await Promise.all(calls);
  await client.query('rollback');
  await client.end();
  const readyMs = await rig.untilReady();
  const slowestMs = Math.max(...timesMs);
  const answer = await rig.caller.call('GET', '/products?code=V1');
  return {
    readyMs,
    breaches: [
      ...slownessBreaches(slowestMs),
      ...(answer !== 'unknown' && answer.status === 200 ? [] : ['the service does not answer after the lock']),
    ],
    note: `slowest of 100 answers ${Math.round(slowestMs)} ms, ${isReady ? 'ready' : 'not ready'} during the lock`,
  };
}

async function gatewayBroken(rig: Rig): Promise<ScenarioResult> {
  const refusedBefore = await countRefusedRefunds(rig);
  const untestedModes: string[] = [];
  let openTransactions = 0;
  await rig.underLoad(async () => {
    for (const mode of ['broken', 'twice', 'silent', 'done and cut', 'well', 'done and silent'] as const) {
      rig.gateway.mode = mode;
      await pause(900);
      // Requests wait for each other, so a new request may arrive only after the timeout of a silent one.
      if (!(await rig.gateway.waitForRequest(MAX_REFUND_WAIT_MS)))
        untestedModes.push(`no refund was requested in mode ${mode}`);
      openTransactions += (await rig.rows<{ count: number }>(OPEN_TRANSACTIONS))[0]?.count ?? 0;
    }
    rig.gateway.mode = 'well';
  });
  const mistakenRefusals = (await countRefusedRefunds(rig)) - refusedBefore;
  rig.gateway.mode = 'refused';
  await rig.underLoad(async () => pause(600), { afterMs: 0 });
  rig.gateway.mode = 'well';
  const refusedCount = (await countRefusedRefunds(rig)) - refusedBefore;
  return {
    breaches: [
      ...untestedModes,
      ...(openTransactions === 0 ? [] : ['a transaction is open while the payment service is asked']),
      ...(mistakenRefusals === 0 ? [] : [`${mistakenRefusals} refunds were recorded as refused`]),
      ...(rig.gateway.paidRefunds.size > 0 && refusedCount > 0 ? [] : ['no refund was paid, or none refused']),
    ],
    note: `${rig.gateway.paidRefunds.size} refunds paid, ${refusedCount} refused`,
  };
}

async function receiverBroken(rig: Rig): Promise<ScenarioResult> {
  const acceptedBefore = rig.receiver.accepted.length;
  await rig.underLoad(async () => {
    for (const mode of ['failing', 'hanging', 'busy', 'redirecting', 'cutting', 'slow', 'flaky'] as const) {
      rig.receiver.mode = mode;
      await pause(900);
    }
  });
  return { note: `${rig.receiver.accepted.length - acceptedBefore} events accepted` };
}

async function countRefusedRefunds(rig: Rig): Promise<number> {
  return (await rig.rows<{ count: number }>(REFUSED_REFUNDS))[0]?.count ?? 0;
}

async function tokenRevoked(rig: Rig): Promise<ScenarioResult> {
  const token = await rig.issueToken();
  const isAccepted = async (): Promise<boolean> => {
    const answers = rig.apis.map(async ({ origin }) => {
      const answer = await fetch(`${origin}/api/v2/orders?limit=1`, { headers: { Authorization: `Bearer ${token}` } });
      await answer.body?.cancel();
      return answer.status === 200;
    });
    return (await Promise.all(answers)).includes(true);
  };
  if (!(await isAccepted())) return { breaches: ['the second token does not work'] };
  let acceptedMs = 0;
  await rig.underLoad(async () => {
    await rig.revokeToken(token);
    const startMs = performance.now();
    while ((await isAccepted()) && performance.now() - startMs < 5_000) await pause(20);
    acceptedMs = performance.now() - startMs;
  });
  return {
    breaches: acceptedMs <= 2_000 ? [] : ['a revoked token works for longer than 2 s'],
    note: `${Math.round(acceptedMs)} ms`,
  };
}

function slownessBreaches(slowestMs: number): string[] {
  return slowestMs <= MAX_ANSWER_MS ? [] : [`an answer takes ${Math.round(slowestMs)} ms`];
}
