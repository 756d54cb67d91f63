import {
  hasPaidAmountChanged,
  earnedPoints,
  proformaEntries,
  proformaEvents,
  reservationChanges,
  releasedVouchers,
  storedChangeOf,
  withoutAvailableStock,
  withOrderState,
  withStock,
  type DecidedChange,
  type StockRow,
  type StoredChange,
} from '@back-office/proforma';
import { audit } from '../apps/audit-entries.js';
import { releaseVouchers } from '../checkout/vouchers.js';
import { publish } from '../events/published-events.js';
import { insertConvertedOrder, isCanceled, isPayable, updateOrderPayments } from '../orders/converted-orders.js';
import type { State } from '../state.js';
import { bookReservations } from '../stock/reservations.js';
import { isSellable, sellableStock, stockRows } from '../stock/shelves.js';
import { bookPoints } from './points.js';
import { putProforma } from './stored-proformas.js';

interface StoringOptions {
  readonly isCallerRefunding: boolean;
  readonly now: Date;
}

/**
 * Stores decided changes with their orders, vouchers, points, audit entries and events. Refuses a change that needs
 * more stock than available.
 */
export function storeChanges(
  state: State,
  appId: number,
  changes: readonly DecidedChange[],
  options: StoringOptions,
): StoredChange[] {
  const changesWithOrders = changes.map((change) => withOrder(state, appId, change, options.now));
  for (const { before, after } of changesWithOrders) {
    releaseVouchers(state, appId, releasedVouchers(before, after), options.now);
    bookPoints(state, appId, earnedPoints(before, after), options.now);
  }
  const changesToStore = withStock(changesWithOrders, stockFor(state, appId, changesWithOrders));
  audit(state, appId, options.now, proformaEntries(changesToStore));
  publish(state, appId, options.now, proformaEvents(changesToStore));
  return changesToStore.map((change) => storeChange(state, appId, change, options));
}

function withOrder(state: State, appId: number, change: DecidedChange, now: Date): DecidedChange {
  const { before, after } = change;
  if (before === after || after.status !== 'converted') return change;
  if (before.status !== 'converted') {
    return { ...change, after: insertConvertedOrder(state, appId, after) };
  }
  if (!hasPaidAmountChanged(change)) return change;
  const order = updateOrderPayments(state, appId, after, now);
  const orderState = order && { isPayable: isPayable(order), isCanceled: isCanceled(order) };
  return { ...change, after: withOrderState(change, orderState, now) };
}

/**
 * Returns the shelves of changed reservations, and the shelves from which larger reservations may take stock. Shelves
 * of a warehouse that is no longer sellable have no available stock.
 */
function stockFor(state: State, appId: number, changes: readonly DecidedChange[]): StockRow[] {
  const reservations = changes.flatMap(({ before, after }) =>
    reservationChanges(before, after).map((reservation) => ({ ...reservation, evaluationId: before.evaluationId })),
  );
  const increasedReservations = reservations.filter(({ delta }) => delta > 0);
  const sources = increasedReservations.map(({ variantId, evaluationId }) => ({
    variantId,
    warehouseId: state.evaluations.get(appId, evaluationId)?.warehouse_id ?? null,
  }));
  const shelves = [...reservations, ...sellableStock(state, appId, sources)];
  return stockRows(state, appId, shelves).map((row) =>
    isSellable(state, appId, row.warehouseId) ? row : withoutAvailableStock(row),
  );
}

function storeChange(
  state: State,
  appId: number,
  change: DecidedChange,
  { isCallerRefunding, now }: StoringOptions,
): StoredChange {
  const { before, after } = change;
  if (before === after) return storedChangeOf(change);
  const reservations = reservationChanges(before, after).map((reservation) => ({
    ...reservation,
    reference: after.number,
  }));
  bookReservations(state, appId, reservations, now);
  return storedChangeOf({ ...change, after: putProforma(state, appId, after, isCallerRefunding) });
}
