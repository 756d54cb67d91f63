import { AsyncResource } from 'node:async_hooks';
import type { Request, RequestHandler } from 'express';

/** A longer slice would delay other calls; a shorter one would waste passes of the event loop. */
const SLICE_MS = 2;
/** Comparing more callers would cost more time than it saves. */
const MAX_COMPARED_CALLERS = 64;

type Start = () => void;

interface Waiting {
  readonly starts: Start[];
  /** Total time of the caller's started requests. A new caller gets the value of the caller that started last. */
  usedMs: number;
}

/**
 * Starts requests for a few milliseconds per pass of the event loop, beginning with the caller that has used the least
 * time. Otherwise a caller with hundreds of connections would fill every pass and delay all other calls.
 */
export class Admission {
  private readonly waitingByCaller = new Map<number | string, Waiting>();
  private waiting = 0;
  private sliceEndMs = 0;
  private isSliceOpen = false;
  private latestUsedMs = 0;

  constructor(private readonly nowMs = (): number => performance.now()) {}

  get waitingCount(): number {
    return this.waiting;
  }

  /** Calls `start` at once if the current slice has time left, else in a later pass. */
  enter(caller: number | string, start: Start): void {
    if (this.waiting === 0 && this.hasTime()) return start();
    this.waiting += 1;
    // Otherwise the request would run in the asynchronous context of another one, and belong to its trace.
    const ownStart = AsyncResource.bind(start);
    const known = this.waitingByCaller.get(caller);
    if (known) known.starts.push(ownStart);
    else this.waitingByCaller.set(caller, { starts: [ownStart], usedMs: this.latestUsedMs });
  }

  private hasTime(): boolean {
    if (this.isSliceOpen) return this.nowMs() < this.sliceEndMs;
    this.isSliceOpen = true;
    this.sliceEndMs = this.nowMs() + SLICE_MS;
    setImmediate(() => this.openNextSlice());
    return true;
  }

  private openNextSlice(): void {
    this.isSliceOpen = false;
    while (this.waiting > 0 && this.hasTime()) this.startNext();
  }

  private startNext(): void {
    const [caller, waiting] = this.nextCaller();
    const start = waiting.starts.shift() as Start;
    this.waiting -= 1;
    // The caller is reinserted at the end, so callers with equal times take turns.
    this.waitingByCaller.delete(caller);
    this.latestUsedMs = waiting.usedMs;
    const startMs = this.nowMs();
    start();
    waiting.usedMs += this.nowMs() - startMs;
    const added = this.waitingByCaller.get(caller);
    if (added) waiting.starts.push(...added.starts);
    if (waiting.starts.length > 0) this.waitingByCaller.set(caller, waiting);
  }

  private nextCaller(): [caller: number | string, waiting: Waiting] {
    let next: [number | string, Waiting] | undefined;
    let compared = 0;
    for (const entry of this.waitingByCaller) {
      if (next === undefined || entry[1].usedMs < next[1].usedMs) next = entry;
      compared += 1;
      if (compared === MAX_COMPARED_CALLERS) break;
    }
    return next as [number | string, Waiting];
  }
}

export function admitInTurn(admission: Admission, callerOf: (request: Request) => number | string): RequestHandler {
  return (request, _response, next) => admission.enter(callerOf(request), () => request.socket.destroyed || next());
}
