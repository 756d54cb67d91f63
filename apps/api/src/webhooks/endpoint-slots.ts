import { Memory, type Clock } from '@back-office/kernel';

export const MAX_ENDPOINTS = 200;
/** The other slots are for endpoints that answer fast. */
const MAX_SLOW_ENDPOINTS = 100;
/** An endpoint is slow if its answers take longer on average. */
const SLOW_ANSWER_MS = 1_000;
/** After this time without deliveries, an endpoint is no longer known to be slow. */
const SLOW_FOR_MS = 600_000;

interface Slot {
  readonly isSlow: boolean;
  /** Ends when the turns of the endpoint have ended. */
  readonly run: Promise<void>;
}

/** The endpoints that take turns now. Those that were slow in their last turn use at most half of the slots. */
export class EndpointSlots {
  private readonly taken = new Map<string, Slot>();
  private readonly slow: Memory<true>;

  constructor(clock: Clock) {
    this.slow = new Memory<true>(SLOW_FOR_MS, clock);
  }

  get isFull(): boolean {
    return this.taken.size >= MAX_ENDPOINTS;
  }

  isSlow(key: string): boolean {
    return this.slow.get(key) ?? false;
  }

  /** Starts the turns of an endpoint, unless there is no slot for it or it already has one. */
  start(key: string, run: () => Promise<void>): void {
    const isSlow = this.isSlow(key);
    if (this.isFull || this.taken.has(key) || (isSlow && this.slowCount() >= MAX_SLOW_ENDPOINTS)) return;
    this.taken.set(key, { isSlow, run: run().finally(() => this.taken.delete(key)) });
  }

  /** Remembers how long the answers of a turn took. */
  note(key: string, latenciesMs: readonly number[]): void {
    if (latenciesMs.length === 0) return;
    const sumMs = latenciesMs.reduce((sum, latencyMs) => sum + latencyMs, 0);
    if (sumMs > SLOW_ANSWER_MS * latenciesMs.length) this.slow.set(key, true);
    else this.slow.delete(key);
  }

  /** Waits until all turns have ended. */
  async idle(): Promise<void> {
    await Promise.all([...this.taken.values()].map(({ run }) => run));
  }

  private slowCount(): number {
    return [...this.taken.values()].filter(({ isSlow }) => isSlow).length;
  }
}
