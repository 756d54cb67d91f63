import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';

/** How the receiver answers: `flaky` fails one request of ten, `slow` sends its answer byte by byte. */
export type ReceiverMode = 'well' | 'flaky' | 'failing' | 'busy' | 'redirecting' | 'hanging' | 'cutting' | 'slow';

export interface ReceivedEvent {
  readonly id: string;
  readonly subject: string;
  readonly sequence: string;
}

const FAILING_SHARE = 10;

/** Receives webhooks and keeps the accepted events in the order of their answers. */
export class EventReceiver {
  readonly accepted: ReceivedEvent[] = [];
  private currentMode: ReceiverMode = 'well';
  private requestCount = 0;
  private readonly heldSockets = new Set<Socket>();

  private constructor(
    readonly url: string,
    readonly stop: () => void,
  ) {}

  static async start(): Promise<EventReceiver> {
    const server = createServer((request, response) => void receiver.answer(request, response).catch(() => {}));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const stop = (): void => {
      server.closeAllConnections();
      server.close();
    };
    const receiver = new EventReceiver(`http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, stop);
    return receiver;
  }

  set mode(mode: ReceiverMode) {
    this.currentMode = mode;
    for (const socket of this.heldSockets) socket.destroy();
    this.heldSockets.clear();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    this.requestCount += 1;
    const isUnlucky = this.currentMode === 'flaky' && this.requestCount % FAILING_SHARE === 0;
    switch (isUnlucky ? 'failing' : this.currentMode) {
      case 'failing':
        response.writeHead(500).end();
        return;
      case 'busy':
        response.writeHead(429, { 'Retry-After': '1' }).end();
        return;
      case 'redirecting':
        response.writeHead(301, { Location: this.url }).end();
        return;
      case 'hanging':
        this.heldSockets.add(request.socket);
        return;
      case 'cutting':
        request.socket.destroy();
        return;
      case 'well':
      case 'slow':
      case 'flaky': {
        const { id, subject, sequence } = JSON.parse(body) as ReceivedEvent;
        this.accepted.push({ id, subject, sequence });
        response.writeHead(200, { 'Content-Length': 4 });
        if (this.currentMode === 'slow') for (const byte of 'slow') await sendSlowly(response, byte);
        else response.end('done');
      }
    }
  }
}

async function sendSlowly(response: ServerResponse, byte: string): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50));
  response.write(byte);
}
