import pg from 'pg';

export async function loadRows(url: string, table: string, text: string, values: readonly unknown[]): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(text, [...values]);
  await client.query(`vacuum (analyze) ${table}`);
  await client.end();
}
