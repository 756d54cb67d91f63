import type { Page } from '@back-office/kernel';
import type { Database } from '../database/database.js';
import { dateTimeSql } from '../database/json-sql.js';
import { anyContains } from '../database/search-text.js';
import { placeholders } from '../database/placeholders.js';

const SEARCHED = ['w.name', 'w.code', 'w.address_line_1', 'w.city', 'w.postcode'];

const listOf = (condition: string): string => `
  select coalesce(json_agg(row), '[]')::text as data from (
    select w.id, w.code, w.name, w.address_line_1, w.city, w.postcode, w.market_id, w.sellable,
      ${dateTimeSql('w.inserted_at')} as inserted_at, ${dateTimeSql('w.updated_at')} as updated_at
    from warehouses w where w.app_id = $1 and w.deleted_at is null and ${condition}
    order by w.name, w.id offset $2 limit $3
  ) as row`;

/** A page of warehouses by name, as JSON text. */
export async function warehouseListJson(
  database: Database,
  appId: number,
  search: string | undefined,
  { offset, limit }: Page,
): Promise<string> {
  const values: unknown[] = [appId, offset, limit];
  const value = placeholders(values);
  const condition = search === undefined ? 'true' : anyContains(SEARCHED, search, value);
  const [row] = await database.rows<{ data: string }>(listOf(condition), values);
  return row?.data ?? '[]';
}
