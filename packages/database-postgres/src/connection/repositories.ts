import { QueryResult, type DataSource, type Repository } from 'typeorm';
import type { Sql } from './sql.js';
import type { Columns, TableRow } from '../tables/column-list.js';
import type { Table } from '../tables/define-table.js';

export function repositoryOf<C extends Columns>(
  source: DataSource,
  sql: Sql,
  table: Table<C>,
): Repository<TableRow<C>> {
  const runner = source.createQueryRunner();
  const query = async (text: string, values?: readonly unknown[], isStructured = false): Promise<unknown> => {
    const rows = await sql.rows<object>(text, values);
    if (!isStructured) return rows;
    return Object.assign(new QueryResult(), { raw: rows, records: rows });
  };
  return Object.assign(runner, { query }).manager.getRepository(table.entity);
}
