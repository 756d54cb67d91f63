import type { Party } from '@back-office/database';

type Key = Party['key'];

export interface Waiter {
  readonly resolve: () => void;
  readonly timer: NodeJS.Timeout;
}

/** Tracks the parties of one kind that have connections or wait for one. */
export class TurnLane {
  private held = 0;
  private readonly heldByKey = new Map<Key, number>();
  /** Waiting callers by party; the parties are in the order of their turns. */
  private readonly waitersByKey = new Map<Key, Waiter[]>();
  private waiters = 0;

  constructor(
    private readonly max: number,
    private readonly maxOf: (key: Key) => number,
  ) {}

  get waitingCount(): number {
    return this.waiters;
  }

  hasWaiters(key: Key): boolean {
    return this.waitersByKey.has(key);
  }

  canTake(key: Key): boolean {
    return this.held < this.max && (this.heldByKey.get(key) ?? 0) < this.maxOf(key);
  }

  take(key: Key): void {
    this.held += 1;
    this.heldByKey.set(key, (this.heldByKey.get(key) ?? 0) + 1);
  }

  release(key: Key): void {
    this.held -= 1;
    const remaining = (this.heldByKey.get(key) ?? 0) - 1;
    if (remaining > 0) this.heldByKey.set(key, remaining);
    else this.heldByKey.delete(key);
  }

  add(key: Key, waiter: Waiter): void {
    this.waiters += 1;
    const waiters = this.waitersByKey.get(key);
    if (waiters) waiters.push(waiter);
    else this.waitersByKey.set(key, [waiter]);
  }

  remove(key: Key, waiter: Waiter): void {
    const waiters = this.waitersByKey.get(key) ?? [];
    const index = waiters.indexOf(waiter);
    if (index === -1) return;
    this.waiters -= 1;
    waiters.splice(index, 1);
    if (waiters.length === 0) this.waitersByKey.delete(key);
  }

  /**
   * Takes a connection for the waiting party with the fewest connections; among equals, for the first in the order of
   * turns. Returns the waiter that gets the connection.
   */
  next(): Waiter | undefined {
    const key = this.nextKey();
    if (key === undefined) return undefined;
    const waiters = this.waitersByKey.get(key) as Waiter[];
    const waiter = waiters.shift();
    this.waiters -= 1;
    this.waitersByKey.delete(key);
    if (waiters.length > 0) this.waitersByKey.set(key, waiters);
    this.take(key);
    return waiter;
  }

  private nextKey(): Key | undefined {
    let nextKey: Key | undefined;
    let fewest = Infinity;
    for (const key of this.waitersByKey.keys()) {
      const held = this.heldByKey.get(key) ?? 0;
      if (held >= fewest || !this.canTake(key)) continue;
      [nextKey, fewest] = [key, held];
      if (held === 0) break;
    }
    return nextKey;
  }
}
