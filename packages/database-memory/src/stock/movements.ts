import { sum } from '@back-office/kernel';
import { groupBy, sortBy } from '../lists.js';
import type { State } from '../state.js';
import type { MovementKind, StoredStock } from './records.js';
import { shelfKey, stockByShelf, type Shelf } from './shelves.js';

export interface MovementEntry extends Shelf {
  readonly kind: MovementKind;
  readonly reference: string | null;
  readonly qty: number;
}

/**
 * Books one movement per warehouse, kind and reference, with one line per variant. Returns the ids of the movements.
 */
export function bookMovements(state: State, appId: number, entries: readonly MovementEntry[], now: Date): number[] {
  const sortedEntries = sortBy(entries, [
    ({ warehouseId }) => warehouseId,
    ({ reference }) => reference,
    ({ kind }) => kind,
    ({ variantId }) => variantId,
  ]);
  const movements = groupBy(sortedEntries, ({ warehouseId, kind, reference }) => `${warehouseId} ${kind} ${reference}`);
  return [...movements.values()].map((movementEntries) => {
    const { warehouseId, kind, reference } = movementEntries[0] as MovementEntry;
    const movement = { warehouse_id: warehouseId, kind, reference, booked_at: now };
    const { id } = state.stockMovements.insert(appId, movement);
    for (const [variantId, lines] of groupBy(movementEntries, (entry) => entry.variantId)) {
      const qty = sum(lines.map((line) => line.qty));
      state.stockMovementLines.insert(appId, { movement_id: id, product_variant_id: variantId, qty });
    }
    return id;
  });
}

export interface StockDelta extends Shelf {
  readonly onHand: number;
  readonly reserved: number;
}

export function changeStock(state: State, appId: number, deltas: readonly StockDelta[], now: Date): void {
  const rowByShelf = stockByShelf(state, appId);
  for (const [key, shelfDeltas] of groupBy(deltas, shelfKey)) {
    const row = rowByShelf.get(key);
    if (row === undefined) continue;
    const changedRow: StoredStock = {
      ...row,
      on_hand: row.on_hand + sum(shelfDeltas.map(({ onHand }) => onHand)),
      reserved: row.reserved + sum(shelfDeltas.map(({ reserved }) => reserved)),
      updated_at: now,
    };
    if (changedRow.on_hand < 0 || changedRow.reserved < 0) throw new Error(`Stock ${row.id} would fall below 0`);
    state.stocks.put(appId, changedRow);
  }
}
