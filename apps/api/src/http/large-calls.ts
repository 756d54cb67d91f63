import { AsyncResource } from 'node:async_hooks';
import type { Request, RequestHandler, Response } from 'express';
import type { TokenHolder } from '@back-office/apps';
import { parseInteger, Turns, type EndTurn } from '@back-office/kernel';
import { busyMs } from './busy-time.js';
import { Busy, type LimitName } from './errors.js';
import type { Route } from './route.js';

/** A body of this size may have hundreds of rows, each of which takes time in the main thread. */
const MIN_LARGE_BYTES = 16 * 1024;
/** A body of this size may have thousands of rows, whose work takes much memory and time. */
const MIN_HUGE_BYTES = 128 * 1024;
/** Further bodies are refused, so that those which wait for their turn do not fill the memory. */
const MAX_WAITING_BYTES = 64 * 2 ** 20;
/** A page of this many rows takes tens of milliseconds to decode and to send. */
const MIN_LARGE_PAGE = 1_000;

const SETTINGS = {
  maxOfApp: 1,
  /** Calls with a huge body that the process works on at once, of all apps. */
  maxHuge: 2,
  maxWaitMs: 20_000,
  /** A quarter of the maximum wait, so that a few slow clients do not make the app's other calls fail. */
  maxTurnMs: 5_000,
  maxPauseMs: 200,
  /** Returns how long this process has been busy. While a busy app pauses, the calls of the others run. */
  busyMs,
};

type Start = (error?: Busy) => void;
type CallResponse = Pick<Response, 'once' | 'closed'>;

/**
 * Lets each app make one call with a large body or page at a time, and pause between two of them. The body of a call
 * that waits for its app is not read. Huge bodies of all apps take turns after they have arrived, so that slow senders
 * of one app do not delay another one.
 */
export class LargeCalls {
  private readonly turns: Turns<number>;
  private readonly hugeTurns: Turns<number>;
  private waitingBytes = 0;
  private readonly calls = new WeakMap<CallResponse, LargeCall>();
  private readonly settings: typeof SETTINGS;

  constructor(settings: Partial<typeof SETTINGS> = {}) {
    this.settings = { ...SETTINGS, ...settings };
    this.turns = new Turns(Infinity, this.settings.maxOfApp);
    this.hugeTurns = new Turns(this.settings.maxHuge, 1);
  }

  /** Ends a turn after a pause as long as the process was busy during it, if another call of the app waits. */
  private endAfterPause(appId: number, end: EndTurn, startMs: number): void {
    const pauseMs = Math.min(this.settings.busyMs() - startMs, this.settings.maxPauseMs);
    if (!this.turns.isWaiting(appId) || pauseMs < 1) end();
    else setTimeout(end, pauseMs).unref();
  }

  /**
   * Calls `start` when it is the turn of the call, or with an error after `maxWaitMs`. Drops a call whose client has
   * left. The turn ends when the response is closed and no work is in progress, or after `maxTurnMs`.
   */
  enter(appId: number, response: CallResponse, start: Start): void {
    const { maxTurnMs } = this.settings;
    this.wait({ turns: this.turns, limit: 'app_large_calls' }, appId, response, start, (end) => {
      const startMs = this.settings.busyMs();
      this.calls.set(response, new LargeCall(response, maxTurnMs, () => this.endAfterPause(appId, end, startMs)));
    });
  }

  private wait(
    { turns, limit }: { readonly turns: Turns<number>; readonly limit: LimitName },
    appId: number,
    response: CallResponse,
    start: Start,
    onTurn: (end: EndTurn) => void,
    onLeave: () => void = () => {},
  ): void {
    if (response.closed) return onLeave();
    // Otherwise a waiting call would run in the asynchronous context of another one, and belong to its trace.
    const ownStart = AsyncResource.bind(start);
    const wait: { timer?: NodeJS.Timeout } = {};
    let isWaiting = true;
    const leave = turns.enter(appId, (end) => {
      isWaiting = false;
      clearTimeout(wait.timer);
      onTurn(end);
      ownStart();
    });
    const stopWaiting = (): void => {
      isWaiting = false;
      clearTimeout(wait.timer);
      leave();
      onLeave();
    };
    if (!isWaiting) return;
    wait.timer = setTimeout(() => {
      stopWaiting();
      start(new Busy(limit));
    }, this.settings.maxWaitMs).unref();
    response.once('close', () => {
      if (isWaiting) stopWaiting();
    });
  }

  /** Keeps the turn until {@link finish}, even if the client leaves. */
  startWork(response: CallResponse): void {
    this.calls.get(response)?.startWork();
  }

  /** Called when the body has arrived. Ends the turn of a body that is small after all; a huge one waits for another. */
  startBody(appId: number, response: CallResponse, bodyBytes: number, start: Start): void {
    const call = this.calls.get(response);
    if (call !== undefined && bodyBytes >= MIN_HUGE_BYTES)
      return this.startHuge(call, appId, response, bodyBytes, start);
    if (bodyBytes < MIN_LARGE_BYTES) call?.end();
    else call?.startWork();
    start();
  }

  /** The call keeps the turn of its app while it waits, so each app has one waiting body at most. */
  private startHuge(call: LargeCall, appId: number, response: CallResponse, bodyBytes: number, start: Start): void {
    if (this.waitingBytes + bodyBytes > MAX_WAITING_BYTES) return start(new Busy('huge_calls'));
    this.waitingBytes += bodyBytes;
    call.stopTimer();
    const onLeave = (): void => {
      this.waitingBytes -= bodyBytes;
    };
    const onTurn = (end: EndTurn): void => {
      onLeave();
      call.startHugeWork(end);
    };
    this.wait({ turns: this.hugeTurns, limit: 'huge_calls' }, appId, response, start, onTurn, onLeave);
  }

  finish(response: CallResponse): void {
    this.calls.get(response)?.finish();
  }

  /** Ends the turn of a refused call, even while the rest of its body arrives. */
  end(response: CallResponse): void {
    this.calls.get(response)?.end();
  }
}

/** A call that has its turn. */
class LargeCall {
  private isClosed = false;
  private isWorking = false;
  private endHugeTurn: EndTurn = () => {};
  private timer: NodeJS.Timeout;

  constructor(
    response: CallResponse,
    private readonly maxMs: number,
    private readonly endTurn: () => void,
  ) {
    this.timer = this.startTimer();
    response.once('close', () => {
      this.isClosed = true;
      if (!this.isWorking) this.end();
    });
  }

  private startTimer(): NodeJS.Timeout {
    return setTimeout(this.endTurn, this.maxMs).unref();
  }

  stopTimer(): void {
    clearTimeout(this.timer);
  }

  startWork(): void {
    this.isWorking = true;
  }

  /** The huge turn ends only with the work, because the work holds the memory. */
  startHugeWork(endHugeTurn: EndTurn): void {
    this.isWorking = true;
    this.endHugeTurn = endHugeTurn;
    this.timer = this.startTimer();
  }

  finish(): void {
    this.isWorking = false;
    this.endHugeTurn();
    if (this.isClosed) this.end();
  }

  end(): void {
    this.stopTimer();
    this.endHugeTurn();
    this.endTurn();
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
