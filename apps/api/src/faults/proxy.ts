import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** `cut` closes and refuses connections; `silent` keeps them open but carries nothing. */
export type Wire = 'whole' | 'cut' | 'silent';

/** A connection is cut before the nth client message, or before its answer. */
export interface Cut {
  readonly message: number;
  readonly side: 'asked' | 'answered';
}

/** A proxy between the service and its database that can cut connections. */
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
    // Connections that were silent have lost messages.
    if (wire === 'whole') this.cutAll();
  }

  /** Cuts at the nth message from now on. */
  cutAt(cut: Cut): void {
    this.asked = 0;
    this.cut = cut;
  }

  /** Messages since the last {@link cutAt}; cancels the cut. */
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
    // The machine closes the connections of a killed process.
    const onEnd = (): void => void (this.wire === 'whole' && end());
    for (const side of pair) side.on('error', end).on('close', end).on('end', onEnd);
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
