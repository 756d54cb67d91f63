import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpWebhookSender, type SenderOptions } from './http-webhook-sender.js';
import { Targets } from './targets.js';

let server: Server;
let port: number;
let requestCount: number;
let handleRequest: RequestListener;

beforeEach(async () => {
  requestCount = 0;
  server = createServer((request, response) => {
    requestCount += 1;
    request.resume();
    handleRequest(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const TIMEOUTS = { timeoutMs: 1_000, bodyTimeoutMs: 200 };
const send = (
  networks: readonly string[],
  host = '127.0.0.1',
  protocol = 'http',
  options: SenderOptions = TIMEOUTS,
) => {
  const sender = new HttpWebhookSender(new Targets(networks), () => new Date('2026-11-21T10:00:00Z'), options);
  return sender.send({ url: `${protocol}://${host}:${port}/`, headers: { 'webhook-id': 'msg_1' }, body: '{}' });
};
const LOOPBACK = ['127.0.0.1', '::1'];

describe('HttpWebhookSender', () => {
  it('returns the status, the pause that the receiver asks for, and the first kilobyte of the body', async () => {
    handleRequest = (_, response) => response.writeHead(503, { 'Retry-After': '30' }).end(`a\0${'x'.repeat(100_000)}`);
    const answer = await send(LOOPBACK);
    expect(answer).toEqual({ status: 503, retryAfterSeconds: 30, text: `a\uFFFD${'x'.repeat(1_022)}` });
  });

  it.each([
    ['an address', '127.0.0.1', 'forbidden_target'],
    // Otherwise a caller could find out which names the inner network has.
    ['a name', 'localhost', 'connection_failed'],
  ])('sends nothing to %s in a private network', async (_, host, error) => {
    expect(await send([], host, 'https')).toEqual({ error });
    expect(await send(['10.0.0.0/8'], host)).toEqual({ error });
    expect(requestCount).toBe(0);
  });

  it.each(['https://shop.example/\r\nX: y', 'https://shop.example\\@10.1.2.3/', ' https://shop.example/'])(
    'does not accept %j for a new endpoint',
    (url) => {
      const sender = new HttpWebhookSender(new Targets([]), () => new Date());
      expect([sender.accepts(url), sender.accepts('https://shop.example/')]).toEqual([false, true]);
    },
  );

  it('reaches a host name in a network that the operator allows', async () => {
    handleRequest = (_, response) => response.writeHead(204).end();
    expect(await send(LOOPBACK, 'localhost')).toMatchObject({ status: 204 });
  });

  it('times out when there is no answer', async () => {
    handleRequest = () => {};
    expect(await send(LOOPBACK)).toEqual({ error: 'timeout' });
  });

  it('does not wait for a body that arrives byte by byte', async () => {
    let timer: NodeJS.Timeout | undefined;
    handleRequest = (_, response) => {
      response.writeHead(200);
      timer = setInterval(() => response.write('x'), 20);
    };
    const startMs = performance.now();
    const answer = await send(LOOPBACK, '127.0.0.1', 'http', { timeoutMs: 20_000, bodyTimeoutMs: 200 });
    expect(answer).toMatchObject({ status: 200, text: expect.stringMatching(/^x+$/) });
    expect(performance.now() - startMs).toBeLessThan(10_000);
    clearInterval(timer);
  });

  it('reports a connection that ends early', async () => {
    handleRequest = (request) => request.socket.destroy();
    expect(await send(LOOPBACK)).toEqual({ error: 'connection_failed' });
  });

  it('reports a receiver that switches protocols', async () => {
    handleRequest = (request) =>
      request.socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    expect(await send(LOOPBACK)).toEqual({ error: 'connection_failed' });
  });

  it('sends the request again when the receiver has closed an idle connection', async () => {
    handleRequest = (request, response) => {
      if (requestCount === 2) request.socket.destroy();
      else response.writeHead(200).end();
    };
    const sender = new HttpWebhookSender(new Targets(LOOPBACK), () => new Date(), TIMEOUTS);
    const request = { url: `http://127.0.0.1:${port}/`, headers: {}, body: '{}' };
    expect(await sender.send(request)).toMatchObject({ status: 200 });
    expect(await sender.send(request)).toMatchObject({ status: 200 });
    expect(requestCount).toBe(3);
  });

  it('does not delay a request to a host while other requests to this host hang', async () => {
    handleRequest = (request, response) => {
      if (request.headers['webhook-id'] !== 'held') response.writeHead(200).end();
    };
    const sender = new HttpWebhookSender(new Targets(LOOPBACK), () => new Date(), TIMEOUTS);
    const sendAs = (id: string) =>
      sender.send({ url: `http://127.0.0.1:${port}/`, headers: { 'webhook-id': id }, body: '{}' });
    const heldRequests = Array.from({ length: 40 }, () => sendAs('held'));
    const free = sendAs('free');
    expect(await Promise.race([...heldRequests, free])).toMatchObject({ status: 200 });
    await Promise.all(heldRequests);
  });

  it('does not follow redirects', async () => {
    handleRequest = (_, response) => response.writeHead(301, { Location: '/other' }).end();
    expect(await send(LOOPBACK)).toMatchObject({ status: 301 });
    expect(requestCount).toBe(1);
  });
});
