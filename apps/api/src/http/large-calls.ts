import { AsyncResource } from 'node:async_hooks';
import type { Request, RequestHandler, Response } from 'express';
import { performance } from 'node:perf_hooks';
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
/** A quarter of the maximum wait, so that a few slow clients do not make the app's other calls fail. */
const MAX_TURN_MS = 5_000;
/**
 * While other apps call, a waiting call starts only after a pause. The pause is as long as the event loop was busy
 * during the previous call, but at most this long.
 */
const MAX_PAUSE_MS = 200;

interface Maxima {
  readonly shared: number;
  readonly alone: number;
}

interface Settings {
  readonly maxima: Maxima;
  readonly maxWaitMs: number;
  readonly maxTurnMs: number;
  readonly maxPauseMs: number;
  /** Returns for how long the event loop has been busy since the process started. */
  readonly busyMs: () => number;
}

const SETTINGS: Settings = {
  maxima: MAX_LARGE_CALLS,
  maxWaitMs: MAX_WAIT_MS,
  maxTurnMs: MAX_TURN_MS,
  maxPauseMs: MAX_PAUSE_MS,
  busyMs: () => performance.eventLoopUtilization().active,
};

interface Queue {
  running: number;
  readonly waiting: Set<() => void>;
}

type CallResponse = Pick<Response, 'once' | 'closed'>;

/**
 * Lets each app make one call with a large body or page at a time, and a few while no other app calls. The body of a
 * waiting call is not read, so it costs neither time nor memory.
 */
export class LargeCalls {
  private readonly queues = new Map<number, Queue>();
  private readonly latestApps = new LatestParties<number>();
  private readonly turns = new WeakMap<CallResponse, Turn>();
  private readonly settings: Settings;

  constructor(settings: Partial<Settings> = {}) {
    this.settings = { ...SETTINGS, ...settings };
  }

  /** Records that the app has called just now, or that one of its public files was requested. */
  note(appId: number): void {
    this.latestApps.note(appId, performance.now());
  }

  /**
   * Calls `start` when it is the turn of the call, or with an error after `maxWaitMs`. Drops a call whose client has
   * left. The turn ends when the response is closed and no work is in progress, or after `maxTurnMs`.
   */
  enter(appId: number, response: CallResponse, start: (error?: Busy) => void): void {
    if (response.closed) return;
    const { maxWaitMs } = this.settings;
    const queue = this.queues.get(appId) ?? { running: 0, waiting: new Set() };
    this.queues.set(appId, queue);
    // Otherwise a waiting call would run in the asynchronous context of another one, and belong to its trace.
    const run = AsyncResource.bind((): void => {
      clearTimeout(timer);
      queue.waiting.delete(run);
      this.begin(appId, queue, response);
      start();
    });
    const timer = setTimeout(() => queue.waiting.delete(run) && start(new Busy('app_large_calls')), maxWaitMs);
    timer.unref();
    if (queue.running < this.maxOf(appId)) return run();
    queue.waiting.add(run);
    response.once('close', () => queue.waiting.delete(run) && clearTimeout(timer));
  }

  /** Keeps the turn until {@link finish}, even if the client leaves. Ends it if the body was small after all. */
  startWork(response: CallResponse, bodyBytes = Infinity): void {
    const turn = this.turns.get(response);
    if (bodyBytes < MIN_LARGE_BYTES) turn?.end();
    else turn?.startWork();
  }

  finish(response: CallResponse): void {
    this.turns.get(response)?.finish();
  }

  /** Ends the turn of a refused call, even while the rest of its body arrives. */
  end(response: CallResponse): void {
    this.turns.get(response)?.end();
  }

  private begin(appId: number, queue: Queue, response: CallResponse): void {
    const { busyMs, maxTurnMs } = this.settings;
    queue.running += 1;
    const startMs = busyMs();
    const leave = (): void => this.pauseAndLeave(appId, queue, busyMs() - startMs);
    this.turns.set(response, new Turn(response, maxTurnMs, leave));
  }

  /**
   * Ends the turn, after a pause if another call waits and other apps call. An app that sends one large call at a time
   * never waits.
   */
  private pauseAndLeave(appId: number, queue: Queue, busyMs: number): void {
    const isPausing = queue.waiting.size > 0 && this.isShared(appId);
    const pauseMs = isPausing ? Math.min(busyMs, this.settings.maxPauseMs) : 0;
    if (pauseMs >= 1) setTimeout(() => this.leave(appId, queue), pauseMs);
    else this.leave(appId, queue);
  }

  private leave(appId: number, queue: Queue): void {
    queue.running -= 1;
    for (const next of queue.waiting) if (queue.running < this.maxOf(appId)) next();
    if (queue.running === 0) this.queues.delete(appId);
  }

  private maxOf(appId: number): number {
    const { shared, alone } = this.settings.maxima;
    return this.isShared(appId) ? shared : alone;
  }

  private isShared(appId: number): boolean {
    return performance.now() - this.latestApps.otherCallAtMs(appId) < SHARING_MS;
  }
}

/** The turn of one large call. */
class Turn {
  private isClosed = false;
  private isWorking = false;
  private isEnded = false;
  private readonly timer: NodeJS.Timeout;

  constructor(
    response: CallResponse,
    maxMs: number,
    private readonly onEnd: () => void,
  ) {
    this.timer = setTimeout(() => this.end(), maxMs).unref();
    response.once('close', () => {
      this.isClosed = true;
      if (!this.isWorking) this.end();
    });
  }

  startWork(): void {
    this.isWorking = true;
  }

  finish(): void {
    this.isWorking = false;
    if (this.isClosed) this.end();
  }

  end(): void {
    if (this.isEnded) return;
    this.isEnded = true;
    clearTimeout(this.timer);
    this.onEnd();
  }
}

export function admitLargeBodies(largeCalls: LargeCalls, maxBytes: number): RequestHandler {
  // Calls with a low limit never take a turn. Otherwise a phone that sends no body could block its shop's large calls.
  return admitIf(largeCalls, maxBytes > MIN_LARGE_BYTES ? hasLargeBody : () => false);
}

export function admitLargePages(
  largeCalls: LargeCalls,
  { query = {}, isStreamed = false }: Pick<Route, 'query' | 'isStreamed'>,
): RequestHandler {
  // A call that waits for events would take a turn although it has nothing to send.
  const sizeParameters = 'wait' in query ? [] : PAGE_SIZE_PARAMETERS.filter((name) => name in query);
  const admit = admitIf(largeCalls, (request) => isStreamed || asksForLargePage(request, sizeParameters));
  return (request, response, next) =>
    admit(request, response, (error?: unknown) => {
      largeCalls.startWork(response);
      next(error);
    });
}

function admitIf(largeCalls: LargeCalls, isLarge: (request: Request) => boolean): RequestHandler {
  return (request, response, next) => {
    const { app } = response.locals['holder'] as TokenHolder;
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

function asksForLargePage({ query }: Request, sizeParameters: readonly string[]): boolean {
  return sizeParameters.some((name) => (parseInteger(query[name]) ?? 0) >= MIN_LARGE_PAGE);
}
