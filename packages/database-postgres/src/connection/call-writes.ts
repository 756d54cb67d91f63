import { UnknownOutcome } from '@back-office/database';
import { callContext, runInContext, WriteOnce, type CallProgress } from './write-once.js';

export function noteWritten(): void {
  const { progress } = callContext();
  if (progress) progress.hasWritten = true;
}

export function hasWritten(): boolean {
  return callContext().progress?.hasWritten ?? false;
}

/**
 * Runs a call. If this run or an earlier one has written, an error that means “nothing was written” becomes {@link
 * UnknownOutcome}.
 */
export async function trackWrites<Result>(
  work: () => Promise<Result>,
  impliesNothingWritten: (error: unknown) => boolean,
): Promise<Result> {
  const progress: CallProgress = { hasWritten: WriteOnce.pending()?.isWritten ?? false };
  try {
    return await runInContext({ progress }, work);
  } catch (error) {
    if (progress.hasWritten && impliesNothingWritten(error))
      throw new UnknownOutcome('The database was lost after the call had written', { cause: error });
    throw error;
  }
}
