import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { useWholeBody } from '../../apps/api/src/testing/whole-body.js';

/**
 * Behaviour of the payment service. `done and silent` pays without an answer, `refused` never pays, and `twice` sends
 * an unrequested second answer, a refusal.
 */
export type AnswerMode = 'well' | 'twice' | 'broken' | 'silent' | 'done and silent' | 'done and cut' | 'refused';

interface RefundRequest {
  readonly payment_id: number;
  readonly amount: number;
}

/** A payment service that pays at most once per idempotency key, in every answer mode. */
export class Gateway {
  private currentMode: AnswerMode = 'well';
  private requestCount = 0;
  /** Paid refunds by idempotency key. */
  readonly paidRefunds = new Map<string, RefundRequest>();

  private constructor(
    readonly url: string,
    readonly stop: () => void,
  ) {}

  set mode(mode: AnswerMode) {
    this.currentMode = mode;
    this.requestCount = 0;
  }

  /** Waits until a request arrives in the current mode; returns false after the timeout. */
  async waitForRequest(timeoutMs: number): Promise<boolean> {
    const deadline = Date.now() + timeoutMs;
    while (this.requestCount === 0 && Date.now() < deadline) await pause(50);
    return this.requestCount > 0;
  }

  static async start(): Promise<Gateway> {
    const server = createServer((request, response) => {
      useWholeBody(request, (bytes) => {
        const body: unknown = JSON.parse(String(bytes));
        const key = String(request.headers['idempotency-key']);
        const { currentMode: mode } = gateway;
        gateway.requestCount += 1;
        if (mode === 'broken') return response.writeHead(500).end();
        if (mode === 'refused') return response.writeHead(422).end();
        if (mode === 'silent') return undefined;
        gateway.paidRefunds.set(key, body as RefundRequest);
        if (mode === 'done and silent') return undefined;
        if (mode === 'done and cut') return void request.socket.destroy();
        response.writeHead(200, { 'Content-Length': 0 }).end();
        if (mode === 'twice') request.socket.write('HTTP/1.1 422 Unprocessable Entity\r\nContent-Length: 0\r\n\r\n');
        return undefined;
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const stop = (): void => {
      server.closeAllConnections();
      server.close();
    };
    const gateway: Gateway = new Gateway(`http://127.0.0.1:${(server.address() as AddressInfo).port}/refunds`, stop);
    return gateway;
  }
}
