import type { DueRefunds } from '@back-office/orders';
import {
  addedRefunds,
  shouldAskInCall,
  hasPaidAmountChanged,
  ordersWithPoints,
  refundOrders,
  addedVoucherRefunds,
  type Proforma,
  type ProformaChange,
} from '@back-office/proforma';
import { returnVouchers } from '../checkout/vouchers.js';
import { settleOrderPayments } from '../orders/converted-orders.js';
import type { State } from '../state.js';
import { withdrawPoints } from './points.js';
import { putProforma } from './stored-proformas.js';

/** Refunds converted proformas: money, vouchers and points. */
export function refundProformas(state: State, appId: number, proformas: readonly Proforma[], now: Date): DueRefunds[] {
  const changes = refundOrders(proformas, now);
  withdrawPoints(state, appId, ordersWithPoints(proformas), now);
  const asks = shouldAskInCall(changes.map(addedRefunds));
  const stored = changes.map((change) => store(state, appId, change, asks, now));
  return stored.map(addedRefunds).filter(({ refundIds }) => refundIds.length > 0);
}

function store(state: State, appId: number, change: ProformaChange, asks: boolean, now: Date): ProformaChange {
  const { before, after } = change;
  returnVouchers(state, appId, addedVoucherRefunds(before, after), now);
  const stored = putProforma(state, appId, after, asks);
  if (hasPaidAmountChanged(change)) settleOrderPayments(state, appId, stored, now);
  return { before, after: stored };
}
