import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { BASE_PATH } from './base-path.js';
import { answerEarly } from './early-answer.js';
import { listening } from '../testing/varnish.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

const LIMIT = 1_000_000;
const TIMES = 5;
const TOO_LARGE = [413, { errors: { detail: 'Request Entity Too Large' } }];

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi({ UPLOAD_LIMIT: String(LIMIT), JSON_LIMIT: String(LIMIT) });
  shop = await api.app();
});
afterAll(() => api.close());

const authorized = (more: Record<string, string> = {}) => ({ Authorization: `Bearer ${shop.token}`, ...more });
const JSON_TYPE = { 'Content-Type': 'application/json' };

async function* endless(chunks = Infinity): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(65_536).fill(32);
  for (let sent = 0; sent < chunks; sent += 1) yield chunk;
}

function formOf(bytes: number): FormData {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)]), 'film.mp4');
  return form;
}

const streamed = (body: AsyncIterable<Uint8Array>) => ({ body: body as unknown as BodyInit, duplex: 'half' }) as const;
const FORM_HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="film.mp4"\r\n\r\n';

async function* formWithout(end: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(FORM_HEAD);
  yield* end;
}

describe.each<[string, string, () => RequestInit]>([
  ['upload', '/cdn/files', () => ({ headers: authorized(), body: formOf(30 * LIMIT) })],
  [
    'upload of unknown length',
    '/cdn/files',
    () => ({
      headers: authorized({ 'Content-Type': 'multipart/form-data; boundary=b' }),
      ...streamed(formWithout(endless(500))),
    }),
  ],
  ['JSON body', '/customers', () => ({ headers: authorized(JSON_TYPE), body: ' '.repeat(30 * LIMIT) })],
  ['JSON body of unknown length', '/customers', () => ({ headers: authorized(JSON_TYPE), ...streamed(endless(500)) })],
])('an oversized %s', (_, path, init) => {
  it('is answered 413 to a fetch of Node, every time', async () => {
    const answers: unknown[] = [];
    for (let time = 0; time < TIMES; time += 1) {
      const reply = await fetch(api.origin + BASE_PATH + path, { method: 'POST', ...init() });
      answers.push([reply.status, await reply.json()]);
    }
    expect(answers).toEqual(Array.from({ length: TIMES }, () => TOO_LARGE));
  });

  it('is answered 413 to a client that reads no answer before it has sent all', async () => {
    const { headers, body } = new Request(api.origin + BASE_PATH + path, { method: 'POST', ...init() });
    const bytes = Buffer.from(await new Response(body).arrayBuffer());
    const status = await new Promise((resolve, reject) => {
      const sent = request(api.origin + BASE_PATH + path, { method: 'POST', headers: Object.fromEntries(headers) });
      let early: number | undefined;
      sent.on('response', (reply) => {
        early = reply.statusCode;
        reply.resume();
        if (sent.writableFinished) resolve(early);
      });
      sent.on('error', reject);
      sent.end(bytes, () => early !== undefined && resolve(early));
    });
    expect(status).toBe(413);
  });
});

describe('an answer given early', () => {
  it('is counted with its status, though the client hangs up once it has it', async () => {
    await fetch(`${api.origin}${BASE_PATH}/cdn/files`, {
      method: 'POST',
      headers: authorized(),
      body: formOf(30 * LIMIT),
    });
    await pause(100);
    const metrics = await (await fetch(`${api.origin}/metrics`)).text();
    expect(metrics).toContain('http_request_duration_seconds_count{method="POST",route="/cdn/files",status="413"}');
    expect(metrics).not.toContain('status="499"');
  });

  it.each([
    ['silent', 0, 100, 300],
    ['slow', 20, 400, 1_000],
  ])('closes the connection of a %s client in time', async (_, everyMs, atLeast, atMost) => {
    const server = createServer((_request, response) => {
      response.writeHead(413, { 'Content-Length': 3, Connection: 'close' });
      answerEarly(response, 'too', { bytes: 1_000_000, ms: 500, quietMs: 150 });
    });
    const socket = connect(await listening(server), '127.0.0.1');
    socket.on('error', () => {}).resume();
    const started = performance.now();
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
    const drip = everyMs > 0 ? setInterval(() => socket.write('x'), everyMs) : undefined;
    await once(socket, 'end');
    const took = performance.now() - started;
    clearInterval(drip);
    socket.destroy();
    server.close();
    expect([took > atLeast, took < atMost]).toEqual([true, true]);
  });
});

describe('a client that sends for ever', () => {
  it.each([
    ['an upload', '/cdn/files', { 'Content-Type': 'multipart/form-data; boundary=b' }, FORM_HEAD],
    ['JSON', '/customers', JSON_TYPE, '{"customer": "'],
  ])(
    'of %s is answered, and then cut off',
    async (_, path, headers, head) => {
      let [status, bytes] = [0, 0];
      const error = await new Promise<NodeJS.ErrnoException>((resolve) => {
        const sent = request(api.origin + BASE_PATH + path, { method: 'POST', headers: authorized(headers) });
        sent.on('response', (reply) => {
          status = reply.statusCode ?? 0;
          reply.on('error', () => {}).resume();
        });
        sent.on('error', resolve).on('close', () => resolve(new Error('closed')));
        const chunk = Buffer.alloc(1_048_576, 32);
        const write = (): void => {
          while (!sent.destroyed && sent.write(chunk)) bytes += chunk.length;
          bytes += chunk.length;
        };
        sent.on('drain', write).write(head);
        write();
      });
      expect([status, error.message]).toEqual([413, expect.any(String)]);
      expect(bytes).toBeLessThan(400 * 2 ** 20);
    },
    60_000,
  );
});
