import type { WarehouseQueries } from '@back-office/stock';
import type { Page } from '@back-office/kernel';
import { anyContainsSql } from '../search-text.js';
import type { Postgres } from '../postgres.js';
import { dateTimeSql } from '../json-sql.js';
import { nameKey } from '../sort-keys.js';
import { placeholders } from '../placeholders.js';
import { WAREHOUSES } from '../tables/stock.js';

const LISTED_COLUMNS = WAREHOUSES.columns.except('app_id', 'deleted_at', 'inserted_at', 'updated_at');
const SEARCHED_COLUMNS = ['w.name', 'w.code', 'w.address_line_1', 'w.city', 'w.postcode'];

const listSql = (condition: string): string => `
  select coalesce(json_agg(row), '[]')::text as data from (
    select ${LISTED_COLUMNS.of('w')}, ${dateTimeSql('w.inserted_at')} as inserted_at, ${dateTimeSql('w.updated_at')} as updated_at
    from warehouses w where w.app_id = $1 and w.deleted_at is null and ${condition}
    order by ${nameKey('w.name').sql}, w.id offset $2 limit $3
  ) as row`;

export class SqlWarehouseQueries implements WarehouseQueries {
  constructor(private readonly database: Postgres) {}

  async list(appId: number, search: string | undefined, { offset, limit }: Page): Promise<string> {
    const values: unknown[] = [appId, offset, limit];
    const value = placeholders(values);
    const condition = search === undefined ? 'true' : anyContainsSql(SEARCHED_COLUMNS, search, value);
    const [row] = await this.database.rows<{ data: string }>(listSql(condition), values);
    return row?.data ?? '[]';
  }
}
