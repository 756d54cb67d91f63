import type { ListedPage, Position } from '@back-office/kernel';
import type { Postgres } from '../connection/postgres.js';
import type { Statement } from '../connection/sql.js';

/** Runs the statement of a list, which returns the whole page in one row. */
export async function listedPage(database: Postgres, { text, values }: Statement): Promise<ListedPage> {
  const [row] = await database.rows<{ readonly data: string; readonly end: Position | null }>(text, values);
  return { json: row?.data ?? '[]', end: row?.end ?? null };
}
