import type { Clock } from '@back-office/kernel';
import { MATCHING, type Explanations } from '@back-office/matching';
import { findVariants } from '../catalogue/index.js';
import { beginBulk, valuesOf, type BulkOptions } from '../database/bulk.js';
import type { Database, Transaction } from '../database/database.js';
import {
  addUp,
  differences,
  explainRows,
  placeRows,
  placesOf,
  type FailedRow,
  type OnHand,
  type Placed,
  type Places,
  type StockChange,
  type StockWish,
  type WarehouseKey,
} from './stock-rows.js';

/**
 * Calls that put stock into a warehouse take turns there: a place without a stock row cannot be locked, so that two of
 * them would wait for each other's new rows, in a circle; and a count needs to know what is on hand there, too. The lock
 * also keeps the warehouse from being deleted. Whoever reserves, releases or ships waits for nothing but the stock rows
 * that both name: the foreign keys' own lock of the warehouse (`for key share`) goes along with this one.
 */
const HOLD_WAREHOUSES = `
  select id, code from warehouses
  where app_id = $1 and deleted_at is null and code = any($2::text[]) order by id for no key update`;

const LOCK_STOCK = `
  select s.product_variant_id as "variantId", s.warehouse_id as "warehouseId", s.on_hand as "onHand"
  from unnest($2::bigint[], $3::bigint[]) as place (variant_id, warehouse_id)
  join stocks s on s.app_id = $1 and s.product_variant_id = place.variant_id and s.warehouse_id = place.warehouse_id
    and s.product_variant_id = any($2::bigint[])
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
    select distinct $1::bigint, warehouse_id, $7::text, null, $6::timestamptz from change where delta <> 0
    returning id, warehouse_id
  ), line as (
    insert into stock_movement_lines (app_id, movement_id, product_variant_id, qty)
    select $1, movement.id, change.variant_id, change.delta
    from change join movement using (warehouse_id) where change.delta <> 0
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

interface StockPlace {
  readonly variantId: number;
  readonly warehouseId: number;
  readonly onHand: number;
}

export interface Added {
  readonly failed: readonly FailedRow[];
  readonly explain: Explanations | undefined;
}

export interface Reconciled extends Added {
  /** Null when every count was right, and in a dry run. */
  readonly movementId: number | null;
}

type Wishes = readonly (StockWish | string)[];

export class TypeOrmStocks {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Adds quantities to stock. Rows that fail change nothing; the others are written together. */
  add(appId: number, rows: Wishes, { explain, dryRun }: BulkOptions = {}): Promise<Added> {
    const work = async (transaction: Transaction): Promise<Added> => {
      await beginBulk(transaction, rows.length);
      const places = await holdPlaces(transaction, appId, rows);
      const { placed, failed } = placeRows(rows, places);
      const { changes, failed: negative } = addUp(placed, await lock(transaction, appId, placed));
      if (changes.length > 0) await book(transaction, appId, 'adjust', changes, this.clock.now());
      const inOrder = [...failed, ...negative].sort((a, b) => a.row - b.row);
      return { failed: inOrder, explain: explain ? explainRows(rows, places) : undefined };
    };
    return this.database.transaction(work, { rehearsal: dryRun });
  }

  /**
   * Makes on hand in a warehouse what was counted, also when that is less than what is reserved. Rows that fail change
   * nothing; the others are written in one movement. `undefined` when there is no such warehouse.
   */
  reconcile(
    appId: number,
    warehouseCode: string,
    rows: Wishes,
    { explain, dryRun }: BulkOptions = {},
  ): Promise<Reconciled | undefined> {
    const work = async (transaction: Transaction): Promise<Reconciled | undefined> => {
      await beginBulk(transaction, rows.length);
      const places = await holdForCount(transaction, appId, warehouseCode, rows);
      if (places === undefined) return undefined;
      const { placed, failed } = placeRows(rows, places);
      const changes = differences(placed, await lock(transaction, appId, placed));
      const [id] = changes.length > 0 ? await book(transaction, appId, 'reconcile', changes, this.clock.now()) : [];
      const explained = explain ? explainRows(rows, places) : undefined;
      return { movementId: dryRun ? null : (id ?? null), failed, explain: explained };
    };
    return this.database.transaction(work, { rehearsal: dryRun });
  }
}

async function holdPlaces(transaction: Transaction, appId: number, rows: Wishes): Promise<Places> {
  transaction.locks('warehouse');
  const codes = valuesOf(readable(rows), 'warehouse_code');
  const warehouses = await transaction.rows<WarehouseKey>(HOLD_WAREHOUSES, [appId, codes]);
  return placesOf(MATCHING['PUT /int/stocks'], await findVariants(transaction, appId, readable(rows)), warehouses);
}

async function holdForCount(
  transaction: Transaction,
  appId: number,
  code: string,
  rows: Wishes,
): Promise<Places | undefined> {
  transaction.locks('warehouse');
  const warehouses = await transaction.rows<WarehouseKey>(HOLD_WAREHOUSES, [appId, [code]]);
  if (warehouses.length === 0) return undefined;
  return placesOf(
    MATCHING['POST /stock/reconcile'],
    await findVariants(transaction, appId, readable(rows)),
    warehouses,
  );
}

/** The rows that can be read. */
function readable(rows: Wishes): StockWish[] {
  return rows.filter((row) => typeof row !== 'string');
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

/** Answers the ids of the movements. */
async function book(
  transaction: Transaction,
  appId: number,
  kind: 'adjust' | 'reconcile',
  changes: readonly StockChange[],
  now: Date,
): Promise<number[]> {
  const movements = await transaction.last<{ id: number }>(BOOK, [
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
