import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { exchangeBytes, RawHttp } from '../testing/raw-http.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { BASE_PATH } from './base-path.js';
import { createHttpServer, EDGE_TIMEOUTS } from './server.js';

const SHORT_TIMEOUTS = { head: 400, jsonBody: 500, request: 2_500, idle: 300, checkInterval: 50 };

let api: TestApi;
let http: RawHttp;
let shop: Client;

beforeAll(async () => {
  api = await testApi({}, SHORT_TIMEOUTS);
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

async function dripRequest(bytes: string): Promise<{ readonly answer: string; readonly milliseconds: number }> {
  const { hostname, port } = new URL(api.origin);
  const socket = connect(Number(port), hostname);
  const startedAtMs = performance.now();
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
  socket.on('error', () => {});
  socket.write(bytes);
  const dripTimer = setInterval(() => bytes !== '' && socket.write('x'), 50);
  await once(socket, 'close');
  clearInterval(dripTimer);
  return { answer, milliseconds: performance.now() - startedAtMs };
}

describe('a slow client', () => {
  it.each([
    ['with its first byte', () => '', SHORT_TIMEOUTS.head],
    ['with its head', () => headOf(['GET /api/v2/app/settings HTTP/1.1']), SHORT_TIMEOUTS.head],
    [
      'with a JSON body',
      () => `${postOf('/customers', 'application/json', 10_000)}{"customer":{"email":"`,
      SHORT_TIMEOUTS.jsonBody,
    ],
    [
      'with a file',
      () =>
        `${postOf('/cdn/files', 'multipart/form-data; boundary=b', 10_000)}--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n`,
      SHORT_TIMEOUTS.request,
    ],
  ])('gets a 408 and a closed connection when it is slow %s', async (_, bytes, timeoutMs) => {
    const { answer, milliseconds } = await dripRequest(bytes());
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toMatch(/\r\nConnection: close\r\n/i);
    expect(answer.endsWith(TIMED_OUT)).toBe(true);
    expect(milliseconds).toBeGreaterThan(timeoutMs * 0.9);
    expect(milliseconds).toBeLessThan(timeoutMs + 1_500);
  });

  it('leaves no part of its file behind', async () => {
    for (let round = 0; round < 50 && (await readdir(join(api.dataDir, 'uploads'))).length > 0; round += 1)
      await pause(20);
    expect(await readdir(join(api.dataDir, 'uploads'))).toEqual([]);
    expect((await shop.get('/cdn/files')).body.data.files).toEqual([]);
  });

  it('does not delay other clients', async () => {
    const slowClients = Array.from({ length: 200 }, () => dripRequest(headOf(['GET /api/v2/app/settings HTTP/1.1'])));
    await pause(100);
    const startedAtMs = performance.now();
    expect((await shop.get('/app/settings')).status).toBe(200);
    expect(performance.now() - startedAtMs).toBeLessThan(1_000);
    for (const { answer } of await Promise.all(slowClients)) expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('keeps its connection until the idle timeout between requests', async () => {
    const { hostname, port } = new URL(api.origin);
    const socket = connect(Number(port), hostname);
    for (let turn = 0; turn < 3; turn += 1) {
      socket.write(`${headOf(['GET /api/v2/app/settings HTTP/1.1'])}\r\n\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
      expect(answer.toString()).toMatch(/\r\nConnection: keep-alive\r\n/i);
      await pause(SHORT_TIMEOUTS.idle / 3);
    }
    const startedAtMs = performance.now();
    socket.resume();
    await once(socket, 'close');
    expect(performance.now() - startedAtMs).toBeLessThan(SHORT_TIMEOUTS.idle + 2_500);
  });
});

describe('a client that never reads its answer', () => {
  const ENDLESS_BYTES = 500 * 1024 ** 2;
  it('is disconnected', async () => {
    let unreadResponse: ServerResponse | undefined;
    const httpServer = createHttpServer(
      (_request, response) => {
        unreadResponse = response;
        response.setHeader('Content-Length', ENDLESS_BYTES);
        response.write(Buffer.alloc(ENDLESS_BYTES / 10));
      },
      { ...EDGE_TIMEOUTS, silence: 300 },
    );
    httpServer.server.listen(0);
    await once(httpServer.server, 'listening');
    const socket = connect((httpServer.server.address() as AddressInfo).port, '127.0.0.1').pause();
    socket.on('error', () => {});
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(httpServer.server, 'request');
    await once(unreadResponse as ServerResponse, 'close');
    expect(unreadResponse?.writableFinished).toBe(false);
    socket.destroy();
    await httpServer.drain();
  });
});

describe('the default timeouts', () => {
  it('limit the time of request heads, whole requests, idle connections and silent clients', () => {
    const { server } = createHttpServer(() => {});
    expect(server).toMatchObject({
      headersTimeout: 10_000,
      requestTimeout: 120_000,
      keepAliveTimeout: 65_000,
      timeout: 130_000,
    });
    expect(EDGE_TIMEOUTS).toMatchObject({ jsonBody: 30_000, checkInterval: 2_000, drain: 20_000 });
  });
});

describe('pipelined requests', () => {
  it('are answered one by one, in order', async () => {
    const get = (id: string, path: string, headers = '') =>
      `${headOf([`GET ${path} HTTP/1.1`, `X-Request-Id: ${id}`])}${headers}\r\n\r\n`;
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
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d{3}) .*?\r\nX-Request-Id: (\w+)/gs)].map(([, status, id]) => [
      id,
      status,
    ]);
    expect(statuses).toEqual([
      ['one', '200'],
      ['two', '201'],
      ['three', '404'],
      ['four', '200'],
    ]);
  });
});

describe('a head with thousands of headers', () => {
  it('is read completely within 2 s', async () => {
    const manyHeaders = Array.from({ length: 15_000 }, (_, index) => `a${index % 10}: b`).join('\r\n');
    const startedAtMs = performance.now();
    const answer = await exchangeBytes(
      api.origin,
      `GET /api/v2/app/settings HTTP/1.1\r\nHost: x\r\n${manyHeaders}\r\nAuthorization: Bearer ${shop.token}\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(performance.now() - startedAtMs).toBeLessThan(2_000);
  });

  it('is refused when it ends with a second Host header', async () => {
    const manyHeaders = Array.from({ length: 5_000 }, () => 'a: b').join('\r\n');
    const answer = await exchangeBytes(
      api.origin,
      `GET /api/v2/nowhere HTTP/1.1\r\nHost: x\r\n${manyHeaders}\r\nHost: y\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe('an answer', () => {
  it.each([
    ['to a call', () => shop.token, '/app/settings'],
    ['without a token', () => '', '/app/settings'],
    ['to an unknown path', () => shop.token, '/nowhere'],
  ])('%s has the security headers', async (_, token, path) => {
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
    for (const name of ['x-powered-by', 'server', 'access-control-allow-origin', 'set-cookie']) {
      expect(headers).not.toHaveProperty(name);
    }
  });
});

describe('a server that drains', () => {
  async function startBusyServer(timeouts = {}) {
    let resolveCall: ((response: ServerResponse) => void) | undefined;
    const receivedCall = new Promise<ServerResponse>((resolve) => (resolveCall = resolve));
    const httpServer = createHttpServer((_request, response) => resolveCall?.(response), {
      ...EDGE_TIMEOUTS,
      ...timeouts,
    });
    httpServer.server.listen(0);
    await once(httpServer.server, 'listening');
    const socket: Socket = connect((httpServer.server.address() as AddressInfo).port, '127.0.0.1');
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    let receivedText = '';
    socket.on('data', (chunk: Buffer) => (receivedText += chunk.toString()));
    return { httpServer, response: await receivedCall, socket, text: () => receivedText };
  }

  it('closes a keep-alive connection after its call has ended', async () => {
    const { httpServer, response, socket, text } = await startBusyServer();
    response.writeHead(200, { 'Content-Length': 3 });
    response.write('a');
    const draining = httpServer.drain();
    await pause(50);
    const startedAtMs = performance.now();
    response.end('bc');
    await Promise.all([draining, once(socket, 'close')]);
    expect(performance.now() - startedAtMs).toBeLessThan(1_500);
    expect(text()).toMatch(/\r\nConnection: keep-alive\r\n[^]*abc$/i);
  });

  it('sends Connection: close in the answers of running calls', async () => {
    const { httpServer, response, socket, text } = await startBusyServer();
    const draining = httpServer.drain();
    response.end('late');
    await Promise.all([draining, once(socket, 'close')]);
    expect(text()).toMatch(/\r\nConnection: close\r\n/i);
  });

  it('ends a call that exceeds the drain timeout', async () => {
    const { httpServer, socket } = await startBusyServer({ drain: 300 });
    const startedAtMs = performance.now();
    const closing = once(socket, 'close');
    await httpServer.drain();
    await closing;
    expect(performance.now() - startedAtMs).toBeGreaterThan(250);
    expect(performance.now() - startedAtMs).toBeLessThan(2_500);
  });
});
