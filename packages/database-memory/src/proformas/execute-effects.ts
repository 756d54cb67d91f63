import {
  execute,
  withoutAvailableStock,
  type EffectHandlers,
  type Effects,
  type StockDemand,
  type StockRow,
} from '@back-office/proforma';
import { audit } from '../apps/audit-entries.js';
import { releaseVouchers, returnVouchers } from '../checkout/vouchers.js';
import { publish } from '../events/published-events.js';
import { insertConvertedOrder, updateOrders } from '../orders/converted-orders.js';
import type { State } from '../state.js';
import { bookReservations } from '../stock/reservations.js';
import { isSellable, sellableStock, stockRows } from '../stock/shelves.js';
import { bookPoints, withdrawPoints } from './points.js';
import { putProforma } from './stored-proformas.js';

/** Executes effects in a transaction, one after another. */
export function executeEffects<Result>(effects: Effects<Result>, state: State, appId: number, now: Date): Result {
  const handlers: EffectHandlers = {
    insertOrder: (proforma) => insertConvertedOrder(state, appId, proforma),
    updateOrders: (proformas) => updateOrders(state, appId, proformas, now),
    releaseVouchers: (vouchers) => releaseVouchers(state, appId, vouchers, now),
    returnVouchers: (refunds) => returnVouchers(state, appId, refunds, now),
    bookPoints: (points) => bookPoints(state, appId, points, now),
    withdrawPoints: (orderIds) => withdrawPoints(state, appId, orderIds, now),
    lockStock: (demands) => stockOf(state, appId, demands),
    record: ({ entries = [], events = [] }) => {
      audit(state, appId, now, entries);
      publish(state, appId, now, events);
    },
    save: ({ changes, reservations, events, isCallerRefunding }) => {
      publish(state, appId, now, events);
      bookReservations(state, appId, reservations, now);
      return changes.map(({ after }) => putProforma(state, appId, after, isCallerRefunding));
    },
  };
  let step = effects.next();
  while (!step.done) step = effects.next(execute(handlers, step.value));
  return step.value;
}

function stockOf(state: State, appId: number, demands: readonly StockDemand[]): StockRow[] {
  const increasedDemands = demands.filter(({ delta }) => delta > 0);
  const sources = increasedDemands.map(({ variantId, evaluationId }) => ({
    variantId,
    warehouseId: state.evaluations.get(appId, evaluationId)?.warehouse_id ?? null,
  }));
  const shelves = [...demands, ...sellableStock(state, appId, sources)];
  return stockRows(state, appId, shelves).map((row) =>
    isSellable(state, appId, row.warehouseId) ? row : withoutAvailableStock(row),
  );
}
