import { type FailedRow, type ParsedRow, planRows, type RowOutcome } from '@back-office/kernel';
import {
  type BulkPlan,
  type Explanation,
  explanationOf,
  type Identifier,
  type Matcher,
  matcherOf,
} from '@back-office/matching';

export const MAX_QUANTITY = 1_000_000_000;

/**
 * `qty` is the number of pieces to add or, in a count, the counted pieces. Identifiers determine variant and warehouse.
 */
export interface StockQuantity {
  readonly code?: string | null | undefined;
  readonly barcode?: string | null | undefined;
  readonly external_ref?: string | null | undefined;
  readonly warehouse_code?: string | null | undefined;
  readonly qty: number;
  readonly min_qty?: number | null;
  /** Only for counts: pieces that must be on hand before the call. */
  readonly expected_qty?: number | null;
}

export interface VariantIdentifiers {
  readonly id: number;
  readonly code: string | null;
  readonly barcode: string | null;
  readonly external_ref: string | null;
}

export interface WarehouseIdentifiers {
  readonly id: number;
  readonly code: string;
}

export interface ShelfQuantity {
  readonly variantId: number;
  readonly warehouseId: number;
  readonly qty: number;
  readonly minQty: number | null;
  /** Pieces that must be on hand before the call. */
  readonly expectedQty?: number | null;
}

export interface StockMatchers {
  readonly variants: Matcher<VariantIdentifiers>;
  readonly warehouses: Matcher<WarehouseIdentifiers>;
}

export function makeStockMatchers(
  order: Readonly<Record<'variant' | 'warehouse', readonly Identifier[]>>,
  variants: readonly VariantIdentifiers[],
  warehouses: readonly WarehouseIdentifiers[],
): StockMatchers {
  return { variants: matcherOf(order.variant, variants), warehouses: matcherOf(order.warehouse, warehouses) };
}

export function planStock(rows: readonly ParsedRow<StockQuantity>[], matchers: StockMatchers): BulkPlan<ShelfQuantity> {
  const outcomes = planRows(rows, (row: StockQuantity) => locate(row, matchers));
  return { outcomes, explain: () => rows.map((row) => (typeof row === 'string' ? [] : explainRow(row, matchers))) };
}

function locate(row: StockQuantity, { variants, warehouses }: StockMatchers): RowOutcome<ShelfQuantity> {
  const variant = variants.find(row);
  if (variant === undefined) return 'API.Stocks.VariantNotFound';
  const warehouse = warehouses.find({ code: row.warehouse_code });
  if (warehouse === undefined) return 'API.Stocks.WarehouseNotFound';
  return {
    variantId: variant.id,
    warehouseId: warehouse.id,
    qty: row.qty,
    minQty: row.min_qty ?? null,
    expectedQty: row.expected_qty ?? null,
  };
}

function explainRow(row: StockQuantity, { variants, warehouses }: StockMatchers): readonly Explanation[] {
  const warehouse = warehouses.explain({ code: row.warehouse_code });
  return [explanationOf('variant', variants.explain(row)), explanationOf('warehouse', warehouse)];
}

export interface StockChange {
  readonly variantId: number;
  readonly warehouseId: number;
  readonly delta: number;
  /** Applies only to a shelf that has no stock row. */
  readonly minQty: number;
}

export type OnHand = (variantId: number, warehouseId: number) => number | undefined;

/**
 * Sums the rows per shelf, in the order of the rows. A row that would reduce stock below zero fails and adds nothing.
 */
export function planAdditions(
  rows: readonly RowOutcome<ShelfQuantity>[],
  onHand: OnHand,
): { readonly outcomes: readonly RowOutcome<ShelfQuantity>[]; readonly changes: readonly StockChange[] } {
  const changes = new Map<string, { -readonly [Key in keyof StockChange]: StockChange[Key] }>();
  const outcomes = planRows(rows, (row: ShelfQuantity) => {
    const { variantId, warehouseId, qty, minQty } = row;
    const shelf = `${variantId}/${warehouseId}`;
    const change = changes.get(shelf) ?? { variantId, warehouseId, delta: 0, minQty: 0 };
    const newOnHand = (onHand(variantId, warehouseId) ?? 0) + change.delta + qty;
    if (newOnHand < 0) return 'API.Stocks.NegativeStock';
    if (newOnHand > MAX_QUANTITY) return 'API.Stocks.InvalidQty';
    changes.set(shelf, { ...change, delta: change.delta + qty, minQty: minQty ?? change.minQty });
    return row;
  });
  return { outcomes, changes: [...changes.values()].sort(byShelf) };
}

export const EXPECTED_QTY_DIFFERS = 'API.Stocks.ExpectedQtyDiffers';

export interface FailedCount extends FailedRow {
  /** Pieces on hand before the call; present if the row expected another number. */
  readonly onHand?: number;
}

/**
 * If several rows count a shelf, the last one wins. Expected quantities are compared with the stock before the call.
 */
export function planReconciliation(
  outcomes: readonly RowOutcome<ShelfQuantity>[],
  onHand: OnHand,
): { readonly failed: readonly FailedCount[]; readonly changes: readonly StockChange[] } {
  const failed: FailedCount[] = [];
  const counts: ShelfQuantity[] = [];
  for (const [row, outcome] of outcomes.entries()) {
    if (typeof outcome === 'string') failed.push({ row, key: outcome });
    else {
      const pieces = onHand(outcome.variantId, outcome.warehouseId) ?? 0;
      if ((outcome.expectedQty ?? pieces) === pieces) counts.push(outcome);
      else failed.push({ row, key: EXPECTED_QTY_DIFFERS, onHand: pieces });
    }
  }
  return { failed, changes: changesTo(counts, onHand) };
}

function changesTo(counts: readonly ShelfQuantity[], onHand: OnHand): readonly StockChange[] {
  const lastCounts = new Map(counts.map((count) => [`${count.variantId}/${count.warehouseId}`, count]));
  return [...lastCounts.values()]
    .map(({ variantId, warehouseId, qty }) => ({
      variantId,
      warehouseId,
      delta: qty - (onHand(variantId, warehouseId) ?? 0),
      minQty: 0,
    }))
    .filter(({ delta }) => delta !== 0)
    .sort(byShelf);
}

function byShelf(a: StockChange, b: StockChange): number {
  return a.variantId - b.variantId || a.warehouseId - b.warehouseId;
}
