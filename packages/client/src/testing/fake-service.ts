import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Planned {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Closes the connection before the response or within it. */
  readonly breaks?: 'before' | 'within';
  /** Never responds. */
  readonly hangs?: boolean;
}

export interface FakeService {
  readonly baseUrl: string;
  readonly received: Received[];
  /** Sets the next responses in order; the last one is repeated. */
  plan(...responses: Planned[]): void;
  close(): Promise<void>;
}

export async function startFakeService(): Promise<FakeService> {
  const received: Received[] = [];
  let planned: Planned[] = [];
  const server = createServer((request, response) => {
    const receive = (body: Buffer): void => {
      received.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      const next = (planned.length > 1 ? planned.shift() : planned[0]) ?? {};
      respond(response, next);
    };
    // A call with a timeout can end its connection within the body.
    void readBody(request).then(receive, () => {});
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v2`,
    received,
    plan: (...responses) => {
      received.length = 0;
      planned = responses;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function respond(response: ServerResponse, { status = 200, headers, body, breaks, hangs }: Planned): void {
  if (hangs) return;
  if (breaks === 'before') {
    response.destroy();
    return;
  }
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { ...(text !== '' && { 'Content-Type': 'application/json' }), ...headers });
  if (breaks === 'within') response.write('{"data": ', () => response.destroy());
  else response.end(text);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
