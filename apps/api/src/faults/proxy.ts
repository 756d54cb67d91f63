import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** What a wire does: carries everything, refuses and cuts, or carries nothing any more without saying so. */
export type Wire = 'whole' | 'cut' | 'silent';

/** Where a connection is cut: before the nth message of a client is carried, or before what is answered to it. */
export interface Cut {
  readonly message: number;
  readonly side: 'asked' | 'answered';
}

/** A wire between the service and its database that can be cut at any moment. */
export class Proxy {
  private wire: Wire = 'whole';
  private cut: Cut | undefined;
  private asked = 0;
  private readonly pairs = new Set<readonly [Socket, Socket]>();

  private constructor(
    readonly port: number,
    private readonly close: () => void,
  ) {}

  static async to(socketPath: string): Promise<Proxy> {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => proxy.carry(client, socketPath));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy: Proxy = new Proxy((server.address() as AddressInfo).port, () => server.close());
    return proxy;
  }

  set(wire: Wire): void {
    this.wire = wire;
    if (wire === 'cut') this.cutAll();
    // What was silent for long is not trusted any more by whoever hears of it again.
    if (wire === 'whole') this.cutAll();
  }

  /** Cuts every connection at the message that comes as the nth from now on. */
  cutAt(cut: Cut): void {
    this.asked = 0;
    this.cut = cut;
  }

  /** How many messages have come since the last {@link cutAt}; there will be no cut. */
  messages(): number {
    this.cut = undefined;
    return this.asked;
  }

  stop(): void {
    this.cutAll();
    this.close();
  }

  private carry(client: Socket, socketPath: string): void {
    if (this.wire === 'cut') return void client.destroy();
    const server = connect(socketPath);
    const pair = [client, server] as const;
    this.pairs.add(pair);
    const end = (): void => {
      this.pairs.delete(pair);
      client.destroy();
      server.destroy();
    };
    // A process that is killed says goodbye all the same: its machine does.
    const bye = (): void => void (this.wire === 'whole' && end());
    for (const side of pair) side.on('error', end).on('close', end).on('end', bye);
    let isCutNext = false;
    client.on('data', (bytes) => {
      this.asked += 1;
      const isHit = this.cut !== undefined && this.asked === this.cut.message;
      if (isHit && this.cut?.side === 'asked') return end();
      isCutNext = isHit;
      if (this.wire === 'whole') server.write(bytes);
    });
    server.on('data', (bytes) => {
      if (isCutNext) return end();
      if (this.wire === 'whole') client.write(bytes);
    });
  }

  private cutAll(): void {
    for (const [client, server] of this.pairs) {
      client.destroy();
      server.destroy();
    }
    this.pairs.clear();
  }
}
