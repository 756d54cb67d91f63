import { offerOf } from '@back-office/checkout';
import type { Evaluation, EvaluationFacts, PromisedVoucher } from '@back-office/proforma';
import type { State } from '../state.js';
import { sellableStock } from '../stock/shelves.js';
import type { StoredEvaluation } from './records.js';
import { availableOf } from './vouchers.js';

/** Facts for a new proforma: the evaluation, the current availability of its vouchers, and its stock. */
export function evaluationFacts(state: State, appId: number, evaluationId: number, now: Date): EvaluationFacts {
  const row = state.evaluations.get(appId, evaluationId);
  if (row === undefined) {
    const elsewhere = state.evaluations.appIds().some((each) => state.evaluations.get(each, evaluationId));
    return { evaluation: elsewhere ? 'of another app' : undefined, stock: [] };
  }
  const wanted = row.items.map(({ variantId }) => ({ variantId, warehouseId: row.warehouse_id }));
  return {
    evaluation: {
      ...offerOf(row),
      pickupPoint: pickupPointOf(state, appId, row),
      vouchers: vouchersOf(state, appId, row, now),
    },
    stock: sellableStock(state, appId, wanted),
  };
}

function pickupPointOf(state: State, appId: number, row: StoredEvaluation): Evaluation['pickupPoint'] {
  const method = state.shipmentMethods.find(appId, ({ code }) => code === row.shipment_method_code);
  if (method === undefined) return 'not needed';
  const { requires_pickup_point: isRequired, pickup_points: points } = method;
  if (row.pickup_point_code === null) return isRequired ? 'missing' : 'not needed';
  if (!isRequired && points.length === 0) return 'not needed';
  return points.some(({ code, available }) => available && code === row.pickup_point_code)
    ? 'available'
    : 'unavailable';
}

function vouchersOf(state: State, appId: number, row: StoredEvaluation, now: Date): PromisedVoucher[] {
  return row.vouchers.flatMap(({ id, amount }) => {
    const voucher = state.vouchers.get(appId, id);
    return voucher ? [{ id, code: voucher.code, available: availableOf(voucher, row.customer_id, now), amount }] : [];
  });
}
