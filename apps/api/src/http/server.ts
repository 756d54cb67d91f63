import { randomUUID } from 'node:crypto';
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The edge's share of the timeout ladder, in ms, and the largest request head in bytes. */
export const EDGE = {
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2_000,
  maxHeaderSize: 128 * 1024,
} as const;

const DRAIN_MS = 20_000;
const IDLE_CHECK_MS = 100;

export interface EdgeServer {
  readonly server: Server;
  /** Stops accepting, lets running calls finish (at most 20 s), then closes everything. */
  drain(): Promise<void>;
}

export function edgeServer(listener: RequestListener): EdgeServer {
  let draining = false;
  const running = new Set<ServerResponse>();
  // Node's own answer to a missing host has no body.
  const server = createServer({ ...EDGE, requireHostHeader: false }, (request, response) => {
    if (draining) response.setHeader('Connection', 'close');
    running.add(response);
    response.once('close', () => running.delete(response));
    // What follows on a refused connection may be a request hidden in the body of the one before.
    if (refused.has(request.socket)) return;
    if (isReadable(request)) listener(request, response);
    else refuse(request.socket, 400);
  });
  server.on('clientError', refuseUnreadable);
  server.on('checkExpectation', (request: IncomingMessage) => refuse(request.socket, 400));
  const drain = async (): Promise<void> => {
    draining = true;
    for (const response of running) if (!response.headersSent) response.setHeader('Connection', 'close');
    await closed(server);
  };
  return { server, drain };
}

/** Node hands any transfer encoding to the handler as if it had been decoded, and of two hosts only the first. */
function isReadable({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  const encoding = headers['transfer-encoding'];
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  return (
    (encoding?.toLowerCase() ?? 'chunked') === 'chunked' && (hosts === 1 || (hosts === 0 && httpVersion === '1.0'))
  );
}

const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** What Node's parser refuses never reaches a handler; it gets the interface's error shape all the same. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (refused.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else refuse(socket as Socket, STATUS_OF_CODE[error.code ?? ''] ?? 400);
}

const LINGER_MS = 2_000;
const refused = new WeakSet<Duplex>();

/** Answers on the connection itself and closes it; the client has a moment to read the answer. */
function refuse(socket: Socket, status: number): void {
  refused.add(socket);
  const reason = STATUS_CODES[status];
  const body = JSON.stringify({ errors: { detail: status === 413 ? 'Request Entity Too Large' : reason } });
  const head = [
    `HTTP/1.1 ${status} ${reason}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  socket.setTimeout(LINGER_MS, () => socket.destroy());
}

async function closed(server: Server): Promise<void> {
  const done = new Promise((resolve) => server.close(resolve));
  // A keep-alive connection that falls idle after close() would be waited for until its timeout.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const limit = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  server.closeIdleConnections();
  await done;
  clearInterval(idle);
  clearTimeout(limit);
}
