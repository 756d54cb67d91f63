import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Caller } from './caller.js';
import type { HostileClients } from './hostile.js';
import { evaluate, VARIANT_COUNT } from './load.js';
import type { Rig } from './rig.js';
import type { ScenarioResult } from './scenario.js';

const CALLS_PER_SECOND = 20;
/** In less time, so few calls would be sent that the slowest two would decide the p99. */
export const IDLE_SECONDS = 10;
export const HOSTILE_SECONDS = 20;
const MAX_P99_FACTOR = 5;
/** A smaller p99 depends more on the machine than on the service. */
const MIN_IDLE_P99_MS = 10;
const HOSTILE_SCRIPT = fileURLToPath(new URL('hostile.ts', import.meta.url));

export interface Measuring {
  /** Whether the machine is idle enough to compare times. */
  readonly isTimed: boolean;
}

export async function measureVictim(
  rig: Rig,
  measuring: Measuring,
  clients: readonly HostileClients[],
): Promise<ScenarioResult> {
  const idle = await callSteadily(rig.caller, IDLE_SECONDS);
  return whileHostile(clients, async () => compare(idle, await callSteadily(rig.caller, HOSTILE_SECONDS), measuring));
}

/** Runs the work while the clients send their calls. */
export async function whileHostile<Result>(
  clients: readonly HostileClients[],
  work: () => Promise<Result>,
): Promise<Result> {
  const child = spawn(process.execPath, [...process.execArgv, HOSTILE_SCRIPT], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  // Sends the calls over standard input, because their bodies are too large for a command-line argument.
  child.stdin.end(JSON.stringify(clients));
  const exit = once(child, 'exit');
  // Hostile clients normally run on other machines, so this process must not take CPU time from the service.
  setPriority(child.pid as number, constants.priority.PRIORITY_LOW);
  try {
    await pause(1_000);
    return await work();
  } finally {
    child.kill('SIGKILL');
    await exit;
  }
}

export interface SteadyCalls {
  readonly p99Ms: number;
  readonly calls: number;
  readonly failed: number;
}

/** Sends various calls at a fixed rate, regardless of how long the answers take. */
export async function callSteadily(victim: Caller, seconds: number): Promise<SteadyCalls> {
  const jobs = [
    () => victim.call('GET', '/products?code=V1'),
    () => victim.call('GET', '/orders?limit=5'),
    () => evaluate(victim, [{ code: `V${VARIANT_COUNT - 1}`, qty: 1 }]),
    () => victim.call('GET', '/app/settings'),
  ];
  const calls: Promise<{ readonly ms: number; readonly isFailed: boolean }>[] = [];
  for (let index = 0; index < seconds * CALLS_PER_SECOND; index += 1) {
    calls.push(timed(jobs[index % jobs.length] as () => Promise<unknown>));
    await pause(1_000 / CALLS_PER_SECOND);
  }
  const results = await Promise.all(calls);
  const sortedMs = results.map(({ ms }) => ms).sort((a, b) => a - b);
  return {
    p99Ms: sortedMs[Math.ceil(sortedMs.length * 0.99) - 1] ?? 0,
    calls: results.length,
    failed: results.filter(({ isFailed }) => isFailed).length,
  };
}

async function timed(call: () => Promise<unknown>): Promise<{ readonly ms: number; readonly isFailed: boolean }> {
  const startMs = performance.now();
  const answer = await call().catch(() => 'unknown');
  const { status = 200 } = (typeof answer === 'object' ? answer : {}) as { readonly status?: number };
  return { ms: performance.now() - startMs, isFailed: answer === 'unknown' || status !== 200 };
}

export function compare(idle: SteadyCalls, hostile: SteadyCalls, { isTimed }: Measuring, maxFactor = MAX_P99_FACTOR) {
  const maxMs = Math.max(idle.p99Ms, MIN_IDLE_P99_MS) * maxFactor;
  const [idleMs, hostileMs] = [Math.round(idle.p99Ms), Math.round(hostile.p99Ms)];
  return {
    breaches: [
      ...(hostile.failed === 0 ? [] : [`${hostile.failed} of ${hostile.calls} calls of the victim fail`]),
      ...(isTimed && hostile.p99Ms >= maxMs ? [`the victim's p99 is ${hostileMs} ms, ${idleMs} ms when idle`] : []),
    ],
    note: `p99 ${hostileMs} ms, ${idleMs} ms when idle, ${hostile.failed} of ${hostile.calls} failed`,
  };
}
