import { LONGEST_STRING } from '@back-office/kernel';
import { explanationOf, matcherOf, type Explanation, type Identifier, type Matcher } from '@back-office/matching';
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

/** All keys by which a row of stock may fail; a count names its warehouse for all rows. */
export const COUNT_KEYS = ['VariantNotFound', 'InvalidQty', 'NegativeStock'].map((rule) => `API.Stocks.${rule}`);
export const STOCK_KEYS = [...COUNT_KEYS, 'API.Stocks.WarehouseNotFound'];

/** A row of PUT /int/stocks as a wish, or the key of why it fails. */
export function stockWish(row: unknown): StockWish | string {
  if (!isRow(row) || VARIANT.some((name) => isUnusable(row[name]))) return 'API.Stocks.VariantNotFound';
  if (isUnusable(row['warehouse_code'])) return 'API.Stocks.WarehouseNotFound';
  const minQty = row['min_qty'];
  if (!isUsable(row['qty'])) return 'API.Stocks.InvalidQty';
  if (minQty !== undefined && minQty !== null && !isCount(minQty)) return 'API.Stocks.InvalidQty';
  const { code, barcode, external_ref, warehouse_code } = row as unknown as StockWish;
  return { code, barcode, external_ref, warehouse_code, qty: row['qty'], min_qty: minQty ?? null };
}

/** Where rows of stock are to be found. */
export interface Places {
  readonly variants: Matcher<VariantKeys>;
  readonly warehouses: Matcher<WarehouseKey>;
}

/** The variants and warehouses that a call may name, to be tried in the call's order of the matching table. */
export function placesOf(
  order: Readonly<Record<'variant' | 'warehouse', readonly Identifier[]>>,
  variants: readonly VariantKeys[],
  warehouses: readonly WarehouseKey[],
): Places {
  return { variants: matcherOf(order.variant, variants), warehouses: matcherOf(order.warehouse, warehouses) };
}

/** How each row finds its variant and its warehouse. A row that cannot be read names nothing. */
export function explainRows(rows: readonly (StockWish | string)[], { variants, warehouses }: Places): Explanation[][] {
  return rows.map((row) => {
    if (typeof row === 'string') return [];
    const warehouse = warehouses.explain({ code: row.warehouse_code });
    return [explanationOf('variant', variants.explain(row)), explanationOf('warehouse', warehouse)];
  });
}

/** Finds the variant and the warehouse of each row. */
export function placeRows(
  rows: readonly (StockWish | string)[],
  places: Places,
): { readonly placed: readonly Placed[]; readonly failed: readonly FailedRow[] } {
  const outcomes = rows.map((row, index) => placeRow(row, index, places));
  return {
    placed: outcomes.filter((each): each is Placed => 'qty' in each),
    failed: outcomes.filter((each): each is FailedRow => 'key' in each),
  };
}

function placeRow(row: StockWish | string, index: number, { variants, warehouses }: Places): Placed | FailedRow {
  if (typeof row === 'string') return { row: index, key: row };
  const variant = variants.find(row);
  if (variant === undefined) return { row: index, key: 'API.Stocks.VariantNotFound' };
  const warehouse = warehouses.find({ code: row.warehouse_code });
  if (warehouse === undefined) return { row: index, key: 'API.Stocks.WarehouseNotFound' };
  return { row: index, variantId: variant.id, warehouseId: warehouse.id, qty: row.qty, minQty: row.min_qty ?? null };
}

/** A row of POST /stock/reconcile as a wish for the counted warehouse, or the key of why it fails. */
export function countWish(row: unknown, warehouseCode: string): StockWish | string {
  if (!isRow(row) || isUnusable(row['sku'])) return 'API.Stocks.VariantNotFound';
  if (!isCount(row['qty'])) return 'API.Stocks.InvalidQty';
  return { code: row['sku'] as string | null | undefined, warehouse_code: warehouseCode, qty: row['qty'] };
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

/** What makes on hand the counted quantity, whatever is reserved; of two counts of a place the later one is right. */
export function differences(counted: readonly Placed[], onHand: OnHand): readonly StockChange[] {
  const last = new Map(counted.map((count) => [`${count.variantId}/${count.warehouseId}`, count]));
  return [...last.values()]
    .map(({ variantId, warehouseId, qty }) => ({
      variantId,
      warehouseId,
      delta: qty - (onHand(variantId, warehouseId) ?? 0),
      minQty: 0,
    }))
    .filter(({ delta }) => delta !== 0)
    .sort(byPlace);
}

function byPlace(a: StockChange, b: StockChange): number {
  return a.variantId - b.variantId || a.warehouseId - b.warehouseId;
}

function isUsable(value: unknown): value is number {
  return isQuantity(value) && Math.abs(value) <= LARGEST_QTY;
}

function isCount(value: unknown): value is number {
  return isUsable(value) && value >= 0;
}

/** Whether an identifier is nothing that a record can have; the next one is not tried in its place. */
function isUnusable(value: unknown): boolean {
  return wrongText(value, LONGEST_STRING, false) !== undefined;
}
