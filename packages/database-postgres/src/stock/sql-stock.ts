import { failedRows, plannedOf, type BulkOptions, type Clock } from '@back-office/kernel';
import { MATCHING } from '@back-office/matching';
import {
  planAdditions,
  planReconciliation,
  planStock,
  stockChangeEvents,
  makeStockMatchers,
  type StockAdditionResult,
  type OnHand,
  type ShelfQuantity,
  type StockMatchers,
  type StockReconciliationResult,
  type Stock,
  type StockChange,
  type StockQuantity,
  type WarehouseIdentifiers,
} from '@back-office/stock';
import { beginBulk, valuesOf } from '../bulk.js';
import { findVariants } from '../catalogue/named-variants.js';
import type { Transaction } from '../transaction.js';
import type { Postgres } from '../postgres.js';

// Serializes calls that add or set stock of a warehouse. A new shelf has no row to lock, so two calls could deadlock on
// it. Reservations do not wait, because `for key share` is compatible with this lock.
const LOCK_WAREHOUSES = `
  select id, code from warehouses
  where app_id = $1 and deleted_at is null and code = any($2::text[]) order by id for no key update`;

const LOCK_STOCK = `
  select s.product_variant_id as "variantId", s.warehouse_id as "warehouseId", s.on_hand as "onHand"
  from unnest($2::bigint[], $3::bigint[]) as shelf (variant_id, warehouse_id)
  join stocks s on s.app_id = $1 and s.product_variant_id = shelf.variant_id and s.warehouse_id = shelf.warehouse_id
    and s.product_variant_id = any($2::bigint[])
  order by s.product_variant_id, s.warehouse_id for update of s`;

// Updates before inserting, because PostgreSQL checks "never below 0" on an inserted row even if the row conflicts.
const BOOK_CHANGES = `
  with change as (
    select * from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
      as change (variant_id, warehouse_id, delta, min_qty)
  ), movement as (
    insert into stock_movements (app_id, warehouse_id, kind, reference, booked_at)
    select distinct $1::bigint, warehouse_id, $7::text, null, $6::timestamptz from change where delta <> 0
    order by warehouse_id
    returning id, warehouse_id
  ), line as (
    insert into stock_movement_lines (app_id, movement_id, product_variant_id, qty)
    select $1, movement.id, change.variant_id, change.delta
    from change join movement using (warehouse_id) where change.delta <> 0 order by movement.id, change.variant_id
  ), changed as (
    update stocks s set on_hand = s.on_hand + change.delta, updated_at = $6 from change
    where s.app_id = $1 and s.product_variant_id = change.variant_id and s.warehouse_id = change.warehouse_id
      and s.product_variant_id = any($2::bigint[])
    returning s.product_variant_id as variant_id, s.warehouse_id
  ), made as (
    insert into stocks (app_id, product_variant_id, warehouse_id, on_hand, min_qty, updated_at)
    select $1, variant_id, warehouse_id, delta, min_qty, $6 from change
    where (variant_id, warehouse_id) not in (select variant_id, warehouse_id from changed)
    order by variant_id, warehouse_id
    on conflict (app_id, product_variant_id, warehouse_id)
    do update set on_hand = stocks.on_hand + excluded.on_hand, updated_at = excluded.updated_at
  )
  select id from movement`;

interface StockRow {
  readonly variantId: number;
  readonly warehouseId: number;
  readonly onHand: number;
}

type StockRows = readonly (StockQuantity | string)[];

export class SqlStock implements Stock {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  add(appId: number, rows: StockRows, { explain, dryRun }: BulkOptions = {}): Promise<StockAdditionResult> {
    const work = async (transaction: Transaction): Promise<StockAdditionResult> => {
      await beginBulk(transaction, rows.length);
      const matchers = await lockWarehouses(transaction, appId, rows);
      const plan = planStock(rows, matchers);
      const { changes, outcomes } = planAdditions(
        plan.outcomes,
        await lockStock(transaction, appId, plannedOf(plan.outcomes)),
      );
      if (changes.length > 0) await bookChanges(transaction, appId, 'adjust', changes, this.clock.now());
      return { failed: failedRows(outcomes), explain: explain ? plan.explain() : undefined };
    };
    return this.database.transaction(work, { dryRun });
  }

  reconcile(
    appId: number,
    warehouseCode: string,
    rows: StockRows,
    { explain, dryRun }: BulkOptions = {},
  ): Promise<StockReconciliationResult | undefined> {
    const work = async (transaction: Transaction): Promise<StockReconciliationResult | undefined> => {
      await beginBulk(transaction, rows.length);
      const matchers = await lockWarehouse(transaction, appId, warehouseCode, rows);
      if (matchers === undefined) return undefined;
      const plan = planStock(rows, matchers);
      const onHand = await lockStock(transaction, appId, plannedOf(plan.outcomes));
      const { changes, failed } = planReconciliation(plan.outcomes, onHand);
      const [id] =
        changes.length > 0 ? await bookChanges(transaction, appId, 'reconcile', changes, this.clock.now()) : [];
      const movementId = dryRun ? null : (id ?? null);
      return { movementId, failed, explain: explain ? plan.explain() : undefined };
    };
    return this.database.transaction(work, { dryRun });
  }
}

async function lockWarehouses(transaction: Transaction, appId: number, rows: StockRows): Promise<StockMatchers> {
  transaction.locks('warehouse');
  const codes = valuesOf(validRows(rows), 'warehouse_code');
  const warehouses = await transaction.rows<WarehouseIdentifiers>(LOCK_WAREHOUSES, [appId, codes]);
  return makeStockMatchers(
    MATCHING['PUT /int/stocks'],
    await findVariants(transaction, appId, validRows(rows)),
    warehouses,
  );
}

async function lockWarehouse(
  transaction: Transaction,
  appId: number,
  code: string,
  rows: StockRows,
): Promise<StockMatchers | undefined> {
  transaction.locks('warehouse');
  const warehouses = await transaction.rows<WarehouseIdentifiers>(LOCK_WAREHOUSES, [appId, [code]]);
  if (warehouses.length === 0) return undefined;
  return makeStockMatchers(
    MATCHING['POST /stock/reconcile'],
    await findVariants(transaction, appId, validRows(rows)),
    warehouses,
  );
}

function validRows(rows: StockRows): StockQuantity[] {
  return rows.filter((row) => typeof row !== 'string');
}

async function lockStock(
  transaction: Transaction,
  appId: number,
  plannedRows: readonly ShelfQuantity[],
): Promise<OnHand> {
  transaction.locks('stock');
  const shelves = new Map(plannedRows.map((row) => [`${row.variantId}/${row.warehouseId}`, row]));
  const rows = await transaction.rows<StockRow>(LOCK_STOCK, [
    appId,
    [...shelves.values()].map((shelf) => shelf.variantId),
    [...shelves.values()].map((shelf) => shelf.warehouseId),
  ]);
  const onHand = new Map(rows.map((row) => [`${row.variantId}/${row.warehouseId}`, row.onHand]));
  return (variantId, warehouseId) => onHand.get(`${variantId}/${warehouseId}`);
}

async function bookChanges(
  transaction: Transaction,
  appId: number,
  kind: 'adjust' | 'reconcile',
  changes: readonly StockChange[],
  now: Date,
): Promise<number[]> {
  transaction.publish(appId, now, stockChangeEvents(changes));
  const movements = await transaction.runLast<{ id: number }>(BOOK_CHANGES, [
    appId,
    changes.map((change) => change.variantId),
    changes.map((change) => change.warehouseId),
    changes.map((change) => change.delta),
    changes.map((change) => change.minQty),
    now,
    kind,
  ]);
  return movements.map(({ id }) => id);
}
