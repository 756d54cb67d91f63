import { firstAttempt, isPendingRefund, withKeyParts, type Payment, type Proforma } from '@back-office/proforma';
import { randomBytes } from 'node:crypto';
import { isCanceled, isPayable } from '../orders/converted-orders.js';
import type { State } from '../state.js';

export function findProforma({ proformas, orders }: State, appId: number, id: number): Proforma | undefined {
  const proforma = proformas.get(appId, id);
  if (!proforma?.converted) return proforma;
  const order = orders.get(appId, proforma.orderId ?? 0);
  const isOrderPayable = order !== undefined && isPayable(order);
  const isOrderCanceled = order !== undefined && isCanceled(order);
  const orderParts = order ? { dataPart: order.data_part, timePart: order.time_part } : null;
  return { ...proforma, converted: { ...proforma.converted, isOrderPayable, isOrderCanceled, orderParts } };
}

export function findProformas(state: State, appId: number, ids: readonly number[]): Proforma[] {
  const sortedIds = [...new Set(ids)].sort((a, b) => a - b);
  return sortedIds.flatMap((id) => findProforma(state, appId, id) ?? []);
}

/**
 * Stores the proforma, queues its pending refunds, and returns it with ids for its new payments. `isCallerRefunding` is
 * true if the caller requests the new refunds, and false if the worker will.
 */
export function putProforma(state: State, appId: number, proforma: Proforma, isCallerRefunding: boolean): Proforma {
  const proformaWithKeys = withKeyParts(proforma, () => randomBytes(8).toString('hex'));
  const storedProforma = { ...proformaWithKeys, payments: assignPaymentIds(state, proformaWithKeys.payments) };
  state.proformas.put(appId, storedProforma);
  for (const payment of storedProforma.payments) queueRefund(state, appId, proforma.id, payment, isCallerRefunding);
  return storedProforma;
}

export function assignPaymentIds({ paymentIds }: State, payments: readonly Payment[]): Payment[] {
  return payments.map((payment) => (payment.id === 0 ? { ...payment, id: paymentIds.next() } : payment));
}

function queueRefund(
  { refunds }: State,
  appId: number,
  proformaId: number,
  payment: Payment,
  isCallerRefunding: boolean,
): void {
  const { id } = payment;
  if (!isPendingRefund(payment)) refunds.delete(appId, id);
  else if (refunds.get(appId, id) === undefined) {
    const { attempts, nextAttemptAt } = firstAttempt(payment, isCallerRefunding);
    refunds.put(appId, { id, proforma_id: proformaId, attempts, next_attempt_at: nextAttemptAt });
  }
}
