import { decimalsOf } from '@back-office/kernel';
import { runnerOf } from '@back-office/kernel/testing';
import {
  refundGatewayContract,
  type RefundGatewayFixture,
  type PaidRefund,
  type PayerBehavior,
} from '@back-office/proforma/testing';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { ByHandRefundGateway } from './by-hand-refund-gateway.js';
import { HttpRefundGateway } from './http-refund-gateway.js';

describe('refunds by hand', () => {
  refundGatewayContract(runnerOf(globalThis), async () => ({
    gateway: new ByHandRefundGateway(),
    close: () => Promise.resolve(),
  }));
});

describe('refunds over HTTP', () => {
  refundGatewayContract(runnerOf(globalThis), openHttp);
});

const STATUSES: Partial<Readonly<Record<PayerBehavior, readonly number[]>>> = {
  pays: [200, 201, 204, 299],
  refuses: [422, 400, 402, 404, 410, 426, 430, 499],
  breaks: [500, 300, 408, 409, 425, 429, 503, 599, 302, 399],
};
const [UNAUTHORIZED, UNSUPPORTED] = [401, 415];

interface RefundBody {
  readonly idempotency_key: string;
  readonly app_id: number;
  readonly proforma_id: number;
  readonly proforma_number: string;
  readonly payment_id: number;
  readonly payment_method: string;
  readonly refund_id: number;
  readonly amount: number;
  readonly currency: string;
  readonly reference: string | null;
}

const TIMEOUT_MS = 2_000;

async function openHttp(): Promise<RefundGatewayFixture> {
  let behavior: PayerBehavior = 'pays';
  let requestCount = 0;
  const paidRefunds = new Map<string, RefundBody>();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await json(request)) as RefundBody;
    const refusal = statusOfInvalidHeaders(request);
    if (refusal !== undefined) return void response.writeHead(refusal).end();
    const losesAnswer = behavior === 'hangs up' || behavior === 'loses the answer';
    if (behavior === 'pays' || losesAnswer) paidRefunds.set(String(request.headers['idempotency-key']), body);
    if (losesAnswer) response.destroy();
    requestCount += 1;
    const statuses = STATUSES[behavior] ?? [];
    const status = statuses[requestCount % statuses.length];
    if (status !== undefined) response.writeHead(status, { location: '/elsewhere' }).end();
  };
  const server = createServer((request, response) => {
    if (request.url === '/elsewhere') response.writeHead(200).end();
    else void handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    gateway: new HttpRefundGateway(`http://127.0.0.1:${port}/refunds`, 'secret', TIMEOUT_MS),
    timeoutMs: TIMEOUT_MS,
    payer: {
      behave: (next) => {
        behavior = next;
      },
      paid: ({ refundId }) => [...paidRefunds.values()].filter((body) => body.refund_id === refundId).map(toPaidRefund),
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function statusOfInvalidHeaders({ headers }: IncomingMessage): number | undefined {
  if (headers.authorization !== 'Bearer secret') return UNAUTHORIZED;
  const isJson = headers['content-type'] === 'application/json' && headers.accept === 'application/json';
  return isJson ? undefined : UNSUPPORTED;
}

function toPaidRefund(body: RefundBody): PaidRefund {
  const { currency, reference } = body;
  const amount = Math.round(body.amount * 10 ** decimalsOf(currency));
  const received = {
    idempotencyKey: body.idempotency_key,
    appId: body.app_id,
    proformaId: body.proforma_id,
    proformaNumber: body.proforma_number,
    paymentId: body.payment_id,
    paymentMethod: body.payment_method,
    refundId: body.refund_id,
    amount,
    currency,
    reference,
  };
  return { amount, currency, reference, received };
}
