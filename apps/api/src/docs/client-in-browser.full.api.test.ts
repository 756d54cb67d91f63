import { build } from 'esbuild';
import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasChromium } from '../testing/chromium.js';
import { startPageServer, type PageServer } from '../testing/page-server.js';
import { testApi, type TestApi } from '../testing/test-api.js';

const FILE_BYTES = 16_000_000;
const KEY = 'a secret of some length';

async function bundle(code: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    platform: 'browser',
    format: 'esm',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

describe('the client in a browser', () => {
  it('imports no module of Node', async () => {
    expect(await bundle(`import * as client from '@back-office/client'; report(client)`)).not.toContain('node:');
  });
});

const PAGE = `
import { ApiError, createClient, verifyWebhook } from '@back-office/client';

export async function check({ origin, token, webhook, secret, now, bytes }) {
  const service = createClient({ baseUrl: origin + '/api/v2', token });
  const slow = createClient({ baseUrl: location.origin + '/api/v2', token: 'x', retries: { baseDelayMs: 1 } });
  const file = new File([new Uint8Array(bytes)], 'data.txt', { type: 'text/plain' });
  const progress = [];
  const onProgress = (event) => progress.push(event);
  const stored = await service.upload('/cdn/files', { body: { file: new File(['hello'], 'a.txt'), tags: ['a'] }, onProgress });
  const [last] = progress.splice(0).slice(-1);
  const streamed = await service.upload('/cdn/files', { body: { file: new Blob(['hello']).stream() }, fileName: 'b.txt', onProgress });
  progress.splice(0);
  const repeated = await slow.upload('/cdn/files', { body: { file }, onProgress });
  const slowProgress = progress.splice(0);
  const controller = new AbortController();
  const aborted = await slow
    .upload('/cdn/files', { body: { file }, onProgress: () => controller.abort(), signal: controller.signal })
    .catch((error) => error.name);
  const names = [];
  for await (const { filename } of service.all('/cdn/files', { query: { pageSize: 1 } })) names.push(filename);
  const refusal = await service.put('/warehouse', { body: { warehouses: [{ code: 'A' }] } }).catch((error) => error);
  const event = await verifyWebhook(secret, webhook.headers, webhook.body, { now: new Date(now) });
  const forged = await verifyWebhook(secret, webhook.headers, webhook.body + ' ', { now: new Date(now) }).catch((error) => error.name);
  return {
    stored: stored.data, last, streamed: streamed.data, repeated, slowProgress, aborted, names, event, forged,
    refusal: { isApiError: refusal instanceof ApiError, status: refusal.status, key: refusal.key, hasId: !!refusal.requestId },
  };
}`;

interface Checked {
  readonly slowProgress: readonly { sentBytes: number; totalBytes: number; attempt: number }[];
}

if (hasChromium)
  describe('the client in Chromium', () => {
    let server: PageServer;
    let api: TestApi;
    const keys: unknown[] = [];

    /** Answers the first upload with 503 and later uploads with 201, and reads every body slowly. */
    async function readSlowly(request: IncomingMessage, response: ServerResponse): Promise<void> {
      // A browser also requests an icon for the page.
      if (request.method === 'POST') keys.push(request.headers['idempotency-key']);
      for await (const chunk of request) if ((chunk as Buffer).length > 0) await wait(4);
      response.writeHead(keys.length === 1 ? 503 : 201, { 'Content-Type': 'application/json' });
      response.end('{"data":{"id":5}}');
    }

    beforeAll(async () => {
      // A cancelled upload ends its connection, so reading its body fails.
      server = await startPageServer((request, response) => void readSlowly(request, response).catch(() => {}));
      api = await testApi({ CORS_ORIGINS: server.origin });
    });
    afterAll(async () => {
      await api.close();
      await server.close();
    });

    it('uploads with progress, retries, cancels, lists records, reports errors and verifies webhooks', async () => {
      const { token } = await api.app();
      const timestamp = '1764000000';
      const body = '{"type":"proforma.paid"}';
      const digest = createHmac('sha256', KEY).update(`m.${timestamp}.${body}`);
      const headers = {
        'webhook-id': 'm',
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${digest.digest('base64')}`,
      };
      const options = {
        origin: api.origin,
        token,
        webhook: { headers, body },
        secret: `whsec_${btoa(KEY)}`,
        now: Number(timestamp) * 1_000,
        bytes: FILE_BYTES,
      };
      const checked = await server.run(
        `${(await bundle(PAGE)).replace(/export \{[^}]*\};/, '')}\nreport(await check(${JSON.stringify(options)}));`,
      );
      expect(checked).toMatchObject({
        stored: { filename: 'a.txt', tags: ['a'], size: 5 },
        last: { attempt: 1 },
        streamed: { filename: 'b.txt', size: 5 },
        repeated: { data: { id: 5 } },
        aborted: 'AbortError',
        names: ['a.txt', 'b.txt'],
        event: { type: 'proforma.paid' },
        forged: 'WebhookError',
        refusal: { isApiError: true, status: 422, hasId: true },
      });
      const { slowProgress } = checked as Checked;
      expect(slowProgress.at(-1)).toMatchObject({ attempt: 2 });
      for (const { totalBytes } of slowProgress) expect(totalBytes).toBeGreaterThan(FILE_BYTES);
      expect(slowProgress.at(-1)?.sentBytes).toBe(slowProgress.at(-1)?.totalBytes);
      const steps = slowProgress.filter(({ attempt }) => attempt === 2).map(({ sentBytes }) => sentBytes);
      expect(steps.length).toBeGreaterThan(2);
      expect(steps).toEqual([...steps].sort((a, b) => a - b));
      expect(keys.slice(0, 2)).toEqual([keys[0], keys[0]]);
      expect(keys[2]).not.toBe(keys[0]);
    }, 60_000);
  });
