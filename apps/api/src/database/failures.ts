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
  '53300': 'unavailable',
  '57P01': 'unavailable',
  '57P02': 'unavailable',
  '57P03': 'unavailable',
  '3D000': 'unavailable',
  '28000': 'unavailable',
  '28P01': 'unavailable',
  '23505': 'duplicate',
};

const LOST =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|ECONNREFUSED|ECONNRESET|EPIPE|ENOENT|Client has encountered a connection error|Cannot use a pool after|not currently accepting connections/;

export function failureOf(error: unknown): Failure {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') {
    const known = BY_STATE[code] ?? (code.startsWith('08') ? 'unavailable' : undefined);
    if (known) return known;
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
