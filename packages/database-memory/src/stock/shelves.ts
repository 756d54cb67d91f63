import type { StockRow } from '@back-office/proforma';
import { groupBy, sortBy } from '../lists.js';
import type { State } from '../state.js';
import type { StoredStock, StoredWarehouse } from './records.js';

export interface Shelf {
  readonly variantId: number;
  readonly warehouseId: number;
}

export function shelfKey({ variantId, warehouseId }: Shelf): string {
  return `${variantId}/${warehouseId}`;
}

export function stockByShelf({ stocks }: State, appId: number): Map<string, StoredStock> {
  return new Map(
    stocks
      .all(appId)
      .map((row) => [shelfKey({ variantId: row.product_variant_id, warehouseId: row.warehouse_id }), row]),
  );
}

export function availableOf({ on_hand, reserved }: StoredStock, warehouse: StoredWarehouse | undefined): number {
  return warehouse?.sellable ? Math.max(on_hand - reserved, 0) : 0;
}

export function isSellable({ warehouses }: State, appId: number, warehouseId: number): boolean {
  const warehouse = warehouses.get(appId, warehouseId);
  return warehouse !== undefined && warehouse.sellable && warehouse.deleted_at === null;
}

export function stockRows(state: State, appId: number, shelves: readonly Shelf[]): StockRow[] {
  const rowByShelf = stockByShelf(state, appId);
  const shelfRows = [...new Set(shelves.map(shelfKey))].flatMap((key) => rowByShelf.get(key) ?? []);
  return sortForLocking(shelfRows.flatMap((row) => toStockRow(state, appId, row)));
}

export interface ShelfDemand {
  readonly variantId: number;
  /** Null allows every sellable warehouse. */
  readonly warehouseId: number | null;
}

export function sellableStock(state: State, appId: number, demands: readonly ShelfDemand[]): StockRow[] {
  const byVariant = groupBy(demands, ({ variantId }) => variantId);
  const canServe = (row: StoredStock): boolean =>
    (byVariant.get(row.product_variant_id) ?? []).some(
      ({ warehouseId }) => warehouseId === null || warehouseId === row.warehouse_id,
    );
  const servingRows = state.stocks
    .all(appId)
    .filter((row) => isSellable(state, appId, row.warehouse_id) && canServe(row));
  return sortForLocking(servingRows.flatMap((row) => toStockRow(state, appId, row)));
}

function toStockRow({ warehouses }: State, appId: number, row: StoredStock): StockRow[] {
  const { product_variant_id: variantId, warehouse_id: warehouseId, on_hand: onHand, reserved } = row;
  const warehouse = warehouses.get(appId, warehouseId);
  return warehouse === undefined ? [] : [{ variantId, warehouseId, warehouseCode: warehouse.code, onHand, reserved }];
}

function sortForLocking(rows: readonly StockRow[]): StockRow[] {
  return sortBy(rows, [({ variantId }) => variantId, ({ warehouseId }) => warehouseId]);
}
