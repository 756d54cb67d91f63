import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { exchangeBytes, RawHttp } from '../testing/raw-http.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { BASE_PATH } from './base-path.js';
import { edgeServer, PATIENCE } from './server.js';

const IMPATIENT = { head: 400, jsonBody: 500, request: 2_500, idle: 300, check: 50 };

let api: TestApi;
let http: RawHttp;
let shop: Client;

beforeAll(async () => {
  api = await testApi({}, IMPATIENT);
  http = new RawHttp(api.origin);
  shop = await api.app();
});
afterAll(async () => {
  http.close();
  await api.close();
});

const TIMED_OUT = '{"errors":{"detail":"Request Timeout"}}';
const headOf = (lines: readonly string[]) => [...lines, 'Host: x', `Authorization: Bearer ${shop.token}`].join('\r\n');
const postOf = (path: string, type: string, length: number) =>
  `${headOf([`POST ${BASE_PATH}${path} HTTP/1.1`, `Content-Type: ${type}`, `Content-Length: ${length}`])}\r\n\r\n`;

/** What comes back to who writes the bytes and then one more every 50 ms, until the server closes the connection. */
async function drip(bytes: string): Promise<{ readonly answer: string; readonly milliseconds: number }> {
  const { hostname, port } = new URL(api.origin);
  const socket = connect(Number(port), hostname);
  const started = performance.now();
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  socket.on('error', () => {});
  socket.write(bytes);
  const more = setInterval(() => bytes !== '' && socket.write('x'), 50);
  await once(socket, 'close');
  clearInterval(more);
  return { answer, milliseconds: performance.now() - started };
}

describe('a client that takes its time', () => {
  it.each([
    ['with its first byte', () => '', IMPATIENT.head],
    ['with its head', () => headOf(['GET /api/v2/app/settings HTTP/1.1']), IMPATIENT.head],
    [
      'with a JSON body',
      () => `${postOf('/customers', 'application/json', 10_000)}{"customer":{"email":"`,
      IMPATIENT.jsonBody,
    ],
    [
      'with a file',
      () =>
        `${postOf('/cdn/files', 'multipart/form-data; boundary=b', 10_000)}--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n`,
      IMPATIENT.request,
    ],
  ])('%s is told so (408) and the connection closed', async (_, bytes, patience) => {
    const { answer, milliseconds } = await drip(bytes());
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(answer.endsWith(TIMED_OUT)).toBe(true);
    expect(milliseconds).toBeGreaterThan(patience * 0.9);
    expect(milliseconds).toBeLessThan(patience + 1_500);
  });

  it('leaves nothing of its file behind', async () => {
    for (let round = 0; round < 50 && (await readdir(join(api.dataDir, 'uploads'))).length > 0; round += 1)
      await pause(20);
    expect(await readdir(join(api.dataDir, 'uploads'))).toEqual([]);
    expect((await shop.get('/cdn/files')).body.data.files).toEqual([]);
  });

  it('does not keep others waiting, however many like it there are', async () => {
    const slow = Array.from({ length: 200 }, () => drip(headOf(['GET /api/v2/app/settings HTTP/1.1'])));
    await pause(100);
    const started = performance.now();
    expect((await shop.get('/app/settings')).status).toBe(200);
    expect(performance.now() - started).toBeLessThan(1_000);
    for (const { answer } of await Promise.all(slow)) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('between two requests loses its connection, and no sooner', async () => {
    const { hostname, port } = new URL(api.origin);
    const socket = connect(Number(port), hostname);
    for (let turn = 0; turn < 3; turn += 1) {
      socket.write(`${headOf(['GET /api/v2/app/settings HTTP/1.1'])}\r\n\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer.toString()).toMatch(/\r\nConnection: keep-alive\r\n/i);
      await pause(IMPATIENT.idle / 3);
    }
    const started = performance.now();
    socket.resume();
    await once(socket, 'close');
    expect(performance.now() - started).toBeLessThan(IMPATIENT.idle + 2_500);
  });
});

describe('a client that does not read its answer', () => {
  const ENDLESS = 500 * 1024 ** 2;
  it('loses its connection', async () => {
    let answered: ServerResponse | undefined;
    const edge = edgeServer(
      (_request, response) => {
        answered = response;
        response.setHeader('Content-Length', ENDLESS);
        response.write(Buffer.alloc(ENDLESS / 10));
      },
      { ...PATIENCE, silence: 300 },
    );
    edge.server.listen(0);
    await once(edge.server, 'listening');
    const socket = connect((edge.server.address() as AddressInfo).port, '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(edge.server, 'request');
    await once(answered as ServerResponse, 'close');
    expect(answered?.writableFinished).toBe(false);
    socket.destroy();
    await edge.drain();
  });
});

describe('a service as it is run', () => {
  it('gives slow clients up: 10 s for a head, 120 s for a request, 65 s between two, looked after every 2 s, 130 s of silence', () => {
    const { server } = edgeServer(() => {});
    expect(server).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 120_000,
      keepAliveTimeout: 65_000,
      timeout: 130_000,
    });
    expect(PATIENCE).toMatchObject({ jsonBody: 30_000, check: 2_000, drain: 20_000 });
  });
});

describe('requests that do not wait for the answers before them', () => {
  it('are answered in their order, each for itself', async () => {
    const get = (id: string, path: string, more = '') =>
      `${headOf([`GET ${path} HTTP/1.1`, `X-Request-Id: ${id}`])}${more}\r\n\r\n`;
    const body = '{"customer":{"email":"p@example.com","first_name":"A","last_name":"B"}}';
    const answers = await exchangeBytes(
      api.origin,
      [
        get('one', '/api/v2/orders?limit=10000'),
        `${postOf('/customers', 'application/json\r\nX-Request-Id: two', body.length)}${body}`,
        get('three', '/api/v2/nowhere'),
        get('four', '/api/v2/customers', '\r\nConnection: close'),
      ].join(''),
    );
    const seen = [...answers.matchAll(/HTTP\/1\.1 (\d{3}) .*?\r\nX-Request-Id: (\w+)/gs)].map(([, status, id]) => [
      id,
      status,
    ]);
    expect(seen).toEqual([
      ['one', '200'],
      ['two', '201'],
      ['three', '404'],
      ['four', '200'],
    ]);
  });
});

describe('a head of very many headers', () => {
  it('is read to its end, and at once', async () => {
    const many = Array.from({ length: 15_000 }, (_, index) => `a${index % 10}: b`).join('\r\n');
    const started = performance.now();
    const answer = await exchangeBytes(
      api.origin,
      `GET /api/v2/app/settings HTTP/1.1\r\nHost: x\r\n${many}\r\nAuthorization: Bearer ${shop.token}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('has its second Host seen, wherever that stands', async () => {
    const many = Array.from({ length: 5_000 }, () => 'a: b').join('\r\n');
    const answer = await exchangeBytes(
      api.origin,
      `GET /api/v2/nowhere HTTP/1.1\r\nHost: x\r\n${many}\r\nHost: y\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('an answer', () => {
  it.each([
    ['of a call', () => shop.token, '/app/settings'],
    ['without a token', () => '', '/app/settings'],
    ['of no call', () => shop.token, '/nowhere'],
  ])('%s tells browsers to be careful', async (_, token, path) => {
    const { headers } = await http.call({ path: BASE_PATH + path, headers: { Authorization: `Bearer ${token()}` } });
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
      'strict-transport-security': 'max-age=31536000; includeSubDomains',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'cross-origin',
      'x-dns-prefetch-control': 'off',
      'x-download-options': 'noopen',
      'x-permitted-cross-domain-policies': 'none',
      'cache-control': 'no-store',
    });
    for (const name of ['x-powered-by', 'server', 'access-control-allow-origin', 'set-cookie', 'ratelimit']) {
      expect(headers).not.toHaveProperty(name);
    }
  });
});

describe('a server that is told to stop', () => {
  /** A server whose only call ends when the test says so, and a client of it on a kept connection. */
  async function busyServer(patience = {}) {
    let answer: ((response: ServerResponse) => void) | undefined;
    const called = new Promise<ServerResponse>((resolve) => (answer = resolve));
    const edge = edgeServer((_request, response) => answer?.(response), { ...PATIENCE, ...patience });
    edge.server.listen(0);
    await once(edge.server, 'listening');
    const socket: Socket = connect((edge.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    let got = '';
    socket.on('data', (chunk: Buffer) => (got += chunk.toString()));
    return { edge, response: await called, socket, text: () => got };
  }

  it('does not wait for the connection of a call that has ended since, though it was promised to be kept', async () => {
    const { edge, response, socket, text } = await busyServer();
    response.writeHead(200, { 'Content-Length': 3 });
    response.write('a');
    const stopped = edge.drain();
    await pause(50);
    const started = performance.now();
    response.end('bc');
    await Promise.all([stopped, once(socket, 'close')]);
    expect(performance.now() - started).toBeLessThan(1_500);
    expect(text()).toMatch(/\r\nConnection: keep-alive\r\n[^]*abc$/i);
  });

  it('says so in the answers of calls that still run', async () => {
    const { edge, response, socket, text } = await busyServer();
    const stopped = edge.drain();
    response.end('late');
    await Promise.all([stopped, once(socket, 'close')]);
    expect(text()).toMatch(/\r\nConnection: close\r\n/i);
  });

  it('waits for a call that does not end no longer than it may', async () => {
    const { edge, socket } = await busyServer({ drain: 300 });
    const started = performance.now();
    const closed = once(socket, 'close');
    await edge.drain();
    await closed;
    expect(performance.now() - started).toBeGreaterThan(250);
    expect(performance.now() - started).toBeLessThan(2_500);
  });
});
