import { withoutAvailableStock, type StockDemand, type StockRow } from '@back-office/proforma';
import type { Sql } from '../connection/sql.js';
import { LOCK_SHELVES, LOCK_SHELVES_AND_SOURCES, SHARE_WAREHOUSES } from '../stock/reservations.js';

export async function lockStock(sql: Sql, appId: number, demands: readonly StockDemand[]): Promise<StockRow[]> {
  const increasedDemands = demands.filter(({ delta }) => delta > 0);
  const shelves = [demands.map(({ variantId }) => variantId), demands.map(({ warehouseId }) => warehouseId)];
  if (increasedDemands.length === 0) return sql.rows<StockRow>(LOCK_SHELVES, [appId, ...shelves]);
  const stock = await sql.rows<StockRow>(LOCK_SHELVES_AND_SOURCES, [
    appId,
    ...shelves,
    increasedDemands.map(({ variantId }) => variantId),
    increasedDemands.map(({ evaluationId }) => evaluationId),
  ]);
  const warehouses = [...new Set(stock.map(({ warehouseId }) => warehouseId))];
  const lockedWarehouses = await sql.rows<{ readonly id: number; readonly isSelling: boolean }>(SHARE_WAREHOUSES, [
    appId,
    warehouses,
  ]);
  const sellingIds = new Set(lockedWarehouses.flatMap((warehouse) => (warehouse.isSelling ? [warehouse.id] : [])));
  return stock.map((row) => (sellingIds.has(row.warehouseId) ? row : withoutAvailableStock(row)));
}
