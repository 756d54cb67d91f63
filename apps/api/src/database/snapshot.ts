import { jobPool, type Connection } from './data-source.js';

/** Reads as of the moment at which the snapshot was taken. */
export type Read = <Row>(text: string, values?: readonly unknown[]) => Promise<Row[]>;

/** Reads everything as of one moment, writes nothing, and takes as long as it needs. */
export async function inSnapshot<Result>(
  connection: Connection,
  work: (read: Read) => Promise<Result>,
): Promise<Result> {
  const pool = jobPool(connection, 1);
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    return await work(async <Row>(text: string, values: readonly unknown[] = []) => {
      const { rows } = await client.query(text, [...values]);
      return rows as Row[];
    });
  } finally {
    client.release(true);
    await pool.end();
  }
}
