import { DatabaseUnavailable, UnknownOutcome } from '@back-office/database';
import type { PoolClient, QueryResult } from 'pg';
import { failureOf, isConnectionKept, isUpstreamLost, severityOf, type Failure } from './failures.js';
import type { SettledQuery } from './send-statements.js';

/** Returns the result of a statement, or throws its error. */
export function resultOf(answer: SettledQuery | undefined): QueryResult {
  if (answer?.status !== 'fulfilled') throw answer?.reason;
  return answer.value;
}

export function rowsOf<Row>(answer: SettledQuery | undefined): Row[] {
  return resultOf(answer).rows as Row[];
}

/**
 * Returns true for an error that the server reported. A panic is an exception, because the result of the statement is
 * then unknown.
 */
export function isServerError(error: unknown): boolean {
  const severity = severityOf(error);
  return severity !== undefined && severity !== 'PANIC';
}

/** Returns true when a connection is lost or at its end, and not only another node of a cluster. */
export function isConnectionLost(error: unknown): boolean {
  return failureOf(error) === 'unavailable' && !(isConnectionKept(error) && isUpstreamLost(error));
}

/** Returns true when the statements after the failed one may have run: the server has not reported that it refused them. */
function mayHaveContinued(error: unknown): boolean {
  if (isServerError(error)) return isUpstreamLost(error) && !isConnectionKept(error);
  return severityOf(error) === 'PANIC' || failureOf(error) === 'unavailable';
}

/** Throws when the time is over: the caller has timed out, and other calls wait for its locks. */
export function assertInTime(endMs: number): void {
  if (performance.now() > endMs) throw new DatabaseUnavailable('The transaction took too long');
}

/** Throws the first error of a statement. Ignores a lost connection, because COMMIT may have succeeded. */
export function assertSucceeded(answers: readonly SettledQuery[]): void {
  for (const answer of answers)
    if (answer.status === 'rejected' && !mayHaveContinued(answer.reason)) throw answer.reason as Error;
}

const UNKNOWN_AT_COMMIT: ReadonlySet<Failure> = new Set(['unavailable', 'busy']);

export function assertCommitted(answer: SettledQuery | undefined): void {
  if (answer?.status !== 'fulfilled') {
    // On a cluster, a COMMIT that is canceled may already have reached another node.
    if (UNKNOWN_AT_COMMIT.has(failureOf(answer?.reason))) throw new UnknownOutcome('The connection was lost at COMMIT');
    throw answer?.reason;
  }
  // After a failed transaction, PostgreSQL answers COMMIT with ROLLBACK instead of an error.
  if (answer.value.command !== 'COMMIT') throw new Error('The transaction had failed before its COMMIT');
}

export async function tryRollback(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}
