import type { Postgres } from '../src/connection/postgres.js';

/**
 * Returns the plan of a statement. Scans are allowed, unlike in the service, so an index in the plan is the planner's
 * choice.
 */
export async function explainStatement(
  database: Postgres,
  text: string,
  values: readonly unknown[] = [],
): Promise<string> {
  return database.transaction(async (transaction) => {
    await transaction.rows('set local enable_seqscan = on');
    const lines = await transaction.rows<{ readonly 'QUERY PLAN': string }>(`explain ${text}`, values);
    return lines.map((line) => line['QUERY PLAN']).join('\n');
  });
}
