import { sum } from '@back-office/kernel';
import type { Payment, Proforma } from './proforma.js';

/** Settled payments less refunds that went through. */
export function paidOf(payments: readonly Payment[]): number {
  return sum(
    payments.filter((each) => each.status === 'settled' || each.status === 'refunded').map((each) => each.amount),
  );
}

/** What is shown as owed. What may still be paid is {@link owedOf}. */
export function debtOf(proforma: Pick<Proforma, 'endSales' | 'payments'>): number {
  return Math.max(proforma.endSales - paidOf(proforma.payments), 0);
}

/**
 * What of the total nothing covers: as the debt, but money on its way back counts as gone. Decisions are made on this,
 * or a refund would be paid for twice, or not at all, depending on when its answer comes.
 */
export function owedOf({ endSales, payments }: Pick<Proforma, 'endSales' | 'payments'>): number {
  const onItsWay = sum(payments.filter(isPendingRefund).map((refund) => -refund.amount));
  return Math.max(endSales - (paidOf(payments) - onItsWay), 0);
}

export function isPaidInFull(proforma: Pick<Proforma, 'endSales' | 'payments'>): boolean {
  return owedOf(proforma) === 0;
}

/** A refund entry that still waits for the gateway's word. */
export function isPendingRefund({ status, amount }: Payment): boolean {
  return status === 'pending' && amount < 0;
}

export function isFinalized(payment: Pick<Payment, 'status'>): boolean {
  return payment.status !== 'pending';
}

/**
 * What of a captured payment is neither given back nor on its way back. A refund that failed is in the hands of the
 * person who was alerted: asked for again under another key, it might be paid twice.
 */
export function refundable(payment: Payment, payments: readonly Payment[]): number {
  const refunds = payments.filter((each) => each.refundOf === payment.id);
  return payment.amount + sum(refunds.map((each) => each.amount));
}

/** Money of the customer that is still here: captured and neither given back nor on its way back. */
export function heldMoney(payments: readonly Payment[]): number {
  return sum(captured(payments).map((payment) => refundable(payment, payments)));
}

/**
 * Refund entries that give back all money above `owed`: the newest payment first, vouchers last,
 * none of them more than what is left of its payment. The entries are pending, nothing has moved yet; a
 * voucher's are done.
 */
export function refundsDownTo(owed: number, payments: readonly Payment[], now: Date): Payment[] {
  let excess = heldMoney(payments) - owed;
  const refunds: Payment[] = [];
  for (const payment of captured(payments).sort(newestFirstVouchersLast)) {
    const amount = Math.min(refundable(payment, payments), excess);
    if (amount <= 0) continue;
    refunds.push(refundEntry(payment, amount, now));
    excess -= amount;
  }
  return refunds;
}

/** An entry that gives back so much of a captured payment. */
export function refundEntry(payment: Payment, amount: number, now: Date): Payment {
  // A voucher is ours: what goes back to it needs nobody's word.
  const status = payment.kind === 'voucher' ? 'refunded' : 'pending';
  return { ...payment, id: 0, amount: -amount, status, date: now, refundOf: payment.id };
}

function captured(payments: readonly Payment[]): Payment[] {
  return payments.filter((payment) => payment.status === 'settled' && payment.amount > 0);
}

function newestFirstVouchersLast(a: Payment, b: Payment): number {
  const voucher = Number(a.kind === 'voucher') - Number(b.kind === 'voucher');
  return voucher || b.date.getTime() - a.date.getTime() || b.id - a.id;
}
