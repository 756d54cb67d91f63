import type { State } from '../state.js';
import { bookMovements, changeStock } from './movements.js';
import type { Shelf } from './shelves.js';

export interface BookedReservation extends Shelf {
  readonly lineId: number;
  /** Pieces reserved after the change; null for the warehouse that the line leaves. */
  readonly qty: number | null;
  readonly delta: number;
  readonly reference: string;
}

/** Stores changed reservations, books their movements and updates the reserved stock. Must run inside a transaction. */
export function bookReservations(state: State, appId: number, changes: readonly BookedReservation[], now: Date): void {
  for (const change of changes) putReservation(state, appId, change, now);
  const entries = changes.map(({ delta, ...change }) => ({
    ...change,
    kind: delta > 0 ? ('reserve' as const) : ('release' as const),
    qty: delta,
  }));
  bookMovements(state, appId, entries, now);
  const deltas = changes.map(({ delta, ...shelf }) => ({ ...shelf, onHand: 0, reserved: delta }));
  changeStock(state, appId, deltas, now);
}

function putReservation(
  { stockReservations }: State,
  appId: number,
  { lineId, variantId, warehouseId, qty }: BookedReservation,
  now: Date,
): void {
  if (qty === null) return;
  if (qty === 0) {
    stockReservations.delete(appId, lineId);
    return;
  }
  const existingReservation = stockReservations.get(appId, lineId);
  const reservation = existingReservation ?? { id: lineId, product_variant_id: variantId, inserted_at: now };
  stockReservations.put(appId, { ...reservation, warehouse_id: warehouseId, qty, updated_at: now });
}

export interface EndedReservation extends Shelf {
  readonly proformaItemId: number;
  readonly qty: number;
  readonly kind: 'ship' | 'release';
  readonly reference: string;
}

/** Deletes reservations, books their movements and updates the stock. Must run inside a transaction. */
export function endReservations(
  state: State,
  appId: number,
  endedReservations: readonly EndedReservation[],
  now: Date,
): void {
  for (const { proformaItemId } of endedReservations) state.stockReservations.delete(appId, proformaItemId);
  const entries = endedReservations.map((endedReservation) => ({ ...endedReservation, qty: -endedReservation.qty }));
  bookMovements(state, appId, entries, now);
  const deltas = endedReservations.map(({ kind, qty, ...shelf }) => ({
    ...shelf,
    onHand: kind === 'ship' ? -qty : 0,
    reserved: -qty,
  }));
  changeStock(state, appId, deltas, now);
}
