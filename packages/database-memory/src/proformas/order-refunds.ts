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

export function refundProformas(state: State, appId: number, proformas: readonly Proforma[], now: Date): DueRefunds[] {
  const changes = refundOrders(proformas, now);
  withdrawPoints(state, appId, ordersWithPoints(proformas), now);
  const isCallerRefunding = shouldAskInCall(changes.map(addedRefunds));
  const storedChanges = changes.map((change) => storeRefund(state, appId, change, isCallerRefunding, now));
  return storedChanges.map(addedRefunds).filter(({ refundIds }) => refundIds.length > 0);
}

function storeRefund(
  state: State,
  appId: number,
  change: ProformaChange,
  isCallerRefunding: boolean,
  now: Date,
): ProformaChange {
  const { before, after } = change;
  returnVouchers(state, appId, addedVoucherRefunds(before, after), now);
  const storedProforma = putProforma(state, appId, after, isCallerRefunding);
  if (hasPaidAmountChanged(change)) settleOrderPayments(state, appId, storedProforma, now);
  return { before, after: storedProforma };
}
