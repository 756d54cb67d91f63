import type { Postgres } from '../src/postgres.js';

/** The plan of a statement. Scans are allowed here, unlike in the service, so an index is the planner's own choice. */
export async function explainPlan(database: Postgres, text: string, values: readonly unknown[] = []): Promise<string> {
  return database.transaction(async (transaction) => {
    await transaction.rows('set local enable_seqscan = on');
    const lines = await transaction.rows<{ readonly 'QUERY PLAN': string }>(`explain ${text}`, values);
    return lines.map((line) => line['QUERY PLAN']).join('\n');
  });
}
