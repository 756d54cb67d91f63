import type { Writable } from 'node:stream';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';

export type SettledQuery = PromiseSettledResult<QueryResult>;

/** Sends all statements in one packet. */
export async function sendTogether(
  client: PoolClient,
  queries: readonly QueryConfig[],
  withBegin: boolean,
): Promise<SettledQuery[]> {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  const begin = withBegin ? [client.query('BEGIN')] : [];
  const sent = [...begin, ...queries.map((query) => client.query(query))];
  stream.uncork();
  const answers = await Promise.allSettled(sent);
  if (!withBegin) return answers;
  // If BEGIN fails, the statements ran outside of a transaction, so their answers are discarded.
  const [beginAnswer, ...statementAnswers] = answers;
  return beginAnswer?.status === 'rejected' ? statementAnswers.map(() => beginAnswer) : statementAnswers;
}
