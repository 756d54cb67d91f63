import {
  reservationChanges,
  withoutAvailableStock,
  withStock,
  type DecidedChange,
  type StockRow,
} from '@back-office/proforma';
import type { Transaction } from '../connection/transaction.js';
import { LOCK_SHELVES, LOCK_SHELVES_AND_SOURCES, SHARE_WAREHOUSES } from '../stock/reservations.js';

/** Locks and takes the stock of the changes. Changes whose stock is short are refused. */
export async function reserveStock(
  transaction: Transaction,
  appId: number,
  changes: readonly DecidedChange[],
): Promise<readonly DecidedChange[]> {
  if (changes.every(({ before, after }) => reservationChanges(before, after).length === 0)) return changes;
  return withStock(changes, await lockStock(transaction, appId, changes));
}

/**
 * Locks and returns the shelves of changed reservations, and the shelves from which larger reservations may take stock.
 * Shelves of a warehouse that is no longer sellable have no available stock.
 */
async function lockStock(
  transaction: Transaction,
  appId: number,
  changes: readonly DecidedChange[],
): Promise<StockRow[]> {
  transaction.locks('stock');
  const reservations = changes.flatMap(({ before, after }) =>
    reservationChanges(before, after).map((reservation) => ({ evaluationId: before.evaluationId, ...reservation })),
  );
  const increasedReservations = reservations.filter(({ delta }) => delta > 0);
  const shelves = [
    reservations.map((reservation) => reservation.variantId),
    reservations.map((each) => each.warehouseId),
  ];
  if (increasedReservations.length === 0) return transaction.rows<StockRow>(LOCK_SHELVES, [appId, ...shelves]);
  const stock = await transaction.rows<StockRow>(LOCK_SHELVES_AND_SOURCES, [
    appId,
    ...shelves,
    increasedReservations.map((reservation) => reservation.variantId),
    increasedReservations.map((reservation) => reservation.evaluationId),
  ]);
  const warehouses = [...new Set(stock.map(({ warehouseId }) => warehouseId))];
  const lockedWarehouses = await transaction.rows<{ readonly id: number; readonly isSelling: boolean }>(
    SHARE_WAREHOUSES,
    [appId, warehouses],
  );
  const sellingIds = new Set(lockedWarehouses.flatMap((warehouse) => (warehouse.isSelling ? [warehouse.id] : [])));
  return stock.map((row) => (sellingIds.has(row.warehouseId) ? row : withoutAvailableStock(row)));
}
