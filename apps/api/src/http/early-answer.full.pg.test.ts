import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BASE_PATH } from './base-path.js';
import { answerEarly } from './early-answer.js';
import { startServer, type ServerProcess } from '../testing/server-process.js';
import { listen } from '../testing/varnish.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

const MAX_BODY_BYTES = 1_000_000;
const ATTEMPT_COUNT = 5;
const TOO_LARGE = [413, { errors: { detail: 'Request Entity Too Large' } }];

let api: TestApi;
let shop: Client;
/** The server runs in a separate process, because a client in the same process would read the answer before a reset. */
let server: ServerProcess;
let dataDir: string;

beforeAll(async () => {
  api = await testApi();
  shop = await api.app();
  dataDir = await mkdtemp(join(tmpdir(), 'early-answer-'));
  const limits = { UPLOAD_LIMIT: String(MAX_BODY_BYTES), JSON_LIMIT: String(MAX_BODY_BYTES) };
  server = await startServer({ DATABASE_URL: api.url, DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...limits });
}, 60_000);
afterAll(async () => {
  await server.stop();
  await api.close();
  await rm(dataDir, { recursive: true, force: true });
});

const authorized = (headers: Record<string, string> = {}) => ({ Authorization: `Bearer ${shop.token}`, ...headers });
const JSON_TYPE = { 'Content-Type': 'application/json' };

async function* blankChunks(chunks = Infinity): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(65_536).fill(32);
  for (let count = 0; count < chunks; count += 1) yield chunk;
}

function formOf(bytes: number): FormData {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(bytes)]), 'film.mp4');
  return form;
}

const streamOf = (body: AsyncIterable<Uint8Array>) => ({ body: body as unknown as BodyInit, duplex: 'half' }) as const;
const FORM_HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="film.mp4"\r\n\r\n';

async function* endlessForm(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield Buffer.from(FORM_HEAD);
  yield* content;
}

describe.each<[string, string, () => RequestInit]>([
  ['upload', '/cdn/files', () => ({ headers: authorized(), body: formOf(30 * MAX_BODY_BYTES) })],
  [
    'upload of unknown length',
    '/cdn/files',
    () => ({
      headers: authorized({ 'Content-Type': 'multipart/form-data; boundary=b' }),
      ...streamOf(endlessForm(blankChunks(500))),
    }),
  ],
  ['JSON body', '/customers', () => ({ headers: authorized(JSON_TYPE), body: ' '.repeat(30 * MAX_BODY_BYTES) })],
  [
    'JSON body of unknown length',
    '/customers',
    () => ({ headers: authorized(JSON_TYPE), ...streamOf(blankChunks(500)) }),
  ],
])('an oversized %s', (_, path, init) => {
  it('gets a 413 through fetch in every attempt', async () => {
    const answers: unknown[] = [];
    for (let time = 0; time < ATTEMPT_COUNT; time += 1) {
      const reply = await fetch(server.origin + BASE_PATH + path, { method: 'POST', ...init() });
      answers.push([reply.status, await reply.json()]);
    }
    expect(answers).toEqual(Array.from({ length: ATTEMPT_COUNT }, () => TOO_LARGE));
  });

  it('gets a 413 when the client reads only after sending', async () => {
    const { headers, body } = new Request(server.origin + BASE_PATH + path, { method: 'POST', ...init() });
    const bytes = Buffer.from(await new Response(body).arrayBuffer());
    const status = await new Promise((resolve, reject) => {
      const clientRequest = request(server.origin + BASE_PATH + path, {
        method: 'POST',
        headers: Object.fromEntries(headers),
      });
      let statusBeforeEnd: number | undefined;
      clientRequest.on('response', (reply) => {
        statusBeforeEnd = reply.statusCode;
        reply.resume();
        if (clientRequest.writableFinished) resolve(statusBeforeEnd);
      });
      clientRequest.on('error', reject);
      clientRequest.end(bytes, () => statusBeforeEnd !== undefined && resolve(statusBeforeEnd));
    });
    expect(status).toBe(413);
  });
});

it('a client that cannot send for two seconds gets a 413', async () => {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of blankChunks(100)) {
      yield chunk;
      if (!isBlocked) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
      isBlocked = true;
    }
  }
  let isBlocked = false;
  const reply = await fetch(`${server.origin}${BASE_PATH}/customers`, {
    method: 'POST',
    headers: authorized({ ...JSON_TYPE, 'Content-Length': String(100 * 65_536) }),
    ...streamOf(chunks()),
  });
  expect([reply.status, await reply.json()]).toEqual(TOO_LARGE);
});

describe('an early answer', () => {
  it('is counted with its status even when the client closes the connection', async () => {
    await fetch(`${server.origin}${BASE_PATH}/cdn/files`, {
      method: 'POST',
      headers: authorized(),
      body: formOf(30 * MAX_BODY_BYTES),
    });
    await pause(100);
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    expect(metrics).toContain('http_request_duration_seconds_count{method="POST",route="/cdn/files",status="413"}');
    expect(metrics).not.toContain('status="499"');
  });

  it.each([
    ['silent', 0, 500, 2_900],
    ['slow', 20, 2_900, 10_000],
  ])('closes the connection of a %s client in time', async (_, everyMs, minMs, maxMs) => {
    const plainServer = createServer((_request, response) => {
      response.writeHead(413, { 'Content-Length': 3, Connection: 'close' });
      answerEarly(response, 'too', { maxBytes: 1_000_000, maxMs: 3_000, pauseMs: 600 });
    });
    const socket = connect(await listen(plainServer), '127.0.0.1');
    socket.on('error', () => {}).resume();
    const startedAtMs = performance.now();
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
    const dripTimer = everyMs > 0 ? setInterval(() => socket.write('x'), everyMs) : undefined;
    await once(socket, 'end');
    const elapsedMs = performance.now() - startedAtMs;
    clearInterval(dripTimer);
    socket.destroy();
    plainServer.close();
    expect([elapsedMs > minMs, elapsedMs < maxMs]).toEqual([true, true]);
  });
});

describe('a client that never stops sending', () => {
  it.each([
    ['an upload', '/cdn/files', 'multipart/form-data; boundary=b', FORM_HEAD],
    ['JSON', '/customers', 'application/json', '{"customer": "'],
  ])(
    'gets a 413 at the limit and is disconnected: %s',
    async (_, path, type, bodyStart) => {
      const socket = connect(Number(new URL(server.origin).port), '127.0.0.1');
      let [answer, sentBytes, sentBytesAtAnswer] = ['', 0, 0];
      socket
        .on('error', () => {})
        .on('data', (chunk: Buffer) => {
          sentBytesAtAnswer ||= sentBytes;
          answer += chunk.toString();
        });
      const chunkOf = (text: string) => Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`);
      const blankChunk = chunkOf(' '.repeat(65_536));
      const send = (): void => {
        do sentBytes += blankChunk.length;
        while (!socket.destroyed && socket.write(blankChunk));
      };
      socket.write(
        `POST ${BASE_PATH}${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${shop.token}\r\n` +
          `Content-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`,
      );
      socket.write(chunkOf(bodyStart));
      socket.on('drain', send);
      send();
      await new Promise((resolve) => socket.once('close', resolve));
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
      expect(sentBytesAtAnswer).toBeLessThan(50 * MAX_BODY_BYTES);
      expect(sentBytes).toBeLessThan(300 * 2 ** 20);
    },
    60_000,
  );
});
