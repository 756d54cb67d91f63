/** What a failed statement means for the caller. Read from SQLSTATE, or from pg's message where it gives no code. */
export type Failure = 'retry' | 'busy' | 'unavailable' | 'duplicate' | 'bug';

/** The outcome of a COMMIT whose connection was lost: it may or may not have happened, so nobody may repeat it. */
export class UnknownOutcome extends Error {}

/** The database cannot take the work now; nothing was written. */
export class DatabaseUnavailable extends Error {}

const BY_STATE: Readonly<Record<string, Failure>> = {
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

/** Classes of SQLSTATE: the connection, too little of something (disk, memory), the machine. */
const OF_THE_SERVER = new Set(['08', '53', '58']);
const INTERNAL_ERROR = 'XX000';
const NO_FILE = /^could not (write|extend|open|read|create|fsync)\b.*\bfile\b/;

const LOST =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|Client has encountered a connection error|Cannot use a pool after|not currently accepting connections/;

/** Every connection of the pool was taken for as long as one may wait; nothing has been sent. */
export function isPoolExhausted(error: unknown): boolean {
  return (error as Error | undefined)?.message === 'timeout exceeded when trying to connect';
}

export function failureOf(error: unknown): Failure {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') {
    const known = BY_STATE[code] ?? (OF_THE_SERVER.has(code.slice(0, 2)) ? 'unavailable' : undefined);
    if (known) return known;
    if (code === INTERNAL_ERROR && NO_FILE.test(String(message))) return 'unavailable';
  }
  return LOST.test(`${String(code)} ${String(message)}`) ? 'unavailable' : 'bug';
}

/**
 * Whether this constraint is violated. On shards a suffix follows its name, and what the node of a cluster reports comes
 * without the name but for the message.
 */
export function violates(error: unknown, constraint: string): boolean {
  if (failureOf(error) !== 'duplicate') return false;
  const { constraint: name, message } = error as { constraint?: unknown; message?: unknown };
  return typeof name === 'string' ? name.startsWith(constraint) : String(message).includes(constraint);
}
