import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface MessageListener {
  /** Gets each message from the client, with the letter of its type. */
  readonly onRequest?: (type: string) => void;
  /** Gets each message from the server, with the letter of its type and its content. */
  readonly onAnswer?: (type: string, content: Buffer) => void;
  /** Is called for each group of bytes from the client that arrived together: about each write to the socket. */
  readonly onWrite?: () => void;
}

export interface MessageProxy {
  readonly url: string;
  stop(): void;
}

const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;

/** Starts a proxy in front of a database that passes each message of PostgreSQL's protocol to the listener. */
export async function startMessageProxy(databaseUrl: string, listener: MessageListener): Promise<MessageProxy> {
  const target = new URL(databaseUrl);
  const server = createServer({ noDelay: true }, (client) => forward(client, connectTo(target), listener));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  url.search = '?sslmode=disable';
  return { url: url.href, stop: () => void server.close() };
}

function forward(client: Socket, server: Socket, listener: MessageListener): void {
  const end = (): void => {
    client.destroy();
    server.destroy();
  };
  for (const side of [client, server]) side.on('error', end).on('close', end);
  // The first message of a client has a length but no type.
  const readRequests = messageReader((type) => listener.onRequest?.(type), 0);
  client.on('data', (bytes) => {
    listener.onWrite?.();
    readRequests(bytes);
    server.write(bytes);
  });
  const { onAnswer } = listener;
  const readAnswers = onAnswer && messageReader(onAnswer, TYPE_BYTES);
  server.on('data', (bytes) => {
    readAnswers?.(bytes);
    client.write(bytes);
  });
}

function messageReader(
  onMessage: (type: string, content: Buffer) => void,
  typeBytesOfFirst: number,
): (bytes: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  let typeBytes = typeBytesOfFirst;
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= typeBytes + LENGTH_BYTES) {
      const length = typeBytes + rest.readUInt32BE(typeBytes);
      if (rest.length < length) break;
      if (typeBytes > 0) onMessage(rest.toString('latin1', 0, 1), rest.subarray(typeBytes + LENGTH_BYTES, length));
      rest = rest.subarray(length);
      typeBytes = TYPE_BYTES;
    }
  };
}

function connectTo({ hostname, port, searchParams }: URL): Socket {
  const folder = searchParams.get('host');
  const number = searchParams.get('port') ?? (port === '' ? '5432' : port);
  return folder === null ? connect(Number(number), hostname) : connect(`${folder}/.s.PGSQL.${number}`);
}
