import type { Page } from '@back-office/kernel';
import type { Database } from '../database/database.js';
import { dateTimeSql } from '../database/json-sql.js';

export interface StockFilter {
  readonly warehouseId: number | undefined;
  readonly productId: number | undefined;
  readonly variantId: number | undefined;
}

/** The ids of the page first, then its rows. */
const listOf = (conditions: readonly string[]): string => `
  with page as (
    select s.id from stocks s
    join product_variants v on v.app_id = $1 and v.id = s.product_variant_id
    join warehouses w on w.app_id = $1 and w.id = s.warehouse_id and w.deleted_at is null
    where ${['s.app_id = $1', ...conditions].join(' and ')}
    order by v.product_id, v.id, s.warehouse_id offset $2 limit $3
  )
  select coalesce(json_agg(row), '[]')::text as data from (
    select s.id, v.product_id, s.product_variant_id, p.name as product_name, v.code, v.barcode, s.warehouse_id,
      w.code as warehouse_code, s.on_hand, s.reserved,
      case when w.sellable then greatest(s.on_hand - s.reserved, 0) else 0 end as available,
      s.min_qty, ${dateTimeSql('s.updated_at')} as updated_at
    from page
    join stocks s on s.app_id = $1 and s.id = page.id
    join product_variants v on v.app_id = $1 and v.id = s.product_variant_id
    join products p on p.app_id = $1 and p.id = v.product_id
    join warehouses w on w.app_id = $1 and w.id = s.warehouse_id
    order by v.product_id, v.id, s.warehouse_id
  ) as row`;

/** Stock of a page of places, by product, variant and warehouse, as JSON text. */
export async function stockListJson(
  database: Database,
  appId: number,
  { warehouseId, productId, variantId }: StockFilter,
  { offset, limit }: Page,
): Promise<string> {
  const values: unknown[] = [appId, offset, limit];
  const asked = { 's.warehouse_id': warehouseId, 'v.product_id': productId, 's.product_variant_id': variantId };
  const conditions = Object.entries(asked).flatMap(([column, id]) =>
    id === undefined ? [] : [`${column} = $${values.push(id)}::bigint`],
  );
  const [row] = await database.rows<{ data: string }>(listOf(conditions), values);
  return row?.data ?? '[]';
}
