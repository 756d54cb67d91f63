import { sum } from '@back-office/kernel';
import { NO_SOURCE, shownPayments, type Payment, type Proforma } from './proforma.js';

/** Returns settled payments less completed refunds, in minor units. */
export function paidAmountOf(payments: readonly Payment[]): number {
  return sum(
    payments
      .filter((payment) => payment.status === 'settled' || payment.status === 'refunded')
      .map((payment) => payment.amount),
  );
}

export function isAllRefunded(payments: readonly Payment[]): boolean {
  return paidAmountOf(payments) === 0 && payments.some(({ status }) => status === 'refunded');
}

/** Returns the debt that clients see: nothing is owed to a canceled or expired proforma. */
export function shownDebtOf(proforma: Pick<Proforma, 'endSales' | 'payments' | 'converted' | 'status'>): number {
  if (proforma.status === 'canceled' || proforma.status === 'expired') return 0;
  return debtOf({ endSales: proforma.endSales, payments: shownPayments(proforma) });
}

/** Returns the total less what is paid. Rules use {@link uncoveredAmount} instead. */
export function debtOf(proforma: Pick<Proforma, 'endSales' | 'payments'>): number {
  return Math.max(proforma.endSales - paidAmountOf(proforma.payments), 0);
}

/**
 * Returns the debt as if all pending refunds were completed, so that it does not depend on when the gateway answers.
 */
export function uncoveredAmount({ endSales, payments }: Pick<Proforma, 'endSales' | 'payments'>): number {
  const pendingRefundTotal = sum(payments.filter(isPendingRefund).map((refund) => -refund.amount));
  return Math.max(endSales - (paidAmountOf(payments) - pendingRefundTotal), 0);
}

export function isPaidInFull(proforma: Pick<Proforma, 'endSales' | 'payments'>): boolean {
  return uncoveredAmount(proforma) === 0;
}

export function isPendingRefund({ status, amount }: Payment): boolean {
  return status === 'pending' && amount < 0;
}

export function isFinalized(payment: Pick<Payment, 'status'>): boolean {
  return payment.status !== 'pending';
}

/**
 * Returns the captured amount less its refunds, including pending and failed ones. A failed refund still reduces the
 * amount, because its money may have been paid and an alert asks a person to check it; a withdrawn one does not.
 */
export function refundableAmount(payment: Payment, payments: readonly Payment[]): number {
  const refunds = payments.filter(({ refundOf, status }) => refundOf === payment.id && status !== 'failed');
  return payment.amount + sum(refunds.map((refund) => refund.amount));
}

/** Returns the captured payments less all refunds, including pending and failed ones, in minor units. */
export function keptAmount(payments: readonly Payment[]): number {
  return sum(capturedPayments(payments).map((payment) => refundableAmount(payment, payments)));
}

/**
 * Makes refunds until the captured money is at most `total`: newest payment first, vouchers last. Refunds of money are
 * pending; refunds of vouchers are completed.
 */
export function refundsDownTo(total: number, payments: readonly Payment[], now: Date): Payment[] {
  let excess = keptAmount(payments) - total;
  const refunds: Payment[] = [];
  for (const payment of capturedPayments(payments).sort(byRefundOrder)) {
    const amount = Math.min(refundableAmount(payment, payments), excess);
    if (amount <= 0) continue;
    refunds.push(refundEntry(payment, amount, now));
    excess -= amount;
  }
  return refunds;
}

export function refundEntry(payment: Payment, amount: number, now: Date): Payment {
  const status = payment.kind === 'voucher' ? 'refunded' : 'pending';
  const refund = { id: 0, amount: -amount, status, date: now, refundOf: payment.id, keyPart: null } as const;
  return { ...payment, ...NO_SOURCE, ...refund };
}

function capturedPayments(payments: readonly Payment[]): Payment[] {
  return payments.filter((payment) => payment.status === 'settled' && payment.amount > 0);
}

function byRefundOrder(a: Payment, b: Payment): number {
  const voucher = Number(a.kind === 'voucher') - Number(b.kind === 'voucher');
  return voucher || b.date.getTime() - a.date.getTime() || b.id - a.id;
}
