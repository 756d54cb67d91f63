/** The connection was lost during a write, so the write may have happened. Callers must not repeat the write. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome';
}

/** The database is unreachable, and nothing was written. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** The condition of {@link Calls.runIf} does not hold, so the call has written nothing. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed';
}

/** Another call with the same key has written or is about to write, so this call must not write. */
export class WrittenByAnother extends Error {
  override readonly name = 'WrittenByAnother';
}

// Compares names, because an adapter may load its own copy of the error classes.
export function isUnknownOutcome(error: unknown): error is UnknownOutcome {
  return error instanceof Error && error.name === 'UnknownOutcome';
}

export function isDatabaseUnavailable(error: unknown): error is DatabaseUnavailable {
  return error instanceof Error && error.name === 'DatabaseUnavailable';
}

export function isWrittenByAnother(error: unknown): error is WrittenByAnother {
  return error instanceof Error && error.name === 'WrittenByAnother';
}

export function isConditionFailed(error: unknown): error is ConditionFailed {
  return error instanceof Error && error.name === 'ConditionFailed';
}
