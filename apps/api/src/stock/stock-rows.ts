import { LONGEST_STRING } from '@back-office/kernel';
import { MATCHING, matcherOf, type Matcher } from '@back-office/matching';
import { isQuantity, isRow, wrongText } from '../http/row-check.js';

export interface StockWish {
  readonly code?: string | null | undefined;
  readonly barcode?: string | null | undefined;
  readonly external_ref?: string | null | undefined;
  readonly warehouse_code?: string | null | undefined;
  readonly qty: number;
  readonly min_qty?: number | null;
}

export interface VariantKeys {
  readonly id: number;
  readonly code: string;
  readonly barcode: string | null;
  readonly external_ref: string | null;
}

export interface WarehouseKey {
  readonly id: number;
  readonly code: string;
}

/** A row that found its place. */
export interface Placed {
  readonly row: number;
  readonly variantId: number;
  readonly warehouseId: number;
  readonly qty: number;
  readonly minQty: number | null;
}

export interface FailedRow {
  readonly row: number;
  readonly key: string;
}

const VARIANT = ['code', 'barcode', 'external_ref'] as const;
const LARGEST_QTY = 1_000_000_000;

/** A row of PUT /int/stocks as a wish, or the key of why it fails. */
export function stockWish(row: unknown): StockWish | string {
  if (!isRow(row) || VARIANT.some((name) => isUnusable(row[name]))) return 'API.Stocks.VariantNotFound';
  if (isUnusable(row['warehouse_code'])) return 'API.Stocks.WarehouseNotFound';
  const minQty = row['min_qty'];
  if (!isUsable(row['qty'])) return 'API.Stocks.InvalidQty';
  if (minQty !== undefined && minQty !== null && !(isUsable(minQty) && minQty >= 0)) return 'API.Stocks.InvalidQty';
  const { code, barcode, external_ref, warehouse_code } = row as unknown as StockWish;
  return { code, barcode, external_ref, warehouse_code, qty: row['qty'], min_qty: minQty ?? null };
}

/** Finds the variant and the warehouse of each row, in the order of the matching table. */
export function placeRows(
  rows: readonly (StockWish | string)[],
  variants: readonly VariantKeys[],
  warehouses: readonly WarehouseKey[],
): { readonly placed: readonly Placed[]; readonly failed: readonly FailedRow[] } {
  const order = MATCHING['PUT /int/stocks'];
  const byVariant = matcherOf(order.variant, variants);
  const byWarehouse = matcherOf(order.warehouse, warehouses);
  const outcomes = rows.map((row, index) => placeRow(row, index, byVariant, byWarehouse));
  return {
    placed: outcomes.filter((each): each is Placed => 'qty' in each),
    failed: outcomes.filter((each): each is FailedRow => 'key' in each),
  };
}

function placeRow(
  row: StockWish | string,
  index: number,
  variants: Matcher<VariantKeys>,
  warehouses: Matcher<WarehouseKey>,
): Placed | FailedRow {
  if (typeof row === 'string') return { row: index, key: row };
  const variant = variants.find(row);
  if (variant === undefined) return { row: index, key: 'API.Stocks.VariantNotFound' };
  const warehouse = warehouses.find({ code: row.warehouse_code });
  if (warehouse === undefined) return { row: index, key: 'API.Stocks.WarehouseNotFound' };
  return { row: index, variantId: variant.id, warehouseId: warehouse.id, qty: row.qty, minQty: row.min_qty ?? null };
}

export interface StockChange {
  readonly variantId: number;
  readonly warehouseId: number;
  /** Sum of all rows of this place. */
  readonly delta: number;
  /** Only for a place that has no stock row yet. */
  readonly minQty: number;
}

export type OnHand = (variantId: number, warehouseId: number) => number | undefined;

/** Adds the rows up place by place, in input order; a row that would take stock below zero fails and adds nothing. */
export function addUp(
  placed: readonly Placed[],
  onHand: OnHand,
): { readonly changes: readonly StockChange[]; readonly failed: readonly FailedRow[] } {
  const changes = new Map<string, { -readonly [Key in keyof StockChange]: StockChange[Key] }>();
  const failed: FailedRow[] = [];
  for (const { row, variantId, warehouseId, qty, minQty } of placed) {
    const place = `${variantId}/${warehouseId}`;
    const change = changes.get(place) ?? { variantId, warehouseId, delta: 0, minQty: 0 };
    const after = (onHand(variantId, warehouseId) ?? 0) + change.delta + qty;
    if (after < 0 || after > LARGEST_QTY) {
      failed.push({ row, key: after < 0 ? 'API.Stocks.NegativeStock' : 'API.Stocks.InvalidQty' });
      continue;
    }
    changes.set(place, { ...change, delta: change.delta + qty, minQty: minQty ?? change.minQty });
  }
  return { changes: [...changes.values()].sort(byPlace), failed };
}

function byPlace(a: StockChange, b: StockChange): number {
  return a.variantId - b.variantId || a.warehouseId - b.warehouseId;
}

function isUsable(value: unknown): value is number {
  return isQuantity(value) && Math.abs(value) <= LARGEST_QTY;
}

/** Whether an identifier is nothing that a record can have; the next one is not tried in its place. */
function isUnusable(value: unknown): boolean {
  return wrongText(value, LONGEST_STRING, false) !== undefined;
}
