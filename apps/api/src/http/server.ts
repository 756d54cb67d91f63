import { createServer, STATUS_CODES, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

/** The edge's share of the timeout ladder, in ms, and the largest request head in bytes. */
export const EDGE = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
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
  const server = createServer({ ...EDGE }, (request, response) => {
    if (draining) response.setHeader('Connection', 'close');
    running.add(response);
    response.once('close', () => running.delete(response));
    const encoding = request.headers['transfer-encoding'];
    // Node hands any transfer encoding to the handler as if it had been decoded.
    if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') {
      response.writeHead(400, { ...JSON_HEADERS, Connection: 'close' }).end(detail('Bad Request'));
      return;
    }
    listener(request, response);
  });
  server.on('clientError', refuseUnreadable);
  const drain = async (): Promise<void> => {
    draining = true;
    for (const response of running) if (!response.headersSent) response.setHeader('Connection', 'close');
    await closed(server);
  };
  return { server, drain };
}

const JSON_HEADERS = { 'Content-Type': 'application/json; charset=utf-8' };

function detail(text: string): string {
  return JSON.stringify({ errors: { detail: text } });
}

const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  HPE_HEADER_OVERFLOW: 413,
  ERR_HTTP_REQUEST_TIMEOUT: 408,
};

/** What Node's parser refuses never reaches a handler; it gets the interface's error shape all the same. */
function refuseUnreadable(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = STATUS_OF_CODE[error.code ?? ''] ?? 400;
  const reason = STATUS_CODES[status] ?? '';
  const body = detail(status === 413 ? 'Request Entity Too Large' : reason);
  const head = [`HTTP/1.1 ${status} ${reason}`, 'Content-Type: application/json; charset=utf-8', 'Connection: close'];
  socket.end(`${head.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
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
