import { firstAttempt, isPendingRefund, withKeyParts, type Payment, type Proforma } from '@back-office/proforma';
import { randomBytes } from 'node:crypto';
import { isPayable } from '../orders/converted-orders.js';
import type { State } from '../state.js';

/** The proforma with the current state of its order. */
export function findProforma({ proformas, orders }: State, appId: number, id: number): Proforma | undefined {
  const found = proformas.get(appId, id);
  if (!found?.converted) return found;
  const order = orders.get(appId, found.orderId ?? 0);
  return { ...found, converted: { ...found.converted, isOrderPayable: order !== undefined && isPayable(order) } };
}

/** Existing proformas, each once, by id. */
export function findProformas(state: State, appId: number, ids: readonly number[]): Proforma[] {
  const inOrder = [...new Set(ids)].sort((a, b) => a - b);
  return inOrder.flatMap((id) => findProforma(state, appId, id) ?? []);
}

/** Stores a proforma and returns it with the ids of its new payments. `asks`: the caller requests its new refunds. */
export function putProforma(state: State, appId: number, proforma: Proforma, asks: boolean): Proforma {
  const keyed = withKeyParts(proforma, () => randomBytes(8).toString('hex'));
  const stored = { ...keyed, payments: withIds(state, keyed.payments) };
  state.proformas.put(appId, stored);
  for (const payment of stored.payments) queueRefund(state, appId, proforma.id, payment, asks);
  return stored;
}

export function withIds({ paymentIds }: State, payments: readonly Payment[]): Payment[] {
  return payments.map((payment) => (payment.id === 0 ? { ...payment, id: paymentIds.next() } : payment));
}

function queueRefund({ refunds }: State, appId: number, proformaId: number, payment: Payment, asks: boolean): void {
  const { id } = payment;
  if (!isPendingRefund(payment)) refunds.delete(appId, id);
  else if (refunds.get(appId, id) === undefined) {
    const { attempts, nextAttemptAt } = firstAttempt(payment, asks);
    refunds.put(appId, { id, proforma_id: proformaId, attempts, next_attempt_at: nextAttemptAt });
  }
}
