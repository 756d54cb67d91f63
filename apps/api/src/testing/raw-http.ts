import { Agent, request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

export interface RawCall {
  readonly method?: string;
  /** Sent unchanged: neither encoded nor normalized. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders | undefined;
  readonly body?: string | Buffer | undefined;
}

export interface RawReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly milliseconds: number;
}

/** Sends calls that a well-behaved client library would not send. */
export class RawHttp {
  constructor(
    private readonly origin: string,
    private readonly agent = new Agent({ keepAlive: true, maxSockets: 8 }),
  ) {}

  call({ method = 'GET', path, headers: ownHeaders = {}, body }: RawCall): Promise<RawReply> {
    const { hostname, port } = new URL(this.origin);
    // Node does not frame the body of a DELETE without a length.
    const isFramed = body === undefined || 'Transfer-Encoding' in ownHeaders;
    const headers = isFramed ? ownHeaders : { 'Content-Length': Buffer.byteLength(body), ...ownHeaders };
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const sent = request({ agent: this.agent, hostname, port, method, path, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(chunks).toString(),
            milliseconds: performance.now() - started,
          }),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/**
 * Writes the bytes on a new connection and returns everything received until the server closes it. `hangUp` ends the
 * sending side.
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
