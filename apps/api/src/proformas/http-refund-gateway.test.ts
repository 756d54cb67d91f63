import type { RefundRequest } from '@back-office/proforma';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { HttpRefundGateway } from './http-refund-gateway.js';

const REQUEST: RefundRequest = {
  idempotencyKey: 'refund-1-42',
  appId: 1,
  proformaId: 7,
  proformaNumber: 'P-2026-7K2M9Q',
  refundId: 42,
  paymentId: 40,
  paymentMethod: 'Card',
  reference: 'tx-1',
  amount: 129_050,
  currency: 'RSD',
};

let server: Server;
let handleRequest: RequestListener;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => handleRequest(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/refunds`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const requestRefund = (timeoutMs = 2_000, request = REQUEST) =>
  new HttpRefundGateway(url, 'secret', timeoutMs).refund(request);
const answerWith = (status: number, body = '', headers: Record<string, string> = {}): void => {
  handleRequest = (_, response) => response.writeHead(status, headers).end(body);
};

describe('HttpRefundGateway', () => {
  it('sends a single POST with the refund and its idempotency key', async () => {
    const receivedRequest: { request?: IncomingMessage; body?: unknown } = {};
    handleRequest = (request, response) => {
      receivedRequest.request = request;
      void text(request).then((body) => {
        receivedRequest.body = JSON.parse(body);
        response.writeHead(200).end('{"status": "refunded"}');
      });
    };
    expect(await requestRefund()).toBe('refunded');
    expect(receivedRequest.request).toMatchObject({
      method: 'POST',
      url: '/refunds',
      headers: { 'idempotency-key': 'refund-1-42', authorization: 'Bearer secret', 'content-type': 'application/json' },
    });
    expect(receivedRequest.body).toEqual({
      idempotency_key: 'refund-1-42',
      app_id: 1,
      proforma_id: 7,
      payment_id: 40,
      amount: 1290.5,
      currency: 'RSD',
      refund_id: 42,
      proforma_number: 'P-2026-7K2M9Q',
      payment_method: 'Card',
      reference: 'tx-1',
    });
  });

  it('times out after ten seconds by default', async () => {
    const { timeout } = AbortSignal;
    const timeouts: number[] = [];
    const controller = new AbortController();
    AbortSignal.timeout = (ms) => {
      timeouts.push(ms);
      return controller.signal;
    };
    try {
      handleRequest = () => controller.abort(new DOMException('Timed out', 'TimeoutError'));
      expect(await new HttpRefundGateway(url, 'secret').refund(REQUEST)).toBe('unknown');
    } finally {
      AbortSignal.timeout = timeout;
    }
    expect(timeouts).toEqual([10_000]);
  });

  it('sends no Authorization without a token', async () => {
    let authorization: string | undefined = 'nothing was asked';
    handleRequest = (request, response) => {
      authorization = request.headers.authorization;
      response.writeHead(204).end();
    };
    expect(await new HttpRefundGateway(url, undefined).refund(REQUEST)).toBe('refunded');
    expect(authorization).toBeUndefined();
  });

  it.each([
    [200, '{"status": "refunded"}', 'refunded'],
    [200, '', 'refunded'],
    [200, 'ok', 'refunded'],
    [201, '{}', 'refunded'],
    [202, '{"status": "queued"}', 'refunded'],
    [204, '', 'refunded'],
    [400, '', 'failed'],
    [404, '{"status": "refunded"}', 'failed'],
    [422, '{}', 'failed'],
    [302, '', 'unknown'],
    [408, '', 'unknown'],
    [409, '', 'unknown'],
    [429, '', 'unknown'],
    [500, '{"status": "failed"}', 'unknown'],
    [503, '', 'unknown'],
  ])('maps the answer %d %s to %s', async (status, body, outcome) => {
    answerWith(status, body, status === 302 ? { Location: '/refunds' } : {});
    expect(await requestRefund()).toBe(outcome);
  });

  it('returns unknown when no answer arrives in time', async () => {
    handleRequest = () => {};
    const startedAtMs = performance.now();
    expect(await requestRefund(200)).toBe('unknown');
    expect(performance.now() - startedAtMs).toBeLessThan(1_500);
  });

  it('returns refunded for a 2xx status even when the body never ends', async () => {
    handleRequest = (_, response) => void response.writeHead(200).write('{"status": "refun');
    expect(await requestRefund(200)).toBe('refunded');
  });

  it('returns unknown when the connection breaks', async () => {
    handleRequest = (request) => request.socket.destroy();
    expect(await requestRefund()).toBe('unknown');
  });

  it('stops reading an endless body', async () => {
    let writtenBytes = 0;
    const connectionClosed = new Promise<void>((resolve) => {
      handleRequest = (_, response) => {
        response.once('close', resolve).writeHead(200);
        const writeMore = (): void => {
          writtenBytes += 16_384;
          if (!response.destroyed && response.write(' '.repeat(16_384))) setImmediate(writeMore);
          else if (!response.destroyed) response.once('drain', writeMore);
        };
        writeMore();
      };
    });
    expect(await requestRefund(5_000)).toBe('refunded');
    await connectionClosed;
    expect(writtenBytes).toBeLessThan(64 * 1024 ** 2);
  });

  it('returns unknown when no server listens at the address', async () => {
    expect(await new HttpRefundGateway('http://127.0.0.1:9/refunds', undefined).refund(REQUEST)).toBe('unknown');
  });
});
