import type { OnStatement, OnStatementEnd } from '@back-office/database';
import type { Writable } from 'node:stream';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';

export type SettledQuery = PromiseSettledResult<QueryResult>;

/** Sends one statement and reports it to `onStatement`. */
export function sendStatement(
  client: PoolClient,
  query: QueryConfig,
  onStatement: OnStatement | undefined,
): Promise<QueryResult> {
  const end = onStatement?.(query.text);
  return end === undefined ? client.query(query) : reportEnd(client.query(query), end);
}

async function reportEnd(answer: Promise<QueryResult>, end: OnStatementEnd): Promise<QueryResult> {
  try {
    const result = await answer;
    end();
    return result;
  } catch (error) {
    end(error);
    throw error;
  }
}

/** Sends all statements in one packet. Does not report BEGIN, because it always runs together with a statement. */
export async function sendTogether(
  client: PoolClient,
  queries: readonly QueryConfig[],
  withBegin: boolean,
  onStatement: OnStatement | undefined,
): Promise<SettledQuery[]> {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  const begin = withBegin ? [client.query('BEGIN')] : [];
  const sent = [...begin, ...queries.map((query) => sendStatement(client, query, onStatement))];
  stream.uncork();
  const answers = await Promise.allSettled(sent);
  if (!withBegin) return answers;
  // If BEGIN fails, the statements ran outside of a transaction, so their answers are discarded.
  const [beginAnswer, ...statementAnswers] = answers;
  return beginAnswer?.status === 'rejected' ? statementAnswers.map(() => beginAnswer) : statementAnswers;
}
