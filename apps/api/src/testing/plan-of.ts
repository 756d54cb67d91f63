import type { Database } from '../database/database.js';

/**
 * How the server carries out a statement, line by line. It may read whole tables here, which it may not for the service:
 * an index in the plan is one that it would have chosen by itself.
 */
export async function planOf(database: Database, text: string, values: readonly unknown[] = []): Promise<string> {
  return database.transaction(async (transaction) => {
    await transaction.rows('set local enable_seqscan = on');
    const lines = await transaction.rows<{ readonly 'QUERY PLAN': string }>(`explain ${text}`, values);
    return lines.map((line) => line['QUERY PLAN']).join('\n');
  });
}
