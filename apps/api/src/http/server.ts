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
import { once } from 'node:events';
import { Server as NetServer, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { countHeader } from './raw-headers.js';

/** Timeouts in milliseconds. */
export interface ServerTimeouts {
  readonly head: number;
  readonly jsonBody: number;
  /** Maximum time of a whole request, including an upload. */
  readonly request: number;
  readonly idle: number;
  /** Maximum time without data in either direction; longer than `request`, so that a slow client gets a 408 first. */
  readonly silence: number;
  readonly checkInterval: number;
  readonly drain: number;
}

export const EDGE_TIMEOUTS: ServerTimeouts = {
  head: 10_000,
  jsonBody: 30_000,
  request: 120_000,
  idle: 65_000,
  silence: 130_000,
  checkInterval: 2_000,
  drain: 20_000,
};

const MAX_HEAD_BYTES = 128 * 1024;
const IDLE_CHECK_MS = 100;
/** Node warns above ten listeners. Log, limits, turns, timers and compression all wait for the end of a response. */
const MAX_RESPONSE_LISTENERS = 30;

export interface HttpServer {
  readonly server: Server;
  /**
   * Stops accepting connections, waits a limited time for running calls, then closes all connections. During `graceMs`,
   * an idle connection stays open for one more call, because its client may be sending one just now.
   */
  drain(graceMs?: number): Promise<void>;
}

export interface ListenAddress {
  /** 0 selects a free port. */
  readonly port: number;
  /** `undefined` means all addresses. */
  readonly host: string | undefined;
}

/** Starts to listen and returns the port. */
export async function listen(server: Server, { port, host }: ListenAddress): Promise<number> {
  const listening = new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen({ port, host }, resolve),
  );
  await listening.catch((error: unknown) => {
    const address = host === undefined ? `port ${port}` : `${host}, port ${port}`;
    throw new Error(`cannot listen on ${address} (PORT and HOST, or ADMIN_PORT and ADMIN_HOST): ${codeOf(error)}`);
  });
  return (server.address() as AddressInfo).port;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

export type MessageClasses = Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;

export function createHttpServer(
  listener: RequestListener,
  timeouts: ServerTimeouts = EDGE_TIMEOUTS,
  messages: MessageClasses = {},
): HttpServer {
  let isDraining = false;
  const server = createServer({ ...optionsOf(timeouts), ...messages }, (request, response) => {
    if (isDraining) response.setHeader('Connection', 'close');
    response.setMaxListeners(MAX_RESPONSE_LISTENERS);
    track(response);
    // Data after a refused request may be a smuggled request, so it is ignored.
    if (refusedSockets.has(request.socket)) return;
    if (isReadable(request)) listener(request, response);
    else refuse(request.socket, 400);
  });
  const sockets = trackSockets(server);
  // Node would silently drop headers above a count. The total size is limited by `maxHeaderSize` instead.
  server.maxHeadersCount = 0;
  // Without this timeout, a client that never reads its answer would keep the connection forever.
  server.timeout = timeouts.silence;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const earlierResponses = openResponsesOf(socket);
    // Invalid data inside a request is refused at once. Invalid data after complete requests is refused when these
    // requests have been answered.
    if (earlierResponses.some(({ req }) => !req.complete)) return refuseUnreadable(error, socket);
    void Promise.all(earlierResponses.map(waitForClose)).then(() => refuseUnreadable(error, socket));
  });
  server.on('checkExpectation', (request: IncomingMessage) => refuse(request.socket, 400));
  const drain = async (graceMs = 0): Promise<void> => {
    isDraining = true;
    for (const response of [...sockets].flatMap(openResponsesOf))
      if (!response.headersSent) response.setHeader('Connection', 'close');
    await closeServer(server, timeouts.drain, graceMs);
  };
  return { server, drain };
}

/** Returns the open sockets of the server, and closes the open responses of each closed socket. */
function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      process.nextTick(closeResponses, socket);
    });
  });
  return sockets;
}

const RESPONSES = Symbol('open responses');

interface TrackedSocket extends Duplex {
  /** A map of sockets would keep the responses until the next full garbage collection. */
  [RESPONSES]?: ServerResponse[];
}

/** Notes on its socket that the response is open, until it emits `close`. */
function track(response: ServerResponse): void {
  const socket: TrackedSocket = response.req.socket;
  socket[RESPONSES] ??= [];
  const openResponses = socket[RESPONSES];
  openResponses.push(response);
  response.once('close', () => openResponses.splice(openResponses.indexOf(response), 1));
}

function openResponsesOf(socket: TrackedSocket): readonly ServerResponse[] {
  return [...(socket[RESPONSES] ?? [])];
}

/**
 * Closes all open responses of the socket. Node itself closes only the next one, so limits and turns would count the
 * later calls forever.
 */
function closeResponses(socket: Socket): void {
  for (const response of openResponsesOf(socket)) {
    Object.defineProperty(response, 'closed', { value: true });
    response.emit('close');
  }
}

function optionsOf({ head, request, idle, checkInterval }: ServerTimeouts): ServerOptions {
  return {
    headersTimeout: head,
    requestTimeout: request,
    keepAliveTimeout: idle,
    connectionsCheckingInterval: checkInterval,
    maxHeaderSize: MAX_HEAD_BYTES,
    // The service refuses a missing Host header itself, because Node's answer has no body.
    requireHostHeader: false,
  };
}

/** Returns false when Node cannot decode the transfer encoding, or when the number of Host headers is wrong. */
function isReadable(request: IncomingMessage): boolean {
  const { headers, httpVersion } = request;
  const encoding = headers['transfer-encoding'];
  const hostCount = countHeader(request, 'host');
  return (
    (encoding?.toLowerCase() ?? 'chunked') === 'chunked' &&
    (hostCount === 1 || (hostCount === 0 && httpVersion === '1.0'))
  );
}

function waitForClose(response: ServerResponse): Promise<unknown> {
  return new Promise((resolve) => response.once('close', resolve));
}

const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** Answers unreadable data with the usual error body, because Node's parser cannot do this. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (refusedSockets.has(socket)) return;
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else refuse(socket as Socket, STATUS_OF_CODE[error.code ?? ''] ?? 400);
}

const LINGER_MS = 2_000;
const refusedSockets = new WeakSet<Duplex>();

/** Sends the answer and closes the socket two seconds later, so that the client can read the answer. */
function refuse(socket: Socket, status: number): void {
  refusedSockets.add(socket);
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

async function closeServer(server: Server, drainMs: number, graceMs: number): Promise<void> {
  const closing = once(server, 'close');
  // Calls the method of `NetServer`, because the `close` method of HTTP servers would close idle connections at once.
  if (server.listening) NetServer.prototype.close.call(server);
  if (graceMs > 0) await Promise.race([closing, pause(graceMs)]);
  const closeIdle = (): void => server.closeIdleConnections();
  // Closes idle connections repeatedly, because a kept connection would stay open until its idle timeout.
  const idleCheck = setInterval(closeIdle, IDLE_CHECK_MS);
  const drainTimer = setTimeout(() => server.closeAllConnections(), drainMs);
  closeIdle();
  await closing;
  clearInterval(idleCheck);
  clearTimeout(drainTimer);
}
