import type { StockFilter } from '@back-office/stock';
import type { Page } from '@back-office/kernel';
import { among } from '../list-conditions.js';
import type { Postgres } from '../postgres.js';
import { dateTimeSql } from '../json-sql.js';
import { placeholders } from '../placeholders.js';
import { anyVariantSql } from './variants-of.js';

/**
 * Details are looked up by the row's `app_id`. With `$1`, for an app without statistics, the planner may join all rows
 * with all.
 */
const listSql = (page: string): string => `
  with page as (${page} offset $2 limit $3)
  select coalesce(json_agg(row.data order by row.product_id, row.product_variant_id, row.warehouse_id), '[]')::text as data
  from (
    select s.product_variant_id, s.warehouse_id, ${PRODUCT_ID} as product_id, (
      select json_build_object('id', s.id, 'product_id', v.product_id, 'product_variant_id', v.id, 'product_name', p.name,
        'code', v.code, 'barcode', v.barcode, 'warehouse_id', w.id, 'warehouse_code', w.code, 'on_hand', s.on_hand,
        'reserved', s.reserved, 'available', case when w.sellable then greatest(s.on_hand - s.reserved, 0) else 0 end,
        'min_qty', s.min_qty, 'updated_at', ${dateTimeSql('s.updated_at')})
      from product_variants v
      join products p on p.app_id = s.app_id and p.id = v.product_id
      join warehouses w on w.app_id = s.app_id and w.id = s.warehouse_id
      where v.app_id = s.app_id and v.id = s.product_variant_id
    ) as data
    from stocks s where s.app_id = $1 and ${among('s.id', 'page')}
  ) as row`;

const IS_IN_WAREHOUSE =
  's.warehouse_id = any(array(select id from warehouses where app_id = $1 and deleted_at is null))';
const PRODUCT_ID =
  '(select v.product_id from product_variants v where v.app_id = s.app_id and v.id = s.product_variant_id)';

/**
 * Walks variants in index order, so first pages are fast. `offset 0` makes the planner look shelves up by variant.
 * Without statistics it may prefer the index by warehouse.
 */
const selectByVariant = (conditions: readonly string[]): string => `
  select unnest(array(
    select s.id from (
      select id, warehouse_id from stocks where app_id = v.app_id and product_variant_id = v.id offset 0
    ) as s where ${IS_IN_WAREHOUSE} order by s.warehouse_id
  )) as id
  from product_variants v where ${['v.app_id = $1', ...conditions].join(' and ')} order by v.product_id, v.id`;

const selectOfWarehouse = (conditions: readonly string[]): string => `
  select s.id from stocks s where ${['s.app_id = $1', IS_IN_WAREHOUSE, ...conditions].join(' and ')}
  order by ${PRODUCT_ID}, s.product_variant_id`;

export async function stockListJson(
  database: Postgres,
  appId: number,
  { warehouseId, productId, variantId }: StockFilter,
  { offset, limit }: Page,
): Promise<string> {
  const values: unknown[] = [appId, offset, limit];
  const value = placeholders(values);
  const equalsSql = (column: string, id: number | undefined): string[] =>
    id === undefined ? [] : [`${column} = ${value(id)}::bigint`];
  const page =
    warehouseId === undefined
      ? selectByVariant([...equalsSql('v.product_id', productId), ...equalsSql('v.id', variantId)])
      : selectOfWarehouse([
          ...equalsSql('s.warehouse_id', warehouseId),
          ...equalsSql('s.product_variant_id', variantId),
          ...(productId === undefined ? [] : [`s.product_variant_id = ${anyVariantSql(value(productId))}`]),
        ]);
  const [row] = await database.rows<{ data: string }>(listSql(page), values);
  return row?.data ?? '[]';
}
