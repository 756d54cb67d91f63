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

/** Timeouts towards the client, in ms. */
export interface EdgeTimeouts {
  readonly head: number;
  readonly jsonBody: number;
  /** The whole request, uploads included. */
  readonly request: number;
  /** Between two requests on one connection. */
  readonly idle: number;
  /** No data in either direction mid-request; longer than `request`, so slow clients get a 408. */
  readonly silence: number;
  /** Interval of the check for timed-out connections. */
  readonly check: number;
  /** Running calls when the process stops. */
  readonly drain: number;
}

export const EDGE_TIMEOUTS: EdgeTimeouts = {
  head: 10_000,
  jsonBody: 30_000,
  request: 120_000,
  idle: 65_000,
  silence: 130_000,
  check: 2_000,
  drain: 20_000,
};

const MAX_HEAD_BYTES = 128 * 1024;
const IDLE_CHECK_MS = 100;

export interface EdgeServer {
  readonly server: Server;
  /** Stops accepting, waits a limited time for running calls, then closes all connections. */
  drain(): Promise<void>;
}

/** Request and response classes of the listener. */
export type Messages = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;

export function edgeServer(
  listener: RequestListener,
  timeouts: EdgeTimeouts = EDGE_TIMEOUTS,
  messages: Messages = {},
): EdgeServer {
  let draining = false;
  const running = new Set<ServerResponse>();
  const server = createServer({ ...optionsOf(timeouts), ...messages }, (request, response) => {
    if (draining) response.setHeader('Connection', 'close');
    running.add(response);
    response.once('close', () => running.delete(response));
    // Data after a refused request may be a smuggled request.
    if (refused.has(request.socket)) return;
    if (isReadable(request)) listener(request, response);
    else refuse(request.socket, 400);
  });
  // Node would silently drop headers beyond a count; `maxHeaderSize` limits them.
  server.maxHeadersCount = 0;
  // A client that does not read its answer would hold the connection for ever.
  server.timeout = timeouts.silence;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const before = [...running].filter(({ req }) => req.socket === socket);
    // Unreadable data may belong to a request that is being answered, or follow one.
    if (before.some(({ req }) => !req.complete)) return refuseUnreadable(error, socket);
    void Promise.all(before.map(answeredOrGone)).then(() => refuseUnreadable(error, socket));
  });
  server.on('checkExpectation', (request: IncomingMessage) => refuse(request.socket, 400));
  const drain = async (): Promise<void> => {
    draining = true;
    for (const response of running) if (!response.headersSent) response.setHeader('Connection', 'close');
    await closed(server, timeouts.drain);
  };
  return { server, drain };
}

function optionsOf({ head, request, idle, check }: EdgeTimeouts): ServerOptions {
  return {
    headersTimeout: head,
    requestTimeout: request,
    keepAliveTimeout: idle,
    connectionsCheckingInterval: check,
    maxHeaderSize: MAX_HEAD_BYTES,
    // Node's answer to a missing host has no body.
    requireHostHeader: false,
  };
}

/** Node passes unknown transfer encodings on undecoded, and only the first of two hosts. */
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

/** Answers requests that Node's parser refuses with the interface's error shape. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (refused.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else refuse(socket as Socket, STATUS_OF_CODE[error.code ?? ''] ?? 400);
}

const LINGER_MS = 2_000;
const refused = new WeakSet<Duplex>();

/** Answers on the socket and closes it after a moment, so that the client can read the answer. */
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
  // Keep-alive connections that become idle after close() would delay it until their timeout.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MS);
  const limit = setTimeout(() => server.closeAllConnections(), drain);
  server.closeIdleConnections();
  await done;
  clearInterval(idle);
  clearTimeout(limit);
}
