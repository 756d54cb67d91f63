import {
  hasPaidAmountChanged,
  earnedPoints,
  reservationChanges,
  releasedVouchers,
  storedChangeOf,
  withoutSales,
  withOrderState,
  withStock,
  type DecidedChange,
  type StockRow,
  type StoredChange,
} from '@back-office/proforma';
import { settleVouchers } from '../checkout/vouchers.js';
import { insertConverted, isCanceled, isPayable, settleOrderPayments } from '../orders/converted-orders.js';
import type { State } from '../state.js';
import { bookReservations } from '../stock/reservations.js';
import { isSelling, sellableStock, stockRows } from '../stock/shelves.js';
import { bookPoints } from './points.js';
import { putProforma } from './stored-proformas.js';

/** `asks`: the caller requests the new refunds. */
interface Storing {
  readonly asks: boolean;
  readonly now: Date;
}

/** Stores decided changes; a change that needs more stock than available becomes a refusal. */
export function storeChanges(
  state: State,
  appId: number,
  changes: readonly DecidedChange[],
  how: Storing,
): StoredChange[] {
  const ended = changes.map((change) => withOrder(state, appId, change, how.now));
  for (const { before, after } of ended) {
    settleVouchers(state, appId, releasedVouchers(before, after), how.now);
    bookPoints(state, appId, earnedPoints(before, after), how.now);
  }
  return withStock(ended, stockFor(state, appId, ended)).map((change) => store(state, appId, change, how));
}

/** A conversion adds the order; later payments of a converted proforma update it. */
function withOrder(state: State, appId: number, change: DecidedChange, now: Date): DecidedChange {
  const { before, after } = change;
  if (before === after || after.status !== 'converted') return change;
  if (before.status !== 'converted') {
    return { ...change, after: { ...after, orderId: insertConverted(state, appId, after) } };
  }
  if (!hasPaidAmountChanged(change)) return change;
  const order = settleOrderPayments(state, appId, after, now);
  const settled = order && { isPayable: isPayable(order), isCanceled: isCanceled(order) };
  return { ...change, after: withOrderState(change, settled, now) };
}

/** The stock of the changes. In warehouses that no longer sell, no reservation can grow. */
function stockFor(state: State, appId: number, changes: readonly DecidedChange[]): StockRow[] {
  const reservations = changes.flatMap(({ before, after }) =>
    reservationChanges(before, after).map((each) => ({ ...each, evaluationId: before.evaluationId })),
  );
  const growing = reservations.filter(({ delta }) => delta > 0);
  const sources = growing.map(({ variantId, evaluationId }) => ({
    variantId,
    warehouseId: state.evaluations.get(appId, evaluationId)?.warehouse_id ?? null,
  }));
  const shelves = [...reservations, ...sellableStock(state, appId, sources)];
  return stockRows(state, appId, shelves).map((row) =>
    isSelling(state, appId, row.warehouseId) ? row : withoutSales(row),
  );
}

function store(state: State, appId: number, change: DecidedChange, { asks, now }: Storing): StoredChange {
  const { before, after } = change;
  if (before === after) return storedChangeOf(change);
  const reservations = reservationChanges(before, after).map((each) => ({ ...each, reference: after.number }));
  bookReservations(state, appId, reservations, now);
  return storedChangeOf({ ...change, after: putProforma(state, appId, after, asks) });
}
