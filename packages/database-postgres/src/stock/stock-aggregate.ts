import type { StockAggregateFilter } from '@back-office/stock';
import type { Page } from '@back-office/kernel';
import { among, listed } from '../lists/list-conditions.js';
import type { Postgres } from '../connection/postgres.js';
import { outerApp } from '../connection/outer-app.js';

const IN_WAREHOUSE = `
  select k.product_variant_id from stocks k join warehouses w on w.app_id = $1 and w.id = k.warehouse_id
  where k.app_id = $1 and k.warehouse_id = $8 and w.deleted_at is null`;

const AGGREGATE_STOCK = `
  with page as (
    select id from product_variants
    where app_id = $1 and ($2::text is null or code = $2) and ($3::text is null or barcode = $3)
      and ($4::bigint is null or product_id = $4) and ($7::bigint is null or id = $7)
      and ($8::bigint is null or ${listed('id', IN_WAREHOUSE)})
    order by id offset $5 limit $6
  )
  select coalesce(json_agg((
    select json_build_object(
      'product_id', v.product_id, 'product_variant_id', v.id, 'code', v.code, 'on_hand', coalesce(sum(on_hand), 0),
      'reserved', coalesce(sum(reserved), 0), 'available', coalesce(sum(available), 0),
      'warehouses', coalesce(json_agg(json_build_object(
        'warehouse_id', warehouse_id, 'warehouse_code', warehouse_code, 'on_hand', on_hand, 'reserved', reserved, 'available', available
      ) order by warehouse_code), '[]')
    ) from (
      select w.id as warehouse_id, w.code as warehouse_code, k.on_hand, k.reserved,
        case when w.sellable then greatest(k.on_hand - k.reserved, 0) else 0 end as available
      from stocks k join warehouses w on w.app_id = ${outerApp('v')} and w.id = k.warehouse_id
      where k.app_id = ${outerApp('v')} and k.product_variant_id = v.id and w.deleted_at is null
        and ($8::bigint is null or w.id = $8)
    ) as shelf
  ) order by v.id), '[]')::text as data
  from product_variants v where v.app_id = $1 and ${among('v.id', 'page')}`;

export async function stockAggregateJson(
  database: Postgres,
  appId: number,
  { code, barcode, productId, variantId, warehouseId }: StockAggregateFilter,
  { offset, limit }: Page,
): Promise<string> {
  const texts = [code ?? null, barcode ?? null];
  const values = [appId, ...texts, productId ?? null, offset, limit, variantId ?? null, warehouseId ?? null];
  const [row] = await database.rows<{ data: string }>(AGGREGATE_STOCK, values);
  return row?.data ?? '[]';
}
