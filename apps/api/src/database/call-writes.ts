import { AsyncLocalStorage } from 'node:async_hooks';
import { DatabaseUnavailable, UnknownOutcome } from './failures.js';

/** What the call that is running has done so far. */
interface Call {
  hasWritten: boolean;
}

const current = new AsyncLocalStorage<Call>();

/** Something of the call that is running, if any is, is in the database now. */
export function noteWritten(): void {
  const call = current.getStore();
  if (call) call.hasWritten = true;
}

/**
 * Runs what a call does. One that has written, and then cannot read what to answer, must not say that nothing was
 * written: it fails with {@link UnknownOutcome}.
 */
export async function tellingWrites<Result>(work: () => Promise<Result>): Promise<Result> {
  const call: Call = { hasWritten: false };
  try {
    return await current.run(call, work);
  } catch (error) {
    if (call.hasWritten && error instanceof DatabaseUnavailable)
      throw new UnknownOutcome('The database was lost after the call had written', { cause: error });
    throw error;
  }
}
