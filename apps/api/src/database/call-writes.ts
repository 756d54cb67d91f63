import { AsyncLocalStorage } from 'node:async_hooks';
import { UnknownOutcome } from './failures.js';
import { WriteOnce } from './write-once.js';

/** What the call that is running has done so far. */
interface Call {
  hasWritten: boolean;
}

const current = new AsyncLocalStorage<Call>();

/** Something of the call that is running, if any is, is in the database now, or may be. */
export function noteWritten(): void {
  const call = current.getStore();
  if (call) call.hasWritten = true;
}

/** Whether the call that is running has written. */
export function hasWritten(): boolean {
  return current.getStore()?.hasWritten ?? false;
}

/**
 * Runs what a call does. One that has written, now or in an earlier run, and then fails in a way that is answered as
 * if nothing were written, fails with {@link UnknownOutcome} instead.
 */
export async function tellingWrites<Result>(
  work: () => Promise<Result>,
  saysNothingIsWritten: (error: unknown) => boolean,
): Promise<Result> {
  const call: Call = { hasWritten: WriteOnce.pending()?.isWritten ?? false };
  try {
    return await current.run(call, work);
  } catch (error) {
    if (call.hasWritten && saysNothingIsWritten(error))
      throw new UnknownOutcome('What is needed was lost after the call had written', { cause: error });
    throw error;
  }
}
