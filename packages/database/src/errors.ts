/** The connection was lost during a write, which may have happened; it must not be repeated. */
export class UnknownOutcome extends Error {
  override readonly name = 'UnknownOutcome';
}

/** The database is not available; nothing was written. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** Another run of the same keyed call has written or is about to, so this one must not. */
export class WrittenByAnother extends Error {
  override readonly name = 'WrittenByAnother';
}

// Compares names, since an adapter may load its own copy of these classes.
export function isUnknownOutcome(error: unknown): error is UnknownOutcome {
  return error instanceof Error && error.name === 'UnknownOutcome';
}

export function isDatabaseUnavailable(error: unknown): error is DatabaseUnavailable {
  return error instanceof Error && error.name === 'DatabaseUnavailable';
}

export function isWrittenByAnother(error: unknown): error is WrittenByAnother {
  return error instanceof Error && error.name === 'WrittenByAnother';
}
