import pg from 'pg';
import type { BenchApp } from './measure.js';

export async function runQuery<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

/** Refreshes the planner's statistics, which autovacuum would refresh only after a minute. */
export async function analyze(url: string): Promise<void> {
  await runQuery(url, 'vacuum (analyze)');
}

export async function bankTransferIdOf(url: string, { id }: BenchApp): Promise<number> {
  const text = `select id from payment_methods where app_id = ${id} and kind = 'bank_transfer'`;
  const [row] = await runQuery<{ id: string }>(url, text);
  return Number(row?.id);
}
