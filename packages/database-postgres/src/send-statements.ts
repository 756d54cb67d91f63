import type { Writable } from 'node:stream';
import { JsonRows } from './json-rows.js';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';

export type SettledQuery = PromiseSettledResult<QueryResult>;

/** A connection, or the pool, which sends on any free connection. */
export interface Connection {
  query(query: QueryConfig): Promise<QueryResult>;
}

/**
 * Sends all statements without waiting for answers, in one packet up to a statement with many rows. If the rows of a statement cannot be made, sends nothing
 * more, and returns the error for that statement and all later ones.
 */
export async function sendTogether(
  client: PoolClient,
  queries: readonly QueryConfig[],
  withBegin: boolean,
): Promise<SettledQuery[]> {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  const promises: Promise<QueryResult>[] = withBegin ? [client.query('BEGIN')] : [];
  const count = promises.length + queries.length;
  let failure: PromiseRejectedResult | undefined;
  try {
    for (const query of queries) promises.push(sendRows(client, stream, query));
  } catch (error) {
    failure = { status: 'rejected', reason: error };
  } finally {
    stream.uncork();
  }
  const sentAnswers = await Promise.allSettled(promises);
  const answers = Array.from({ length: count }, (_, index) => (sentAnswers[index] ?? failure) as SettledQuery);
  if (!withBegin) return answers;
  // If BEGIN fails, the statements ran outside of a transaction, so their answers are discarded.
  const [beginAnswer, ...statementAnswers] = answers;
  return beginAnswer?.status === 'rejected' ? statementAnswers.map(() => beginAnswer) : statementAnswers;
}

/** Makes the rows of a statement before it is sent, because `pg` would only skip a statement that it cannot send. */
function sendRows(client: PoolClient, stream: Writable, query: QueryConfig): Promise<QueryResult> {
  if (!query.values?.some((value) => value instanceof JsonRows)) return client.query(query);
  const values = query.values.map((value: unknown) => (value instanceof JsonRows ? value.toPostgres() : value));
  const answer = client.query({ ...query, values });
  // While the server runs this statement, the rows of the next one are made.
  stream.uncork();
  stream.cork();
  return answer;
}
