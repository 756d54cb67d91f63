import type { Payment, Proforma } from './proforma.js';
import { keptAmount } from './payments.js';

/**
 * Returns how much of the refund is owed now, in minor units: at most its amount, and at most the overpaid money.
 * Refunds that may have been paid are counted as paid.
 */
export function owedAmount(proforma: Proforma, refund: Payment): number {
  const otherPayments = proforma.payments.filter(
    (payment) => payment !== refund && !isRefusedRefund(proforma, payment),
  );
  const overpaid = keptAmount(otherPayments) - totalDue(proforma);
  return Math.max(Math.min(overpaid, -refund.amount), 0);
}

/** Returns true for a failed refund that was certainly not paid. Without an answer, it may have been paid. */
export function isRefusedRefund(proforma: Proforma, { id, status }: Payment): boolean {
  if (status !== 'refund_failed') return false;
  return proforma.alerts.filter(({ details }) => details['payment_id'] === id).at(-1)?.details['reason'] === 'failed';
}

/**
 * Withdraws refused refunds, newest first, until they are at most the overpaid money, and lowers the open alerts of
 * failed refunds to what is owed. A withdrawn refund is `failed`; of a refund withdrawn in part, a new entry is.
 */
export function withdrawRefunds(proforma: Proforma, now: Date): Proforma {
  let missing = totalDue(proforma) - keptAmount(proforma.payments);
  const refused = proforma.payments.filter((payment) => isRefusedRefund(proforma, payment)).reverse();
  const withdrawn = new Map<Payment, number>();
  for (const refund of refused) {
    const amount = Math.min(-refund.amount, missing);
    if (amount > 0) withdrawn.set(refund, amount);
    missing -= amount;
  }
  return withOwedAlerts(
    withdrawn.size === 0 ? proforma : { ...proforma, payments: split(proforma, withdrawn, now) },
    now,
  );
}

function split({ payments }: Proforma, withdrawn: ReadonlyMap<Payment, number>, now: Date): Payment[] {
  const keep = (payment: Payment): Payment => {
    const amount = withdrawn.get(payment);
    if (amount === undefined) return payment;
    return amount === -payment.amount ? withdraw(payment, now) : { ...payment, amount: payment.amount + amount };
  };
  const withdrawnParts = [...withdrawn].flatMap(([refund, amount]) =>
    amount === -refund.amount ? [] : [{ ...withdraw(refund, now), id: 0, amount: -amount, keyPart: null }],
  );
  return [...payments.map(keep), ...withdrawnParts];
}

function withdraw(refund: Payment, now: Date): Payment {
  return { ...refund, status: 'failed', date: now };
}

function withOwedAlerts(proforma: Proforma, now: Date): Proforma {
  const alerts = proforma.alerts.map((alert) => {
    const refund = proforma.payments.find(({ id, amount }) => id === alert.details['payment_id'] && amount < 0);
    if (alert.resolvedAt !== null || refund === undefined) return alert;
    if (refund.status === 'failed') {
      return { ...alert, details: { ...alert.details, withdrawn: true }, resolvedAt: now };
    }
    const amount = owedAmount(proforma, refund);
    return amount === alert.details['amount'] ? alert : { ...alert, details: { ...alert.details, amount } };
  });
  return alerts.every((alert, index) => alert === proforma.alerts[index]) ? proforma : { ...proforma, alerts };
}

function totalDue({ status, endSales, converted }: Proforma): number {
  return status === 'canceled' || status === 'expired' || converted?.isOrderCanceled ? 0 : endSales;
}
