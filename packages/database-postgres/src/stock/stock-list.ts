import type { StockFilter } from '@back-office/stock';
import type { Page, Position, Sorting } from '@back-office/kernel';
import { among, rowById } from '../lists/list-conditions.js';
import type { Statement } from '../connection/sql.js';
import { dateTimeSql } from '../lists/json-sql.js';
import { pageBounds, type PageBounds } from '../lists/page-bounds.js';
import { placeholders, type Placeholder } from '../lists/placeholders.js';
import { afterSql, orderSql, pageCte, positionSql, type SortKey } from '../lists/sort-keys.js';
import { anyVariantSql } from './variants-of.js';
import { outerApp } from '../connection/outer-app.js';

const STOCK_JSON = `(
      select json_build_object('id', s.id, 'product_id', v.product_id, 'product_variant_id', v.id, 'product_name', p.name,
        'code', v.code, 'barcode', v.barcode, 'warehouse_id', w.id, 'warehouse_code', w.code, 'on_hand', s.on_hand,
        'reserved', s.reserved, 'available', case when w.sellable then greatest(s.on_hand - s.reserved, 0) else 0 end,
        'min_qty', s.min_qty, 'updated_at', ${dateTimeSql('s.updated_at')})
      from (${rowById('product_variants', outerApp('s'), 's.product_variant_id')}) v
      cross join lateral (${rowById('products', outerApp('s'), 'v.product_id')}) p
      cross join lateral (${rowById('warehouses', outerApp('s'), 's.warehouse_id')}) w
    )`;

/**
 * Joins details on the row's `app_id` instead of `$1`: in an app without statistics, `$1` could make the planner
 * compare all rows with all others.
 */
const listSql = (page: string, keys: readonly SortKey[], bounds: PageBounds): string => `
  with ${pageCte(`${page} ${bounds.clause}`)}
  select coalesce(json_agg(row.data order by ${orderSql(keys.map((key) => ({ ...key, sql: `row.${key.sql}` })))}), '[]')::text as data, (
    select ${positionSql(stockKeys(keys))} from stocks s
    where s.app_id = $1 and s.id = (select id from page where ordinal = ${bounds.limit})
  ) as "end"
  from (
    select s.id, s.product_variant_id, s.warehouse_id, s.updated_at, ${PRODUCT_ID} as product_id, ${STOCK_JSON} as data
    from stocks s where s.app_id = $1 and ${among('s.id', 'page')}
  ) as row`;

const IS_IN_WAREHOUSE =
  's.warehouse_id = any(array(select id from warehouses where app_id = $1 and deleted_at is null))';
const PRODUCT_ID = `(select v.product_id from (${rowById('product_variants', outerApp('s'), 's.product_variant_id')}) v)`;

const BY_SHELF: readonly SortKey[] = ['product_id', 'product_variant_id', 'warehouse_id'].map((sql) => ({
  sql,
  type: 'bigint',
  direction: 'asc',
}));

function byChange({ direction }: Sorting): readonly SortKey[] {
  return [
    { sql: 'updated_at', type: 'timestamptz', direction },
    { sql: 'id', type: 'bigint', direction },
  ];
}

function stockKeys(keys: readonly SortKey[]): readonly SortKey[] {
  return keys.map((key) => ({ ...key, sql: key.sql === 'product_id' ? PRODUCT_ID : `s.${key.sql}` }));
}

/**
 * Reads variants in index order, so that first pages are fast. `offset 0` makes the planner look up shelves by variant;
 * without statistics, it may prefer the index by warehouse.
 */
function selectByVariant(conditions: readonly string[], after: Position | undefined, value: Placeholder): string {
  const afterShelf = after === undefined ? [] : [afterSql(SHELF_KEYS, after, value)];
  // `afterSql` above has validated the position.
  const afterVariant =
    after === undefined ? [] : [`(v.product_id, v.id) >= (${value(after[0])}::bigint, ${value(after[1])}::bigint)`];
  return `
  select unnest(array(
    select s.id from (
      select id, warehouse_id from stocks where app_id = ${outerApp('v')} and product_variant_id = v.id offset 0
    ) as s where ${[IS_IN_WAREHOUSE, ...afterShelf].join(' and ')} order by s.warehouse_id
  )) as id
  from product_variants v where ${['v.app_id = $1', ...conditions, ...afterVariant].join(' and ')}
  order by v.product_id, v.id`;
}

const SHELF_KEYS: readonly SortKey[] = ['v.product_id', 'v.id', 's.warehouse_id'].map((sql) => ({
  sql,
  type: 'bigint',
  direction: 'asc',
}));

function selectStocks(
  conditions: readonly string[],
  keys: readonly SortKey[],
  after: Position | undefined,
  value: Placeholder,
): string {
  const isAfter = after === undefined ? [] : [afterSql(stockKeys(keys), after, value)];
  return `
  select s.id from stocks s where ${['s.app_id = $1', IS_IN_WAREHOUSE, ...conditions, ...isAfter].join(' and ')}
  order by ${orderSql(stockKeys(keys))}`;
}

export function stockListStatement(
  appId: number,
  { warehouseId, productId, variantId, updatedAfter }: StockFilter,
  page: Page,
  sorting?: Sorting,
): Statement {
  const { after } = page;
  const values: unknown[] = [appId];
  const value = placeholders(values);
  const equalsSql = (column: string, id: number | undefined): string[] =>
    id === undefined ? [] : [`${column} = ${value(id)}::bigint`];
  const keys = sorting ? byChange(sorting) : BY_SHELF;
  const ids =
    warehouseId === undefined && updatedAfter === undefined && sorting === undefined
      ? selectByVariant([...equalsSql('v.product_id', productId), ...equalsSql('v.id', variantId)], after, value)
      : selectStocks(
          [
            ...equalsSql('s.warehouse_id', warehouseId),
            ...equalsSql('s.product_variant_id', variantId),
            ...(productId === undefined ? [] : [`s.product_variant_id = ${anyVariantSql(value(productId))}`]),
            ...(updatedAfter === undefined ? [] : [`s.updated_at >= ${value(updatedAfter)}`]),
          ],
          keys,
          after,
          value,
        );
  return { text: listSql(ids, keys, pageBounds(page, value)), values };
}

/** Joins the requested pairs. Two separate conditions on variants and warehouses would match more shelves. */
export const FIND_SHELVES = `
  select ${STOCK_JSON} as data
  from unnest($2::bigint[], $3::bigint[]) as shelf (variant_id, warehouse_id)
  join stocks s on s.app_id = $1 and s.product_variant_id = shelf.variant_id and s.warehouse_id = shelf.warehouse_id
    and s.product_variant_id = any($2::bigint[])
  where ${IS_IN_WAREHOUSE}`;
