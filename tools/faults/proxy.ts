import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/**
 * `whole` forwards all bytes. `cut` closes connections and refuses new ones. `silent` keeps connections open but
 * forwards nothing.
 */
export type WireState = 'whole' | 'cut' | 'silent';

/** Cuts the connection before message number `message` of the client, or before the answer to it. */
export interface Cut {
  readonly message: number;
  readonly side: 'request' | 'answer';
}

/** The server can finish what it has received before its connection ends, for example a COMMIT after a statement. */
const FINISH_MS = 100;

/** A proxy between the service and its database that can cut connections. */
export class Proxy {
  private state: WireState = 'whole';
  private cut: Cut | undefined;
  private messageCount = 0;
  private readonly socketPairs = new Set<readonly [Socket, Socket]>();

  private constructor(
    readonly port: number,
    private readonly close: () => void,
  ) {}

  static async start(socketPath: string): Promise<Proxy> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => proxy.forward(client, socketPath));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy: Proxy = new Proxy((server.address() as AddressInfo).port, () => server.close());
    return proxy;
  }

  setState(state: WireState): void {
    this.state = state;
    if (state === 'cut') this.cutAll();
    // A connection has lost messages while it was silent, so the client must reconnect.
    if (state === 'whole') this.cutAll();
  }

  cutNext(cut: Cut): void {
    this.messageCount = 0;
    this.cut = cut;
  }

  /** Cancels the cut. Returns the number of messages since the last {@link cutNext}. */
  endCut(): number {
    this.cut = undefined;
    return this.messageCount;
  }

  stop(): void {
    this.cutAll();
    this.close();
  }

  private forward(client: Socket, socketPath: string): void {
    if (this.state === 'cut') return void client.destroy();
    const server = connect(socketPath);
    const pair = [client, server] as const;
    this.socketPairs.add(pair);
    const end = (): void => {
      this.socketPairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    // When a process dies, its operating system closes the connection; a silent network would not forward the closing.
    const onEnd = (): void => void (this.state === 'whole' && end());
    let [cutsAnswer, isAnswerCut] = [false, false];
    const onClose = (): void => void (isAnswerCut || end());
    for (const side of pair) side.on('error', onClose).on('close', onClose).on('end', onEnd);
    const loseAnswer = (): void => {
      isAnswerCut = true;
      client.destroy();
      setTimeout(end, FINISH_MS);
    };
    client.on('data', (bytes) => {
      this.messageCount += 1;
      const isCutMessage = this.cut !== undefined && this.messageCount === this.cut.message;
      if (isCutMessage && this.cut?.side === 'request') return end();
      cutsAnswer = isCutMessage;
      if (this.state === 'whole') server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (isAnswerCut) return;
      if (cutsAnswer) return loseAnswer();
      if (this.state === 'whole') client.write(bytes);
    });
  }

  private cutAll(): void {
    for (const [client, server] of this.socketPairs) {
      client.destroy();
      server.destroy();
    }
    this.socketPairs.clear();
  }
}
