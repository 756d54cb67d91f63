import type { OnStatement, OnStatementEnd } from '@back-office/database';
import type { Writable } from 'node:stream';
import { JsonRows } from './json-rows.js';
import type { PoolClient, QueryConfig, QueryResult } from 'pg';

export type SettledQuery = PromiseSettledResult<QueryResult>;

/** A connection, or the pool, which sends on any free connection. */
export interface Connection {
  query(query: QueryConfig): Promise<QueryResult>;
}

/** Sends one statement and reports it to `onStatement`. */
export function sendStatement(
  connection: Connection,
  query: QueryConfig,
  onStatement: OnStatement | undefined,
): Promise<QueryResult> {
  const end = onStatement?.(query.text);
  return end === undefined ? connection.query(query) : reportEnd(connection.query(query), end);
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

function flush(stream: Writable): void {
  stream.uncork();
  stream.cork();
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
  const promises = [...begin];
  for (const query of queries) {
    promises.push(sendStatement(client, query, onStatement));
    // While the server runs a long statement, the rows of the next one are made.
    if (query.values?.some((value) => value instanceof JsonRows)) flush(stream);
  }
  stream.uncork();
  const answers = await Promise.allSettled(promises);
  if (!withBegin) return answers;
  // If BEGIN fails, the statements ran outside of a transaction, so their answers are discarded.
  const [beginAnswer, ...statementAnswers] = answers;
  return beginAnswer?.status === 'rejected' ? statementAnswers.map(() => beginAnswer) : statementAnswers;
}
