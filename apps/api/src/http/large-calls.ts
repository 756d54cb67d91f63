import type { Request, RequestHandler, Response } from 'express';
import type { TokenHolder } from '@back-office/apps';
import { LatestParties, parseInteger } from '@back-office/kernel';
import { Busy } from './errors.js';
import type { Route } from './route.js';

/** A body of this size may have hundreds of rows, each of which takes time in the main thread. */
const MIN_LARGE_BYTES = 16 * 1024;
/** A page of this many rows takes tens of milliseconds to decode and to send. */
const MIN_LARGE_PAGE = 1_000;
/** Maximum number of large calls in progress for one app: `shared` while other apps call, `alone` otherwise. */
const MAX_LARGE_CALLS: Maxima = { shared: 1, alone: 8 };
/** An app that has called within this time shares the main thread with the others. */
const SHARING_MS = 10_000;
const MAX_WAIT_MS = 20_000;
/**
 * While other apps call, a waiting call starts only after a pause. The pause is as long as the previous call, but at
 * most this long.
 */
const MAX_PAUSE_MS = 200;

interface Maxima {
  readonly shared: number;
  readonly alone: number;
}

interface Queue {
  running: number;
  readonly waiting: Set<() => void>;
}

/**
 * Lets each app make one call with a large body or page at a time, and a few while no other app calls. The body of a
 * waiting call is not read, so it costs neither time nor memory.
 */
export class LargeCalls {
  private readonly queues = new Map<number, Queue>();
  private readonly latestApps = new LatestParties<number>();

  constructor(
    private readonly maxima = MAX_LARGE_CALLS,
    private readonly maxWaitMs = MAX_WAIT_MS,
    private readonly maxPauseMs = MAX_PAUSE_MS,
  ) {}

  /** Records that the app has called just now. */
  note(appId: number): void {
    this.latestApps.note(appId, performance.now());
  }

  /** Calls `start` when it is the turn of the call, or with an error after a long wait. */
  enter(appId: number, response: Pick<Response, 'once' | 'closed'>, start: (error?: Busy) => void): void {
    // A closed response emits no event that would end the turn.
    if (response.closed) return start();
    const queue = this.queues.get(appId) ?? { running: 0, waiting: new Set() };
    this.queues.set(appId, queue);
    const run = (): void => {
      clearTimeout(timer);
      queue.waiting.delete(run);
      queue.running += 1;
      const startMs = performance.now();
      response.once('close', () => this.pauseAndLeave(appId, queue, performance.now() - startMs));
      start();
    };
    const timer = setTimeout(() => queue.waiting.delete(run) && start(new Busy('app_large_calls')), this.maxWaitMs);
    if (queue.running < this.maxOf(appId)) return run();
    queue.waiting.add(run);
    response.once('close', () => queue.waiting.delete(run) && clearTimeout(timer));
  }

  /**
   * Ends the turn, after a pause if another call waits and other apps call. An app that sends one large call at a time
   * never waits.
   */
  private pauseAndLeave(appId: number, queue: Queue, durationMs: number): void {
    const pauseMs = queue.waiting.size > 0 && this.isShared(appId) ? Math.min(durationMs, this.maxPauseMs) : 0;
    if (pauseMs > 0) setTimeout(() => this.leave(appId, queue), pauseMs);
    else this.leave(appId, queue);
  }

  private leave(appId: number, queue: Queue): void {
    queue.running -= 1;
    for (const next of queue.waiting) if (queue.running < this.maxOf(appId)) next();
    if (queue.running === 0) this.queues.delete(appId);
  }

  private maxOf(appId: number): number {
    return this.isShared(appId) ? this.maxima.shared : this.maxima.alone;
  }

  private isShared(appId: number): boolean {
    return performance.now() - this.latestApps.otherCallAtMs(appId) < SHARING_MS;
  }
}

export function admitLargeBodies(largeCalls: LargeCalls, maxBytes: number): RequestHandler {
  // Otherwise a customer's phone could hold the turn of its shop without sending a body.
  return admitIf(largeCalls, maxBytes > MIN_LARGE_BYTES ? hasLargeBody : () => false);
}

export function admitLargePages(largeCalls: LargeCalls, { query = {} }: Pick<Route, 'query'>): RequestHandler {
  // A call that waits for events would hold the turn while it has nothing to send.
  return admitIf(largeCalls, 'wait' in query ? () => false : asksForLargePage);
}

function admitIf(largeCalls: LargeCalls, isLarge: (request: Request) => boolean): RequestHandler {
  return (request, response, next) => {
    const { app } = response.locals['holder'] as TokenHolder;
    largeCalls.note(app.id);
    if (isLarge(request)) largeCalls.enter(app.id, response, next);
    else next();
  };
}

/** Returns true for a body of unknown size, too: one that is sent in chunks or compressed. */
function hasLargeBody({ headers }: Request): boolean {
  const hasUnknownSize = headers['transfer-encoding'] !== undefined || headers['content-encoding'] !== undefined;
  return hasUnknownSize || Number(headers['content-length'] ?? 0) >= MIN_LARGE_BYTES;
}

const PAGE_SIZE_PARAMETERS = ['limit', 'perPage', 'pageSize', 'page_size'];

function asksForLargePage({ query }: Request): boolean {
  return PAGE_SIZE_PARAMETERS.some((name) => (parseInteger(query[name]) ?? 0) >= MIN_LARGE_PAGE);
}
