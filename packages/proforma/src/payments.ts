import { sum } from '@back-office/kernel';
import type { Payment, Proforma } from './proforma.js';

/** Settled payments less completed refunds, in minor units. */
export function paidOf(payments: readonly Payment[]): number {
  return sum(
    payments.filter((each) => each.status === 'settled' || each.status === 'refunded').map((each) => each.amount),
  );
}

export function isAllRefunded(payments: readonly Payment[]): boolean {
  return paidOf(payments) === 0 && payments.some(({ status }) => status === 'refunded');
}

/** The debt as shown to clients. Decisions use {@link uncoveredAmount}. */
export function debtOf(proforma: Pick<Proforma, 'endSales' | 'payments'>): number {
  return Math.max(proforma.endSales - paidOf(proforma.payments), 0);
}

/**
 * The debt, with pending refunds counted as completed. Decisions use it, so they do not depend on when a refund is
 * answered.
 */
export function uncoveredAmount({ endSales, payments }: Pick<Proforma, 'endSales' | 'payments'>): number {
  const pendingRefundTotal = sum(payments.filter(isPendingRefund).map((refund) => -refund.amount));
  return Math.max(endSales - (paidOf(payments) - pendingRefundTotal), 0);
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
 * Captured amount less its refunds, pending and failed ones included. A failed refund is left to the person who was
 * alerted; under another key it might be paid twice.
 */
export function refundable(payment: Payment, payments: readonly Payment[]): number {
  const refunds = payments.filter((each) => each.refundOf === payment.id);
  return payment.amount + sum(refunds.map((each) => each.amount));
}

/** Captured money that is neither refunded nor being refunded, in minor units. */
export function heldMoney(payments: readonly Payment[]): number {
  return sum(captured(payments).map((payment) => refundable(payment, payments)));
}

/**
 * Refunds that leave at most `total` of the captured money: newest payment first, vouchers last. Refunds of money are
 * pending; those of vouchers are completed at once.
 */
export function refundsDownTo(total: number, payments: readonly Payment[], now: Date): Payment[] {
  let excess = heldMoney(payments) - total;
  const refunds: Payment[] = [];
  for (const payment of captured(payments).sort(newestFirstVouchersLast)) {
    const amount = Math.min(refundable(payment, payments), excess);
    if (amount <= 0) continue;
    refunds.push(refundEntry(payment, amount, now));
    excess -= amount;
  }
  return refunds;
}

export function refundEntry(payment: Payment, amount: number, now: Date): Payment {
  // Refunding a voucher needs no gateway.
  const status = payment.kind === 'voucher' ? 'refunded' : 'pending';
  return { ...payment, id: 0, amount: -amount, status, date: now, refundOf: payment.id, keyPart: null };
}

function captured(payments: readonly Payment[]): Payment[] {
  return payments.filter((payment) => payment.status === 'settled' && payment.amount > 0);
}

function newestFirstVouchersLast(a: Payment, b: Payment): number {
  const voucher = Number(a.kind === 'voucher') - Number(b.kind === 'voucher');
  return voucher || b.date.getTime() - a.date.getTime() || b.id - a.id;
}
