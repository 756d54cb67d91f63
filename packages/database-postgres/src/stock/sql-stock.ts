import { failedRows, plannedOf, type Clock, type Refusal } from '@back-office/kernel';
import { MATCHING, type BulkPlan } from '@back-office/matching';
import {
  limitCall,
  planAdditions,
  planReconciliation,
  planStock,
  stockEntries,
  stockChangeEvents,
  makeStockMatchers,
  type OnHand,
  type PlannedCall,
  type ShelfQuantity,
  type StockMatchers,
  type Stock,
  type StockCallKind,
  type StockCallOptions,
  type StockCallResult,
  type StockChange,
  type StockQuantity,
  type WarehouseIdentifiers,
} from '@back-office/stock';
import { beginBulk, valuesOf } from '../connection/bulk.js';
import { findVariants } from '../catalogue/named-variants.js';
import type { Transaction } from '../connection/transaction.js';
import type { Postgres } from '../connection/postgres.js';
import { bookOnce } from './stock-references.js';

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
    select distinct $1::bigint, warehouse_id, $7::text, $8::text, $6::timestamptz from change where delta <> 0
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

  add(appId: number, rows: StockRows, options: StockCallOptions = {}): Promise<StockCallResult | Refusal> {
    return this.call(appId, 'adjust', rows, options, async (transaction) => {
      const matchers = await lockWarehouses(transaction, appId, rows);
      const plan = planStock(rows, matchers);
      const onHand = await lockStock(transaction, appId, plannedOf(plan.outcomes));
      const { changes, outcomes } = planAdditions(plan.outcomes, onHand);
      return { plan, changes, failed: failedRows(outcomes) };
    });
  }

  reconcile(
    appId: number,
    warehouseCode: string,
    rows: StockRows,
    options: StockCallOptions = {},
  ): Promise<StockCallResult | Refusal | undefined> {
    return this.call(appId, 'reconcile', rows, options, async (transaction) => {
      const matchers = await lockWarehouse(transaction, appId, warehouseCode, rows);
      if (matchers === undefined) return undefined;
      const plan = planStock(rows, matchers);
      const onHand = await lockStock(transaction, appId, plannedOf(plan.outcomes));
      return { plan, ...planReconciliation(plan.outcomes, onHand) };
    });
  }

  private call<Planned extends LocatedCall | undefined>(
    appId: number,
    kind: StockCallKind,
    rows: StockRows,
    { explain, dryRun, reference, allOrNothing = false }: StockCallOptions,
    plan: (transaction: Transaction) => Promise<Planned>,
  ): Promise<StockCallResult | Refusal | Extract<Planned, undefined>> {
    type Result = StockCallResult | Extract<Planned, undefined>;
    const work = async (transaction: Transaction): Promise<Result | Refusal> => {
      await beginBulk(transaction, rows.length);
      const now = this.clock.now();
      const book = async (): Promise<Result> => {
        const planned = await plan(transaction);
        if (planned === undefined) return undefined as Result;
        const { changes, ...outcome } = limitCall(planned, rows.length, allOrNothing);
        const ids = changes.length > 0 ? await bookChanges(transaction, { appId, kind, reference, now }, changes) : [];
        return { ...outcome, movementIds: dryRun ? [] : ids, explain: explain ? planned.plan.explain() : undefined };
      };
      return reference ? bookOnce(transaction, { appId, kind, rows, reference, now }, book) : book();
    };
    return this.database.transaction(work, { dryRun });
  }
}

interface LocatedCall extends PlannedCall {
  readonly plan: BulkPlan<ShelfQuantity>;
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

interface Booking {
  readonly appId: number;
  readonly kind: StockCallKind;
  readonly reference: string | null | undefined;
  readonly now: Date;
}

/** Without a reference, this is the last statement of its transaction. */
async function bookChanges(
  transaction: Transaction,
  { appId, kind, reference = null, now }: Booking,
  changes: readonly StockChange[],
): Promise<number[]> {
  transaction.record(appId, now, {
    entries: stockEntries(kind, reference, changes),
    events: stockChangeEvents(changes),
  });
  const values = [
    appId,
    changes.map((change) => change.variantId),
    changes.map((change) => change.warehouseId),
    changes.map((change) => change.delta),
    changes.map((change) => change.minQty),
    now,
    kind,
    reference,
  ];
  const movements = await (reference === null
    ? transaction.runLast<{ id: number }>(BOOK_CHANGES, values)
    : transaction.rows<{ id: number }>(BOOK_CHANGES, values));
  return movements.map(({ id }) => id);
}
