import type { Clock } from '@back-office/kernel';
import { beginBulk } from '../database/bulk.js';
import type { Database, Transaction } from '../database/database.js';
import {
  addUp,
  placeRows,
  type FailedRow,
  type OnHand,
  type Placed,
  type StockChange,
  type StockWish,
  type VariantKeys,
  type WarehouseKey,
} from './stock-rows.js';

const FIND_VARIANTS = `
  select id, code, barcode, external_ref from product_variants
  where app_id = $1 and (code = any($2::text[]) or barcode = any($3::text[]) or external_ref = any($4::text[]))`;

// The lock keeps a warehouse from being deleted while stock is put into it.
const HOLD_WAREHOUSES = `
  select id, code from warehouses
  where app_id = $1 and deleted_at is null and code = any($2::text[]) order by id for share`;

const LOCK_STOCK = `
  select s.product_variant_id as "variantId", s.warehouse_id as "warehouseId", s.on_hand as "onHand"
  from unnest($2::bigint[], $3::bigint[]) as place (variant_id, warehouse_id)
  join stocks s on s.app_id = $1 and s.product_variant_id = place.variant_id and s.warehouse_id = place.warehouse_id
  order by s.product_variant_id, s.warehouse_id for update of s`;

/**
 * One movement per warehouse. A place without a stock row gets one; should another call have made it, the sums meet.
 * A row is changed before one is inserted: PostgreSQL would hold even a conflicting row against "never below 0".
 */
const BOOK = `
  with change as (
    select * from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
      as change (variant_id, warehouse_id, delta, min_qty)
  ), movement as (
    insert into stock_movements (app_id, warehouse_id, kind, reference, booked_at)
    select distinct $1::bigint, warehouse_id, 'adjust', null, $6::timestamptz from change where delta <> 0
    returning id, warehouse_id
  ), line as (
    insert into stock_movement_lines (app_id, movement_id, product_variant_id, qty)
    select $1, movement.id, change.variant_id, change.delta
    from change join movement using (warehouse_id) where change.delta <> 0
  ), changed as (
    update stocks s set on_hand = s.on_hand + change.delta, updated_at = $6 from change
    where s.app_id = $1 and s.product_variant_id = change.variant_id and s.warehouse_id = change.warehouse_id
    returning s.product_variant_id as variant_id, s.warehouse_id
  )
  insert into stocks (app_id, product_variant_id, warehouse_id, on_hand, min_qty, updated_at)
  select $1, variant_id, warehouse_id, delta, min_qty, $6 from change
  where (variant_id, warehouse_id) not in (select variant_id, warehouse_id from changed)
  order by variant_id, warehouse_id
  on conflict (app_id, product_variant_id, warehouse_id)
  do update set on_hand = stocks.on_hand + excluded.on_hand, updated_at = excluded.updated_at`;

interface StockPlace {
  readonly variantId: number;
  readonly warehouseId: number;
  readonly onHand: number;
}

export class TypeOrmStocks {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Adds quantities to stock. Rows that fail change nothing; the others are written together. */
  add(appId: number, rows: readonly (StockWish | string)[]): Promise<readonly FailedRow[]> {
    return this.database.transaction(async (transaction) => {
      await beginBulk(transaction, rows.length);
      const { placed, failed } = await place(transaction, appId, rows);
      const { changes, failed: negative } = addUp(placed, await lock(transaction, appId, placed));
      if (changes.length > 0) await book(transaction, appId, changes, this.clock.now());
      return [...failed, ...negative].sort((a, b) => a.row - b.row);
    });
  }
}

async function place(transaction: Transaction, appId: number, rows: readonly (StockWish | string)[]) {
  const wishes = rows.filter((row) => typeof row !== 'string');
  const named = (field: 'code' | 'barcode' | 'external_ref' | 'warehouse_code') => [
    ...new Set(wishes.flatMap((wish) => wish[field] ?? [])),
  ];
  transaction.locks('warehouse');
  const warehouses = await transaction.rows<WarehouseKey>(HOLD_WAREHOUSES, [appId, named('warehouse_code')]);
  const variants = await transaction.rows<VariantKeys>(FIND_VARIANTS, [
    appId,
    named('code'),
    named('barcode'),
    named('external_ref'),
  ]);
  return placeRows(rows, variants, warehouses);
}

async function lock(transaction: Transaction, appId: number, placed: readonly Placed[]): Promise<OnHand> {
  transaction.locks('stock');
  const places = new Map(placed.map((each) => [`${each.variantId}/${each.warehouseId}`, each]));
  const rows = await transaction.rows<StockPlace>(LOCK_STOCK, [
    appId,
    [...places.values()].map((each) => each.variantId),
    [...places.values()].map((each) => each.warehouseId),
  ]);
  const found = new Map(rows.map((row) => [`${row.variantId}/${row.warehouseId}`, row.onHand]));
  return (variantId, warehouseId) => found.get(`${variantId}/${warehouseId}`);
}

async function book(
  transaction: Transaction,
  appId: number,
  changes: readonly StockChange[],
  now: Date,
): Promise<void> {
  await transaction.last(BOOK, [
    appId,
    changes.map((change) => change.variantId),
    changes.map((change) => change.warehouseId),
    changes.map((change) => change.delta),
    changes.map((change) => change.minQty),
    now,
  ]);
}
