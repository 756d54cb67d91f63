import { Agent, request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

export interface RawCall {
  readonly method?: string;
  /** Sent as it is: nothing is encoded, resolved or cleaned up. */
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

/** Calls over a few kept connections, for what a well-behaved client library would not send. */
export class RawHttp {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 8 });

  constructor(private readonly origin: string) {}

  call({ method = 'GET', path, headers: given = {}, body }: RawCall): Promise<RawReply> {
    const { hostname, port } = new URL(this.origin);
    // Of itself Node frames a body only where one is usual, and would send that of a DELETE as garbage behind it.
    const framed = body === undefined || 'Transfer-Encoding' in given;
    const headers = framed ? given : { 'Content-Length': Buffer.byteLength(body), ...given };
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
 * Writes the bytes on a connection of their own and answers everything that comes back until the server closes it.
 * Who hangs up says that nothing more will come.
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
