import { AsyncResource } from 'node:async_hooks';
import type { Turns } from '@back-office/kernel';

/** Requests that a process starts in each pass of the event loop. More would delay the answers of other requests. */
export const MAX_STARTS = 8;

/** Starts a part of a call when it is the caller's turn. The turn ends with the pass of the event loop. */
export function startInTurn(turns: Turns<number | string>, caller: number | string, start: () => void): void {
  // Otherwise a waiting call would run in the asynchronous context of another one, and belong to its trace.
  const ownStart = AsyncResource.bind(start);
  turns.enter(caller, (end) => {
    setImmediate(end);
    ownStart();
  });
}
