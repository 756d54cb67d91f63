import { DatabaseUnavailable, isUnknownOutcome } from '@back-office/database';

export type Failure = 'retry' | 'stale plan' | 'busy' | 'unavailable' | 'duplicate' | 'bug';

const FAILURE_BY_STATE: Readonly<Record<string, Failure>> = {
  '40001': 'retry',
  '40P01': 'retry',
  '55P03': 'busy',
  '57014': 'busy',
  // The prepared statement is unknown to the server.
  '26000': 'stale plan',
  '57P01': 'unavailable',
  '57P02': 'unavailable',
  '57P03': 'unavailable',
  '57P04': 'unavailable',
  '57P05': 'unavailable',
  '25P03': 'unavailable',
  '25P04': 'unavailable',
  '3D000': 'unavailable',
  '28000': 'unavailable',
  '28P01': 'unavailable',
  '23505': 'duplicate',
  // Citus: a node lost an intermediate result, because another part of the transaction failed.
  CIINF: 'retry',
};

// SQLSTATE classes: connection, insufficient resources, system error.
const SERVER_CLASSES = new Set(['08', '53', '58']);
const INTERNAL_ERROR = 'XX000';
const FILE_ERROR = /^could not (?:write|extend|open|read|create|fsync)\b[^]{0,200}?\bfile\b/;

// A node of a cluster may report another node's error under `XX000`, with the original message.
const FAILURE_BY_MESSAGE: readonly (readonly [message: string, failure: Failure])[] = [
  ['deadlock detected', 'retry'],
  ['could not serialize access', 'retry'],
  ['canceling statement due to', 'busy'],
  ['duplicate key value violates unique constraint', 'duplicate'],
  ['terminating connection due to', 'unavailable'],
  ['connection to the remote node', 'unavailable'],
  ['connection not open', 'unavailable'],
  ['server closed the connection', 'unavailable'],
  ['could not commit transaction', 'unavailable'],
];

const CONNECTION_CLASS = '08';

const FEATURE_NOT_SUPPORTED = '0A000';
const STALE_PLAN = 'cached plan must not change result type';
// Citus: the statement was planned while its shards moved.
const MOVED_SHARD = 'cannot find a worker that has active placements';

const LOST_CONNECTION =
  /Connection terminated|timeout exceeded when trying to connect|Query read timeout|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EPIPE|ENOENT|Client has encountered a connection error|Cannot use a pool after|not currently accepting connections/;

/** Returns true when the pool had no free connection in time. In this case, nothing was sent. */
export function isPoolExhausted(error: unknown): boolean {
  return (error as Error | undefined)?.message === 'timeout exceeded when trying to connect';
}

export function failureOf(error: unknown): Failure {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string') {
    const failure = FAILURE_BY_STATE[code] ?? (SERVER_CLASSES.has(code.slice(0, 2)) ? 'unavailable' : undefined);
    if (failure) return failure;
    if (code === INTERNAL_ERROR) return failureOfMessage(String(message));
    if (code === FEATURE_NOT_SUPPORTED && isStalePlan(error)) return 'stale plan';
    if (code === FEATURE_NOT_SUPPORTED && String(message).startsWith(MOVED_SHARD)) return 'retry';
    if (severityOf(error) === 'FATAL') return 'unavailable';
  }
  return LOST_CONNECTION.test(`${String(code)} ${String(message)}`) ? 'unavailable' : 'bug';
}

/** The name of the function in PostgreSQL does not depend on the language of the messages. */
function isStalePlan(error: unknown): boolean {
  const { message, routine } = error as { message?: unknown; routine?: unknown };
  return message === STALE_PLAN || routine === 'RevalidateCachedQuery';
}

/**
 * Returns true if the server reported the error and still accepts statements on this connection. Servers report the
 * severity in their language, so this may be false for such an error, but it is never true for a connection at its end.
 */
export function isConnectionKept(error: unknown): boolean {
  return severityOf(error) === 'ERROR';
}

export function severityOf(error: unknown): unknown {
  return ((error ?? {}) as { severity?: unknown }).severity;
}

/**
 * Returns true when the server, or a connection pool before it, reports that it lost its own connection to a server. That
 * server may have committed a write that was not in a transaction.
 */
export function isUpstreamLost(error: unknown): boolean {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code !== 'string') return false;
  return code.startsWith(CONNECTION_CLASS) || (code === INTERNAL_ERROR && failureOf(error) === 'unavailable');
}

function failureOfMessage(message: string): Failure {
  if (FILE_ERROR.test(message)) return 'unavailable';
  return FAILURE_BY_MESSAGE.find(([text]) => message.includes(text))?.[1] ?? 'bug';
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

/** Returns the error of the port for a failure that callers may repeat, and any other error as it is. */
export function toPortError(error: unknown): unknown {
  const failure = failureOf(error);
  if (failure === 'bug' || failure === 'duplicate' || isUnknownOutcome(error)) return error;
  // Omits the original error, because PostgreSQL's details contain the failing row.
  return new DatabaseUnavailable(`Database unavailable (${(error as { code?: string }).code ?? 'no connection'})`);
}
