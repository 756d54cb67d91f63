import { owedOf, refundable } from './payments.js';
import { isFinal, type Payment, type Proforma } from './proforma.js';

/** A voucher that a proforma no longer holds. */
export interface SettledVoucher {
  readonly proformaId: number;
  readonly voucherId: number;
  /** Minor units that stay spent; 0 gives all of it back. */
  readonly spent: number;
}

/** The vouchers that a change lets go of: those of a proforma that ends by it. */
export function vouchersLetGo(before: Proforma, after: Proforma): SettledVoucher[] {
  if (isFinal(before.status) || !isFinal(after.status)) return [];
  return heldVouchers(after.payments).map(({ voucherId, kept }) => ({ proformaId: after.id, voucherId, spent: kept }));
}

/** What a voucher got back of what it had paid, in minor units. */
export interface ReturnedVoucher {
  readonly voucherId: number;
  readonly amount: number;
}

/** What vouchers get back that were spent: the proforma was converted, and its order is refunded. */
export function vouchersReturned(before: Proforma, after: Proforma): ReturnedVoucher[] {
  return after.payments
    .slice(before.payments.length)
    .flatMap(({ voucherId, amount }) => (voucherId === null || amount >= 0 ? [] : [{ voucherId, amount: -amount }]));
}

/**
 * What vouchers pay that gave money back before, when more is owed again: each at most what it brought at first. It is
 * held all the while, so that nobody else can have used it.
 */
export function vouchersPayAgain(proforma: Pick<Proforma, 'endSales' | 'payments'>, now: Date): Payment[] {
  let owed = owedOf(proforma);
  const added: Payment[] = [];
  for (const { first, kept } of heldVouchers(proforma.payments)) {
    const amount = Math.min(first.amount - kept, owed);
    if (amount === 0) continue;
    added.push({ ...first, id: 0, amount, date: now });
    owed -= amount;
  }
  return added;
}

interface HeldVoucher {
  readonly voucherId: number;
  /** Its first payment, which is the largest. */
  readonly first: Payment;
  /** What all its payments, less what went back to it, come to. */
  readonly kept: number;
}

/** In the order in which they were offered. */
function heldVouchers(payments: readonly Payment[]): HeldVoucher[] {
  const byVoucher = new Map<number, HeldVoucher>();
  for (const payment of payments) {
    const { voucherId, amount } = payment;
    if (voucherId === null || amount < 0) continue;
    const { first, kept } = byVoucher.get(voucherId) ?? { first: payment, kept: 0 };
    byVoucher.set(voucherId, { voucherId, first, kept: kept + refundable(payment, payments) });
  }
  return [...byVoucher.values()];
}

export interface EarnedPoints {
  readonly orderId: number;
  readonly customerId: number;
  readonly points: number;
}

/** What the customer earns by a change: points once, when the order is there; `undefined` when nothing. */
export function pointsEarned(before: Proforma, after: Proforma): EarnedPoints | undefined {
  const points = before.converted === null ? (after.converted?.points ?? 0) : 0;
  if (points === 0 || after.buyer.id === null || after.orderId === null) return undefined;
  return { orderId: after.orderId, customerId: after.buyer.id, points };
}
