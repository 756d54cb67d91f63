import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** Messages from the service to its database. */
export interface MessageCounts {
  /** Executed statements, with BEGIN and COMMIT. */
  statements: number;
  /** Groups of bytes that arrived together: about the number of writes to the socket. */
  writes: number;
}

const STATEMENT_TYPES = ['Q', 'E'].map((type) => type.charCodeAt(0));
const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;

/** A proxy in front of a database that counts the messages of PostgreSQL's protocol. */
export class CountingProxy {
  readonly counts: MessageCounts = { statements: 0, writes: 0 };

  private constructor(
    readonly url: string,
    readonly stop: () => void,
  ) {}

  static async start(databaseUrl: string): Promise<CountingProxy> {
    const target = new URL(databaseUrl);
    const server = createServer({ noDelay: true }, (client) => proxy.forward(client, connectTo(target)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = new URL(databaseUrl);
    url.hostname = '127.0.0.1';
    url.port = String((server.address() as AddressInfo).port);
    url.search = '?sslmode=disable';
    const proxy: CountingProxy = new CountingProxy(url.href, () => server.close());
    return proxy;
  }

  private forward(client: Socket, server: Socket): void {
    const end = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const side of [client, server]) side.on('error', end).on('close', end);
    server.pipe(client);
    let rest: Buffer = Buffer.alloc(0);
    // The first message of a connection has a length but no type.
    let typeBytes = 0;
    client.on('data', (bytes) => {
      this.counts.writes += 1;
      rest = Buffer.concat([rest, bytes]);
      while (rest.length >= typeBytes + LENGTH_BYTES) {
        const length = typeBytes + rest.readUInt32BE(typeBytes);
        if (rest.length < length) break;
        if (typeBytes > 0 && STATEMENT_TYPES.includes(rest[0] ?? 0)) this.counts.statements += 1;
        rest = rest.subarray(length);
        typeBytes = TYPE_BYTES;
      }
      server.write(bytes);
    });
  }
}

function connectTo({ hostname, port, searchParams }: URL): Socket {
  const folder = searchParams.get('host');
  const number = searchParams.get('port') ?? (port === '' ? '5432' : port);
  return folder === null ? connect(Number(number), hostname) : connect(`${folder}/.s.PGSQL.${number}`);
}
