import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { makeApps } from '../runtime/with-apps.js';
import { call, median } from './load.js';
import { print } from './measure.js';
import { startServiceProcess } from './systems.js';

const MIN_PER_SECOND = 1_000;
const PRODUCTS_PER_CALL = 1_000;
const TIMEOUT_MS = 60_000;

export interface WebhookOptions {
  readonly events: number;
  readonly rounds: number;
}

/** Measures how fast one worker delivers waiting events of products to a local receiver. */
export async function benchWebhooks(url: string, { events, rounds }: WebhookOptions): Promise<void> {
  const [shop] = await makeApps({ DATABASE_URL: url }, ['shop']);
  const receiver = await openReceiver();
  const service = await startServiceProcess(url, { WEBHOOK_NETWORKS: '127.0.0.1' });
  const base = `${service.origin}/api/v2`;
  const rates: number[] = [];
  try {
    await call(`${base}/webhook_endpoints`, shop.token, { webhook_endpoint: { url: receiver.url } });
    for (let round = 0; round < rounds; round += 1) {
      for (let from = 0; from < events; from += PRODUCTS_PER_CALL) {
        const products = Array.from({ length: PRODUCTS_PER_CALL }, (_, index) => ({
          code: `P${from + index}`,
          name: `Shoe ${round}`,
          price: 10 + round,
          variants: [{ code: `V${from + index}` }],
        }));
        await call(`${base}/int/products`, shop.token, { products });
      }
      receiver.start();
      const worker = await startServiceProcess(url, { WEBHOOK_NETWORKS: '127.0.0.1', WORKER: 'inline' });
      rates.push(await receiver.measureRate(events));
      worker.stop();
      await pause(1_000);
    }
  } finally {
    service.stop();
    receiver.stop();
  }
  const rate = median(rates);
  if (rate < MIN_PER_SECOND) process.exitCode = 1;
  print('| webhooks | | must |');
  print('| --- | --- | --- |');
  print(`| deliveries of one worker to one endpoint | ${Math.round(rate)}/s | ≥ ${MIN_PER_SECOND} |`);
}

async function openReceiver() {
  let times: number[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      times.push(performance.now());
      response.writeHead(204).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    start: () => void (times = []),
    /** Waits for `count` events. Returns the events per second between the first event and the last one. */
    measureRate: async (count: number): Promise<number> => {
      const deadline = performance.now() + TIMEOUT_MS;
      while (times.length < count && performance.now() < deadline) await pause(20);
      const [firstMs = 0, lastMs = 0] = [times[0], times[count - 1]];
      if (times.length < count) throw new Error(`Only ${times.length} of ${count} events were delivered`);
      return ((count - 1) / (lastMs - firstMs)) * 1_000;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
