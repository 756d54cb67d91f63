import { Agent, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import type { Rig } from './rig.js';
import type { Outcome } from './scenario.js';

const SECONDS = 3;
const MANY = 600;
const FEW = 16;
/** Minimum share of the goodput with few clients. */
const MIN_GOODPUT = 0.8;
const MAX_ANSWER_MS = 8_500;
const MAX_RECOVERY_MS = 5_000;

interface Answered {
  readonly good: number;
  readonly shed: number;
  readonly slowestMs: number;
}

/** Many more clients than database connections: goodput stays high and the service recovers. */
export async function overloaded(rig: Rig): Promise<Outcome> {
  const few = await answeredTo(rig, FEW);
  const many = await answeredTo(rig, MANY);
  const started = performance.now();
  const after = await rig.caller.ask('GET', '/products?code=V1');
  const recoveredMs = performance.now() - started;
  const goodput = many.good / few.good;
  return {
    breaches: [
      ...(goodput >= MIN_GOODPUT ? [] : [`it answers ${Math.round(goodput * 100)} % of what it answers to a few`]),
      ...(many.slowestMs <= MAX_ANSWER_MS ? [] : [`an answer takes ${Math.round(many.slowestMs)} ms`]),
      ...(after !== 'unknown' && recoveredMs <= MAX_RECOVERY_MS ? [] : ['it does not recover']),
    ],
    note: `${Math.round(goodput * 100)} % of the answers to ${FEW} clients, the slowest ${Math.round(many.slowestMs)} ms, ${many.shed} refused`,
  };
}

/** Clients that repeat a call and obey `Retry-After`. */
async function answeredTo(rig: Rig, clients: number): Promise<Answered> {
  const agent = new Agent({ keepAlive: true });
  const url = `${rig.apis[0].origin}/api/v2/products?code=V1`;
  const end = performance.now() + SECONDS * 1_000;
  let [good, shed, slowestMs] = [0, 0, 0];
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      const started = performance.now();
      const { status, retryAfter } = await statusOf(url, rig.caller.headers, agent);
      slowestMs = Math.max(slowestMs, performance.now() - started);
      if (status === 200) good += 1;
      else shed += 1;
      if (retryAfter > 0) await pause(retryAfter * (1_000 + Math.random() * 500));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  agent.destroy();
  return { good, shed, slowestMs };
}

function statusOf(
  url: string,
  headers: Readonly<Record<string, string>>,
  agent: Agent,
): Promise<{ readonly status: number | undefined; readonly retryAfter: number }> {
  return new Promise((resolve, reject) => {
    const asked = get(url, { headers, agent }, (response) => {
      const retryAfter = Number(response.headers['retry-after'] ?? 0);
      text(response).then(() => resolve({ status: response.statusCode, retryAfter }), reject);
    });
    asked.on('error', reject);
  });
}
