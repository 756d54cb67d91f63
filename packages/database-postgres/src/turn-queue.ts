import type { Party, PartyKind } from '@back-office/database';
import { LatestParties } from '@back-office/kernel';
import { TurnLane, type Waiter } from './turn-lane.js';

/** Party of work that belongs to no app. It takes turns like an app. */
export const BACKGROUND: Party = { kind: 'app', key: 'background' };

/** An app gets at most half of the connections if another app has made a call within this time. */
const SHARING_MS = 10_000;
/** Of this many connections, the queue reserves one for look-ups. */
const CONNECTIONS_PER_RESERVE = 5;
const KINDS = ['health', 'token', 'file', 'app'] as const satisfies readonly PartyKind[];

/**
 * Grants connections in turns: first by kind of work, then by party. Some connections are reserved for look-ups of
 * tokens, files and health, because every call needs a short look-up.
 */
export class TurnQueue {
  private free: number;
  private readonly lanes: Readonly<Record<PartyKind, TurnLane>>;
  private nextKind = 0;
  private readonly latestApps = new LatestParties<Party['key']>();

  constructor(
    size: number,
    private readonly timeoutMs: number,
  ) {
    this.free = size;
    const { reserved, forApps, forOneApp, forLookUps } = sharesOf(size);
    const isShared = (key: Party['key']): boolean =>
      performance.now() - this.latestApps.otherCallAtMs(key) < SHARING_MS;
    this.lanes = {
      app: new TurnLane(size - reserved, (key) => (isShared(key) ? forOneApp : forApps)),
      token: new TurnLane(forLookUps, () => forLookUps),
      file: new TurnLane(forLookUps, () => forLookUps),
      health: new TurnLane(1, () => 1),
    };
  }

  get waitingCount(): number {
    return KINDS.reduce((sum, kind) => sum + this.lanes[kind].waitingCount, 0);
  }

  waiting(): Record<PartyKind, number> {
    const { app, token, file, health } = this.lanes;
    return {
      app: app.waitingCount,
      token: token.waitingCount,
      file: file.waitingCount,
      health: health.waitingCount,
    };
  }

  /**
   * Takes a connection and returns true. Returns false if no connection is free, if callers of this party already wait,
   * or if the party has its full share.
   */
  tryTake({ kind, key }: Party): boolean {
    if (kind === 'app' && key !== BACKGROUND.key) this.latestApps.note(key, performance.now());
    const lane = this.lanes[kind];
    if (this.free === 0 || lane.hasWaiters(key) || !lane.canTake(key)) return false;
    this.free -= 1;
    lane.take(key);
    return true;
  }

  /** Resolves as soon as the caller holds a connection; rejects after the timeout. */
  wait({ kind, key }: Party): Promise<void> {
    return new Promise((resolve, reject) => {
      const lane = this.lanes[kind];
      const waiter: Waiter = {
        resolve,
        timer: setTimeout(() => {
          lane.remove(key, waiter);
          // Same message as a timeout of the `pg` pool, so that callers recognize both timeouts.
          reject(new Error('timeout exceeded when trying to connect'));
        }, this.timeoutMs),
      };
      lane.add(key, waiter);
    });
  }

  release({ kind, key }: Party): void {
    this.lanes[kind].release(key);
    this.free += 1;
    while (this.free > 0 && this.grantNext()) this.free -= 1;
  }

  private grantNext(): boolean {
    for (let step = 0; step < KINDS.length; step += 1) {
      const index = (this.nextKind + step) % KINDS.length;
      const waiter = this.lanes[KINDS[index] as PartyKind].next();
      if (waiter === undefined) continue;
      this.nextKind = index + 1;
      clearTimeout(waiter.timer);
      waiter.resolve();
      return true;
    }
    return false;
  }
}

/** Divides the connections of a pool between kinds of work. A small pool reserves none; its parties only take turns. */
function sharesOf(size: number) {
  const reserved = Math.floor(size / CONNECTIONS_PER_RESERVE);
  const forApps = size - reserved;
  return {
    reserved,
    forApps,
    forOneApp: Math.max(1, Math.floor(forApps / 2)),
    forLookUps: Math.max(1, Math.floor(size / 2) - 1),
  };
}
