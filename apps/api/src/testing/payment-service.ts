import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useWholeBody } from './whole-body.js';

export interface ReceivedRefund {
  readonly payment_id: number;
  readonly payment_method: string;
  readonly reference: string | null;
  readonly amount: number;
  readonly key: string;
}

/** A payment service that answers every refund with `status`. */
export interface PaymentService {
  readonly url: string;
  /** Refunds received so far; a test may empty the list. */
  readonly receivedRefunds: ReceivedRefund[];
  status: number;
  close(): void;
}

export async function startPaymentService(): Promise<PaymentService> {
  const receivedRefunds: ReceivedRefund[] = [];
  const server = createServer((request, response) => {
    useWholeBody(request, (body) => {
      receivedRefunds.push({
        ...(JSON.parse(String(body)) as Omit<ReceivedRefund, 'key'>),
        key: String(request.headers['idempotency-key']),
      });
      response.writeHead(service.status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: PaymentService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/refunds`,
    receivedRefunds,
    status: 200,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
  return service;
}
