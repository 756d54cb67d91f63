import { randomUUID } from 'node:crypto';
import {
  createServer,
  STATUS_CODES,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How long a client may take, in ms. */
export interface Patience {
  readonly head: number;
  readonly jsonBody: number;
  /** The whole of it, an upload too. */
  readonly request: number;
  /** Between two requests on one connection. */
  readonly idle: number;
  /** Neither sending nor reading, in the midst of a request. Longer than that, so that a slow one is told so first. */
  readonly silence: number;
  /** How often the connections are looked through for those whose time is over. */
  readonly check: number;
  /** What still runs when the process is told to stop. */
  readonly drain: number;
}

/** The edge's share of the timeout ladder. */
export const PATIENCE: Patience = {
  head: 10_000,
  jsonBody: 30_000,
  request: 120_000,
  idle: 65_000,
  silence: 130_000,
  check: 2_000,
  drain: 20_000,
};

const LARGEST_HEAD = 128 * 1024;
const IDLE_CHECK_MS = 100;

export interface EdgeServer {
  readonly server: Server;
  /** Stops accepting, lets running calls finish for a while, then closes everything. */
  drain(): Promise<void>;
}

/** The classes of requests and responses, where the listener wants its own. */
export type Messages = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;

export function edgeServer(
  listener: RequestListener,
  patience: Patience = PATIENCE,
  messages: Messages = {},
): EdgeServer {
  let draining = false;
  const running = new Set<ServerResponse>();
  const server = createServer({ ...optionsOf(patience), ...messages }, (request, response) => {
    if (draining) response.setHeader('Connection', 'close');
    running.add(response);
    response.once('close', () => running.delete(response));
    // What follows on a refused connection may be a request hidden in the body of the one before.
    if (refused.has(request.socket)) return;
    if (isReadable(request)) listener(request, response);
    else refuse(request.socket, 400);
  });
  // Of more than that Node would drop the rest without a word; how large a head may be is what limits them.
  server.maxHeadersCount = 0;
  // A client that does not read its answer would keep it, and its connection, for ever.
  server.timeout = patience.silence;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const before = [...running].filter(({ req }) => req.socket === socket);
    // What cannot be read may be more of a request that is being answered, or come behind some that are.
    if (before.some(({ req }) => !req.complete)) return refuseUnreadable(error, socket);
    void Promise.all(before.map(answeredOrGone)).then(() => refuseUnreadable(error, socket));
  });
  server.on('checkExpectation', (request: IncomingMessage) => refuse(request.socket, 400));
  const drain = async (): Promise<void> => {
    draining = true;
    for (const response of running) if (!response.headersSent) response.setHeader('Connection', 'close');
    await closed(server, patience.drain);
  };
  return { server, drain };
}

function optionsOf({ head, request, idle, check }: Patience): ServerOptions {
  return {
    headersTimeout: head,
    requestTimeout: request,
    keepAliveTimeout: idle,
    connectionsCheckingInterval: check,
    maxHeaderSize: LARGEST_HEAD,
    // Node's own answer to a missing host has no body.
    requireHostHeader: false,
  };
}

/** Node hands any transfer encoding to the handler as if it had been decoded, and of two hosts only the first. */
function isReadable({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  const encoding = headers['transfer-encoding'];
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  return (
    (encoding?.toLowerCase() ?? 'chunked') === 'chunked' && (hosts === 1 || (hosts === 0 && httpVersion === '1.0'))
  );
}

function answeredOrGone(response: ServerResponse): Promise<unknown> {
  return new Promise((resolve) => response.once('close', resolve));
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

async function closed(server: Server, drain: number): Promise<void> {
  const done = new Promise((resolve) => server.close(resolve));
  // A keep-alive connection that falls idle after close() would be waited for until its timeout.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const limit = setTimeout(() => server.closeAllConnections(), drain);
  server.closeIdleConnections();
  await done;
  clearInterval(idle);
  clearTimeout(limit);
}
