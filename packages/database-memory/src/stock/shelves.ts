import type { StockRow } from '@back-office/proforma';
import { groupedBy, sortedBy } from '../lists.js';
import type { State } from '../state.js';
import type { StoredStock, StoredWarehouse } from './records.js';

/** A variant in a warehouse. */
export interface Shelf {
  readonly variantId: number;
  readonly warehouseId: number;
}

export function shelfKey({ variantId, warehouseId }: Shelf): string {
  return `${variantId}/${warehouseId}`;
}

/** Stock rows of the app by {@link shelfKey}. */
export function stockByShelf({ stocks }: State, appId: number): Map<string, StoredStock> {
  return new Map(
    stocks
      .all(appId)
      .map((row) => [shelfKey({ variantId: row.product_variant_id, warehouseId: row.warehouse_id }), row]),
  );
}

/** Pieces for sale; 0 in warehouses that do not sell. */
export function availableOf({ on_hand, reserved }: StoredStock, warehouse: StoredWarehouse | undefined): number {
  return warehouse?.sellable ? Math.max(on_hand - reserved, 0) : 0;
}

/** Whether the app has this warehouse and it sells. */
export function isSelling({ warehouses }: State, appId: number, warehouseId: number): boolean {
  const warehouse = warehouses.get(appId, warehouseId);
  return warehouse !== undefined && warehouse.sellable && warehouse.deleted_at === null;
}

/** Existing stock rows of the shelves, sorted by variant and warehouse. */
export function stockRows(state: State, appId: number, shelves: readonly Shelf[]): StockRow[] {
  const rows = stockByShelf(state, appId);
  const found = [...new Set(shelves.map(shelfKey))].flatMap((key) => rows.get(key) ?? []);
  return inLockOrder(found.flatMap((row) => toStockRow(state, appId, row)));
}

export interface Wanted {
  readonly variantId: number;
  /** The only usable warehouse; null for any. */
  readonly warehouseId: number | null;
}

/** Stock rows of the variants in sellable warehouses, each once, sorted by variant and warehouse. */
export function sellableStock(state: State, appId: number, wanted: readonly Wanted[]): StockRow[] {
  const byVariant = groupedBy(wanted, ({ variantId }) => variantId);
  const mayServe = (row: StoredStock): boolean =>
    (byVariant.get(row.product_variant_id) ?? []).some(
      ({ warehouseId }) => warehouseId === null || warehouseId === row.warehouse_id,
    );
  const found = state.stocks.all(appId).filter((row) => isSelling(state, appId, row.warehouse_id) && mayServe(row));
  return inLockOrder(found.flatMap((row) => toStockRow(state, appId, row)));
}

function toStockRow({ warehouses }: State, appId: number, row: StoredStock): StockRow[] {
  const { product_variant_id: variantId, warehouse_id: warehouseId, on_hand: onHand, reserved } = row;
  const warehouse = warehouses.get(appId, warehouseId);
  return warehouse === undefined ? [] : [{ variantId, warehouseId, warehouseCode: warehouse.code, onHand, reserved }];
}

function inLockOrder(rows: readonly StockRow[]): StockRow[] {
  return sortedBy(rows, [({ variantId }) => variantId, ({ warehouseId }) => warehouseId]);
}
