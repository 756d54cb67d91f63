import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { blackPng } from './bombs.js';
import { floodingClients, purge, upload } from './fairness.js';
import type { HostileClients } from './hostile.js';
import type { Rig } from './rig.js';
import type { ScenarioResult } from './scenario.js';
import { callSteadily, compare, IDLE_SECONDS, whileHostile, type Measuring } from './victim.js';

const TIMED_RUN_COUNT = 3;
const RUN_SECONDS = 30;
const MAX_P99_FACTOR = 10;
const ANONYMOUS_CONNECTION_COUNT = 200;
const ENDPOINT_COUNT = 20;
const SLOW_ANSWER_MS = 14_000;
const STOCK_ROW_COUNT = 500;
const STOCK_EVERY_MS = 1_000;
const BOMB_COUNT = 6;

/**
 * One app floods the API, uploads large images and has slow receivers of webhooks, while strangers guess tokens. The
 * calls of another app must succeed, and stay within ten times their idle p99.
 */
export async function everyTrick(rig: Rig, measuring: Measuring): Promise<ScenarioResult> {
  const idle = await callSteadily(rig.caller, IDLE_SECONDS);
  const clients = [...(await floodingClients(rig, measuring)), strangers(rig)];
  const receivers = await openReceivers(rig);
  const breaches: string[] = [];
  const notes: string[] = [];
  try {
    for (let run = 0; run < (measuring.isTimed ? TIMED_RUN_COUNT : 1); run += 1) {
      const bombs = [];
      for (let bomb = 0; bomb < BOMB_COUNT; bomb += 1)
        bombs.push(await upload(rig.stranger, blackPng(10_000, 10_000), `trick-${run}-${bomb}.png`));
      const hostile = await whileHostile(clients, () => callSteadily(rig.caller, RUN_SECONDS));
      const outcome = compare(idle, hostile, measuring, MAX_P99_FACTOR);
      breaches.push(...outcome.breaches);
      notes.push(outcome.note);
      await purge(rig.stranger, bombs);
    }
  } finally {
    await receivers.close();
  }
  return { breaches, note: notes.join('; ') };
}

function strangers(rig: Rig): HostileClients {
  const { origin } = rig.apis[0];
  const headers = { Authorization: `Bearer bo_app_${'u'.repeat(35)}#` };
  const calls = [
    { method: 'GET', path: '/api/v2/orders', headers },
    { method: 'GET', path: '/media/unknown#/a.png', headers: {} },
  ];
  return { origin, connections: ANONYMOUS_CONNECTION_COUNT, calls };
}

/** Half of the endpoints of the hostile app answer slowly. Its stock changes all the time. */
async function openReceivers({ stranger }: Rig): Promise<{ close(): Promise<void> }> {
  const server = createServer((request, response) => {
    request.resume();
    setTimeout(() => response.writeHead(204).end(), request.url === '/slow' ? SLOW_ANSWER_MS : 0).unref();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ids: number[] = [];
  for (let index = 0; index < ENDPOINT_COUNT; index += 1) {
    const url = `${origin}/${index % 2 === 0 ? 'slow' : 'fast'}`;
    ids.push((await stranger.mustSucceed('POST', '/webhook_endpoints', { webhook_endpoint: { url } })).id);
  }
  const address = { address_line_1: 'Put 1', city: 'Novi Sad', postcode: '21000', market_id: 1 };
  await stranger.mustSucceed('PUT', '/warehouse', { warehouses: [{ code: 'T', name: 'T', ...address }] });
  const stocks = Array.from({ length: STOCK_ROW_COUNT }, (_, index) => ({
    code: `H${index}`,
    warehouse_code: 'T',
    qty: 1,
  }));
  const stopping = new AbortController();
  const changing = (async () => {
    while (!stopping.signal.aborted) {
      await stranger.call('PUT', '/int/stocks', { stocks });
      await pause(STOCK_EVERY_MS);
    }
  })();
  return {
    close: async () => {
      stopping.abort();
      await changing;
      for (const id of ids) await stranger.mustSucceed('DELETE', `/webhook_endpoints/${id}`);
      server.closeAllConnections();
      server.close();
    },
  };
}
