export type Failure = 'retry' | 'busy' | 'unavailable' | 'duplicate' | 'bug';

const FAILURE_BY_STATE: Readonly<Record<string, Failure>> = {
  '40001': 'retry',
  '40P01': 'retry',
  '55P03': 'busy',
  '57014': 'busy',
  '57P01': 'unavailable',
  '57P02': 'unavailable',
  '57P03': 'unavailable',
  '3D000': 'unavailable',
  '28000': 'unavailable',
  '28P01': 'unavailable',
  '23505': 'duplicate',
};

// SQLSTATE classes: connection, insufficient resources, system error.
const SERVER_CLASSES = new Set(['08', '53', '58']);
const INTERNAL_ERROR = 'XX000';
const FILE_ERROR = /^could not (?:write|extend|open|read|create|fsync)\b[^]{0,200}?\bfile\b/;

const LOST_CONNECTION =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|Client has encountered a connection error|Cannot use a pool after|not currently accepting connections/;

/** Returns true when the pool had no free connection in time. In this case, nothing was sent. */
export function isPoolExhausted(error: unknown): boolean {
  return (error as Error | undefined)?.message === 'timeout exceeded when trying to connect';
}

export function failureOf(error: unknown): Failure {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') {
    const failure = FAILURE_BY_STATE[code] ?? (SERVER_CLASSES.has(code.slice(0, 2)) ? 'unavailable' : undefined);
    if (failure) return failure;
    if (code === INTERNAL_ERROR && FILE_ERROR.test(String(message))) return 'unavailable';
  }
  return LOST_CONNECTION.test(`${String(code)} ${String(message)}`) ? 'unavailable' : 'bug';
}

const DIVISION_BY_ZERO = '22012';

/** Some statements divide by the number of rows that they write, so that they fail when they write none. */
export function isDivisionByZero(error: unknown): boolean {
  return (error as { code?: unknown }).code === DIVISION_BY_ZERO;
}

/**
 * Accepts a suffix, because Citus adds one to a shard's constraint. Reads the message, because a node names the
 * constraint only there.
 */
export function violates(error: unknown, constraint: string): boolean {
  if (failureOf(error) !== 'duplicate') return false;
  const { constraint: name, message } = error as { constraint?: unknown; message?: unknown };
  return typeof name === 'string' ? name.startsWith(constraint) : String(message).includes(constraint);
}
