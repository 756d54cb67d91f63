import type { DueRefunds } from '@back-office/orders';
import {
  addedRefunds,
  shouldRefundInCall,
  hasPaidAmountChanged,
  ordersWithPoints,
  paymentEntries,
  proformaEvents,
  refundOrders,
  addedVoucherRefunds,
  type Proforma,
  type ProformaChange,
} from '@back-office/proforma';
import { audit } from '../apps/audit-entries.js';
import { returnVouchers } from '../checkout/vouchers.js';
import { publish } from '../events/published-events.js';
import { updateOrderPayments } from '../orders/converted-orders.js';
import type { State } from '../state.js';
import { withdrawPoints } from './points.js';
import { putProforma } from './stored-proformas.js';

export interface RefundedProformas {
  readonly dueRefunds: readonly DueRefunds[];
  readonly customerIds: readonly number[];
}

export function refundProformas(
  state: State,
  appId: number,
  proformas: readonly Proforma[],
  now: Date,
): RefundedProformas {
  const changes = refundOrders(proformas, now);
  audit(state, appId, now, paymentEntries(changes));
  const customerIds = withdrawPoints(state, appId, ordersWithPoints(proformas), now);
  publish(state, appId, now, proformaEvents(changes));
  const isCallerRefunding = shouldRefundInCall(changes.map(addedRefunds));
  const storedChanges = changes.map((change) => storeRefund(state, appId, change, isCallerRefunding, now));
  const dueRefunds = storedChanges.map(addedRefunds).filter(({ refundIds }) => refundIds.length > 0);
  return { dueRefunds, customerIds };
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
  if (hasPaidAmountChanged(change)) updateOrderPayments(state, appId, storedProforma, now);
  return { before, after: storedProforma };
}
