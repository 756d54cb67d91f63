import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Rig } from './rig.js';
import type { ScenarioResult } from './scenario.js';

const LOAD_SECONDS = 3;
const MANY_CLIENTS = 600;
const FEW_CLIENTS = 16;
/** Minimum goodput with many clients, as a share of the goodput with few clients. */
const MIN_GOODPUT = 0.8;
const MAX_ANSWER_MS = 8_500;
const MAX_RECOVERY_MS = 5_000;

interface LoadResult {
  readonly succeeded: number;
  readonly refused: number;
  readonly slowestMs: number;
}

/**
 * Calls the service with many more clients than database connections. Goodput must stay high, and the service must
 * recover afterwards.
 */
export async function overloaded(rig: Rig): Promise<ScenarioResult> {
  const fewResult = await measureLoad(rig, FEW_CLIENTS);
  const manyResult = await measureLoad(rig, MANY_CLIENTS);
  const startMs = performance.now();
  const answer = await rig.caller.call('GET', '/products?code=V1');
  const recoveredMs = performance.now() - startMs;
  const goodput = manyResult.succeeded / fewResult.succeeded;
  return {
    breaches: [
      ...(goodput >= MIN_GOODPUT ? [] : [`only ${Math.round(goodput * 100)} % of the answers to few clients`]),
      ...(manyResult.slowestMs <= MAX_ANSWER_MS ? [] : [`an answer takes ${Math.round(manyResult.slowestMs)} ms`]),
      ...(answer !== 'unknown' && recoveredMs <= MAX_RECOVERY_MS ? [] : ['the service does not recover']),
    ],
    note: `${Math.round(goodput * 100)} % of the answers to ${FEW_CLIENTS} clients, the slowest ${Math.round(manyResult.slowestMs)} ms, ${manyResult.refused} refused`,
  };
}

/** Runs clients that send a call in a loop and obey `Retry-After`. */
async function measureLoad(rig: Rig, clients: number): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true });
  const url = `${rig.apis[0].origin}/api/v2/products?code=V1`;
  const end = performance.now() + LOAD_SECONDS * 1_000;
  let [good, shed, slowestMs] = [0, 0, 0];
  const runClient = async (): Promise<void> => {
    while (performance.now() < end) {
      const callStartMs = performance.now();
      const { status, retryAfter } = await fetchStatus(url, rig.caller.headers, agent);
      slowestMs = Math.max(slowestMs, performance.now() - callStartMs);
      if (status === 200) good += 1;
      else shed += 1;
      if (retryAfter > 0) await pause(retryAfter * (1_000 + Math.random() * 500));
    }
  };
  await Promise.all(Array.from({ length: clients }, runClient));
  agent.destroy();
  return { succeeded: good, refused: shed, slowestMs };
}

function fetchStatus(
  url: string,
  headers: Readonly<Record<string, string>>,
  agent: Agent,
): Promise<{ readonly status: number | undefined; readonly retryAfter: number }> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent }, (response) => {
      const retryAfter = Number(response.headers['retry-after'] ?? 0);
      text(response).then(() => resolve({ status: response.statusCode, retryAfter }), reject);
    });
    request.on('error', reject);
  });
}
