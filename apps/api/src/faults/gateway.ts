import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/**
 * How the payment service answers: `done and silent` pays without an answer, `refused` never pays, and `twice` sends a
 * second answer, a refusal, that belongs to no request.
 */
export type Manner = 'well' | 'twice' | 'broken' | 'silent' | 'done and silent' | 'done and cut' | 'refused';

interface Asked {
  readonly payment_id: number;
  readonly amount: number;
}

/** A payment service that pays each key once, whatever it answers. */
export class Gateway {
  private present: Manner = 'well';
  private asked = 0;
  /** Paid refunds by idempotency key. */
  readonly books = new Map<string, Asked>();

  private constructor(
    readonly url: string,
    readonly stop: () => void,
  ) {}

  set manner(manner: Manner) {
    this.present = manner;
    this.asked = 0;
  }

  /** Waits for a request since the manner was set; false after the timeout. */
  async isAsked(withinMs: number): Promise<boolean> {
    const end = Date.now() + withinMs;
    while (this.asked === 0 && Date.now() < end) await pause(50);
    return this.asked > 0;
  }

  static async start(): Promise<Gateway> {
    const server = createServer((request, response) => {
      void json(request).then((body) => {
        const key = String(request.headers['idempotency-key']);
        const { present: manner } = gateway;
        gateway.asked += 1;
        if (manner === 'broken') return response.writeHead(500).end();
        if (manner === 'refused') return response.writeHead(422).end();
        if (manner === 'silent') return undefined;
        gateway.books.set(key, body as Asked);
        if (manner === 'done and silent') return undefined;
        if (manner === 'done and cut') return void request.socket.destroy();
        response.writeHead(200, { 'Content-Length': 0 }).end();
        if (manner === 'twice') request.socket.write('HTTP/1.1 422 Unprocessable Entity\r\nContent-Length: 0\r\n\r\n');
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
