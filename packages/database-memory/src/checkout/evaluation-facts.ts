import { offerOf } from '@back-office/checkout';
import type { Evaluation, EvaluationFacts, PromisedVoucher } from '@back-office/proforma';
import type { State } from '../state.js';
import { sellableStock } from '../stock/shelves.js';
import type { StoredEvaluation } from './records.js';
import { availableOf } from './vouchers.js';

export function evaluationFacts(state: State, appId: number, evaluationId: number, now: Date): EvaluationFacts {
  const row = state.evaluations.get(appId, evaluationId);
  if (row === undefined) {
    const isOfOtherApp = state.evaluations
      .appIds()
      .some((otherAppId) => state.evaluations.get(otherAppId, evaluationId));
    return { evaluation: isOfOtherApp ? 'of another app' : undefined, stock: [] };
  }
  const demands = row.items.map(({ variantId }) => ({ variantId, warehouseId: row.warehouse_id }));
  return {
    evaluation: {
      ...offerOf(row),
      pickupPoint: pickupPointOf(state, appId, row),
      vouchers: vouchersOf(state, appId, row, now),
    },
    stock: sellableStock(state, appId, demands),
  };
}

function pickupPointOf(state: State, appId: number, row: StoredEvaluation): Evaluation['pickupPoint'] {
  const method = state.shipmentMethods.find(appId, ({ code }) => code === row.shipment_method_code);
  if (method === undefined) return 'not needed';
  const { requires_pickup_point: isRequired, pickup_points: pickupPoints } = method;
  if (row.pickup_point_code === null) return isRequired ? 'missing' : 'not needed';
  if (!isRequired && pickupPoints.length === 0) return 'not needed';
  return pickupPoints.some(({ code, available }) => available && code === row.pickup_point_code)
    ? 'available'
    : 'unavailable';
}

function vouchersOf(state: State, appId: number, row: StoredEvaluation, now: Date): PromisedVoucher[] {
  return row.vouchers.flatMap(({ id, amount }) => {
    const voucher = state.vouchers.get(appId, id);
    return voucher ? [{ id, code: voucher.code, available: availableOf(voucher, row.customer_id, now), amount }] : [];
  });
}
