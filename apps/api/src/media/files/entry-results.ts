import type { AppContext } from '@back-office/apps';
import type { FileResult } from '@back-office/media';
import { HttpProblem } from '../../http/errors.js';

const MAX_ENTRIES = 10_000;

export function presentResult(result: FileResult, doneMessage: string, app: AppContext) {
  return { success: result === undefined, message: result === undefined ? doneMessage : app.say(result.refused) };
}

/** Returns the entries; throws 413 when there are too many. */
export function checkEntryCount<Entry>(entries: readonly Entry[]): readonly Entry[] {
  if (entries.length > MAX_ENTRIES) throw new HttpProblem(413);
  return entries;
}
