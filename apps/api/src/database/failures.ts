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

/** The beginning of the violated constraint's name; on shards a suffix follows it. */
export function violates(error: unknown, constraint: string): boolean {
  const name = (error as { constraint?: unknown } | null)?.constraint;
  return failureOf(error) === 'duplicate' && typeof name === 'string' && name.startsWith(constraint);
}
