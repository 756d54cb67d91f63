import { setTimeout as pause } from 'node:timers/promises';
import { blackPng, linedPdf } from './bombs.js';
import type { Caller, Data } from './caller.js';
import type { HostileCall, HostileClients } from './hostile.js';
import type { Rig } from './rig.js';
import type { ScenarioResult } from './scenario.js';
import { callSteadily, compare, HOSTILE_SECONDS, IDLE_SECONDS, measureVictim, type Measuring } from './victim.js';

const APP_CONNECTION_COUNT = 200;
const STRANGER_CONNECTION_COUNT = 100;
const GUESSING_CONNECTION_COUNT = 300;
const ROWS = 10_000;
/** The service treats a page of 1,000 rows as a large call. */
const SMALL_PAGE_SIZE = 900;
const FAILING_ROW_COUNT = 9_000;
const UNKNOWN_KEY_COUNT = 700_000;
const BOMB_COUNT = 12;
const MAX_PENDING_SECONDS = 20;
const UNKNOWN_TOKEN = `bo_app_${'u'.repeat(43)}`;

/** Another app sends slow calls over many connections. They must not slow down the calls of the shop. */
export async function flooded(rig: Rig, measuring: Measuring): Promise<ScenarioResult> {
  return measureVictim(rig, measuring, await floodingClients(rig, measuring));
}

export async function floodingClients(rig: Rig, measuring: Measuring): Promise<HostileClients[]> {
  await fillCatalogue(rig.stranger);
  const headers = { ...rig.stranger.headers, 'Content-Type': 'application/json' };
  const read = (path: string): HostileCall => ({ method: 'GET', path: `/api/v2${path}`, headers });
  const items = Array.from({ length: 1_000 }, (_, index) => ({ code: `H${index}`, qty: 1 }));
  const failingRows = Array.from({ length: FAILING_ROW_COUNT }, (_, index) => ({ code: `X${index}` }));
  const manyKeys = `{${Array.from({ length: UNKNOWN_KEY_COUNT }, (_, index) => `"k${index}":1`).join()}}`;
  const calls: HostileCall[] = [
    read(`/products?search=warm&limit=${ROWS}`),
    read(`/products?searchAll=lined&limit=${ROWS}&orderBy=price`),
    read(`/stocks?limit=${ROWS}`),
    {
      method: 'POST',
      path: '/api/v2/order_processings',
      headers,
      body: JSON.stringify({ order_processing: { items } }),
    },
    { method: 'POST', path: '/api/v2/int/products', headers, body: JSON.stringify({ products: failingRows }) },
    { method: 'PATCH', path: '/api/v2/app/settings', headers, body: manyKeys },
  ];
  const { origin } = rig.apis[0];
  const smallCalls = [read(`/products?searchAll=lined&limit=${SMALL_PAGE_SIZE}&orderBy=price`)];
  return [
    { origin, connections: APP_CONNECTION_COUNT, calls },
    // So many concurrent small calls slow down every statement on two cores, so a timed run omits them.
    ...(measuring.isTimed ? [] : [{ origin, connections: APP_CONNECTION_COUNT, calls: smallCalls }]),
  ];
}

/** Callers without a token guess tokens and file URLs, read a public file, and request the health check. */
export async function besieged(rig: Rig, measuring: Measuring): Promise<ScenarioResult> {
  const { origin } = rig.apis[0];
  const publicFile = await upload(rig.stranger, blackPng(10, 10), 'public.png');
  const { url } = publicFile as unknown as { readonly url: string };
  await exhaustAddress(origin);
  const clientsOf = (calls: readonly HostileCall[]): HostileClients => ({
    origin,
    connections: STRANGER_CONNECTION_COUNT,
    calls,
  });
  const get = (path: string, headers: HostileCall['headers'] = {}): HostileCall => ({ method: 'GET', path, headers });
  const outcome = await measureVictim(rig, measuring, [
    clientsOf([get(new URL(url).pathname)]),
    clientsOf([get('/media/unknown/a.png'), get('/media/unknown#/a.png')]),
    clientsOf([
      get('/api/v2/orders', { Authorization: `Bearer ${UNKNOWN_TOKEN}` }),
      // `#` becomes a number of 8 digits, so this has the length of a token.
      get('/api/v2/orders', { Authorization: `Bearer bo_app_${'u'.repeat(35)}#` }),
    ]),
    clientsOf([get('/health/ready')]),
  ]);
  await purge(rig.stranger, [publicFile]);
  return outcome;
}

/** Sends unknown tokens until the address has exceeded its rate limit; the victim has the same address. */
async function exhaustAddress(origin: string): Promise<void> {
  let isExhausted = false;
  const guess = async (): Promise<void> => {
    while (!isExhausted) {
      const response = await fetch(`${origin}/api/v2/orders`, {
        headers: { Authorization: `Bearer ${UNKNOWN_TOKEN}` },
      });
      await response.arrayBuffer();
      isExhausted ||= response.status === 429;
    }
  };
  await Promise.all(Array.from({ length: GUESSING_CONNECTION_COUNT }, guess));
}

/** One app uploads images and documents that take long to process; another app's small image must not wait. */
export async function bombed(rig: Rig, measuring: Measuring): Promise<ScenarioResult> {
  const [png, pdf] = [blackPng(10_000, 10_000), linedPdf()];
  const rendition_widths = Array.from({ length: 10 }, (_, index) => 2_000 - index * 150);
  const preset = {
    name: 'default',
    output_format: 'avif',
    max_width: 2_500,
    quality: 80,
    rendition_widths,
    is_default: true,
  };
  await rig.stranger.mustSucceed('PUT', '/cdn_upload_presets', { cdn_upload_presets: [preset] });
  const idle = await callSteadily(rig.caller, IDLE_SECONDS);
  const bombs: Data[] = [];
  for (let bomb = 0; bomb < BOMB_COUNT; bomb += 1) {
    const isDocument = bomb % 3 === 2;
    bombs.push(await upload(rig.stranger, isDocument ? pdf : png, `bomb-${bomb}.${isDocument ? 'pdf' : 'png'}`));
  }
  const [hostile, pendingSeconds] = await Promise.all([
    callSteadily(rig.caller, HOSTILE_SECONDS),
    processingSeconds(rig.caller),
  ]);
  await purge(rig.stranger, bombs);
  const outcome = compare(idle, hostile, measuring);
  const isPendingLong = pendingSeconds > MAX_PENDING_SECONDS;
  return {
    breaches: [...outcome.breaches, ...(isPendingLong ? [`a small image is pending after ${pendingSeconds} s`] : [])],
    note: `${outcome.note}; a small image took ${pendingSeconds.toFixed(1)} s`,
  };
}

export async function upload(caller: Caller, bytes: Uint8Array<ArrayBuffer>, name: string): Promise<Data> {
  const form = new FormData();
  form.set('file', new Blob([bytes]), name);
  return caller.mustSucceed('POST', '/cdn/files', form);
}

/** `check` counts a pending file as a broken rule, so the scenario deletes its files. */
export async function purge(caller: Caller, files: readonly Data[]): Promise<void> {
  await caller.mustSucceed('DELETE', '/cdn/list', { files: files.map(({ key }) => ({ key })) });
  await caller.mustSucceed('DELETE', '/cdn/files/purge', { ids: files.map(({ id }) => id) });
}

/** Returns the seconds until a new small image is processed. */
async function processingSeconds(caller: Caller): Promise<number> {
  const { id } = await upload(caller, blackPng(10, 10), `small-${Date.now()}.png`);
  const startMs = performance.now();
  const secondsSince = (): number => (performance.now() - startMs) / 1_000;
  while (secondsSince() <= MAX_PENDING_SECONDS) {
    const file = (await caller.mustSucceed('GET', `/cdn/files/${id}`)) as unknown as { readonly processing: string };
    if (file.processing !== 'pending') break;
    await pause(100);
  }
  return secondsSince();
}

async function fillCatalogue(caller: Caller): Promise<void> {
  const description = 'Warm and dry, lined with wool. '.repeat(10);
  const products = Array.from({ length: ROWS }, (_, index) => {
    const code = `H${index}`;
    return { code, name: `Warm ${code}`, description, price: 100, vat_rate: 20, variants: [{ code }] };
  });
  for (const part of [products.slice(0, ROWS / 2), products.slice(ROWS / 2)])
    await caller.mustSucceed('POST', '/int/products', { products: part });
}
