import { Agent, request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

export interface RawCall {
  readonly method?: string;
  /** Path as sent, neither encoded nor normalized. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders | undefined;
  readonly body?: string | Buffer | undefined;
}

export interface RawReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly durationMs: number;
}

/** Sends requests that a normal HTTP client would not send. */
export class RawHttp {
  constructor(
    private readonly origin: string,
    private readonly agent = new Agent({ keepAlive: true, maxSockets: 8 }),
  ) {}

  call({ method = 'GET', path, headers: callHeaders = {}, body }: RawCall): Promise<RawReply> {
    const { hostname, port } = new URL(this.origin);
    // Node sends the body of a DELETE correctly only with a length.
    const isFramed = body === undefined || 'Transfer-Encoding' in callHeaders;
    const headers = isFramed ? callHeaders : { 'Content-Length': Buffer.byteLength(body), ...callHeaders };
    const startMs = performance.now();
    return new Promise((resolve, reject) => {
      const clientRequest = request({ agent: this.agent, hostname, port, method, path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
            durationMs: performance.now() - startMs,
          }),
        );
      });
      clientRequest.on('error', reject);
      clientRequest.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/**
 * Sends the bytes on a new connection. Returns everything received until the server closes it. `hangUp` closes the
 * sending side after the bytes.
 */
export function exchangeBytes(origin: string, bytes: string | Buffer, { hangUp = false } = {}): Promise<string> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(Number(port), hostname, () => (hangUp ? socket.end(bytes) : socket.write(bytes)));
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => resolve(answer));
  });
}
