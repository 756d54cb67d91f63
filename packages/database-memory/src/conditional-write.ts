import { ConditionFailed, type WriteCondition } from '@back-office/database';
import { AsyncLocalStorage } from 'node:async_hooks';

const MAX_ATTEMPTS = 100;

class RecordsChanged extends Error {}

interface CheckedState {
  readonly commitCount: number;
  isOpen: boolean;
}

const checkedStorage = new AsyncLocalStorage<CheckedState>();

/**
 * Runs the work if the condition is met; otherwise throws `ConditionFailed`. Repeats both when another transaction
 * commits between the check and the first write of the work.
 */
export async function runIf<Result>(
  memory: { readonly commitCount: number },
  { isMet }: WriteCondition,
  work: () => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const checkedState = { commitCount: memory.commitCount, isOpen: true };
    if (!(await isMet())) throw new ConditionFailed();
    try {
      return await checkedStorage.run(checkedState, work);
    } catch (error) {
      if (!(error instanceof RecordsChanged) || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Throws in the first transaction of conditional work when the condition may no longer hold. */
export function assertUnchangedSinceCheck(commitCount: number): void {
  const checkedState = checkedStorage.getStore();
  if (checkedState?.isOpen && checkedState.commitCount !== commitCount) throw new RecordsChanged();
}

/** Call after the first commit: later transactions of the work do not depend on the condition. */
export function closeCondition(): void {
  const checkedState = checkedStorage.getStore();
  if (checkedState) checkedState.isOpen = false;
}
