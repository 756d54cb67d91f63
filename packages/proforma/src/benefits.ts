import { uncoveredAmount, refundable } from './payments.js';
import { isFinal, type Payment, type Proforma } from './proforma.js';

export interface ReleasedVoucher {
  readonly proformaId: number;
  readonly voucherId: number;
  /** Minor units that stay spent; 0 gives all of it back. */
  readonly spent: number;
}

/** Vouchers that a change releases, because it ends the proforma. */
export function releasedVouchers(before: Proforma, after: Proforma): ReleasedVoucher[] {
  if (isFinal(before.status) || !isFinal(after.status)) return [];
  return heldVouchers(after.payments).map(({ voucherId, kept }) => ({ proformaId: after.id, voucherId, spent: kept }));
}

export interface VoucherRefund {
  readonly voucherId: number;
  /** Minor units. */
  readonly amount: number;
}

/** Refunds to spent vouchers when the order of a converted proforma is refunded. */
export function voucherRefunds(before: Proforma, after: Proforma): VoucherRefund[] {
  return after.payments
    .slice(before.payments.length)
    .flatMap(({ voucherId, amount }) => (voucherId === null || amount >= 0 ? [] : [{ voucherId, amount: -amount }]));
}

/**
 * Payments by refunded vouchers when the debt grows again. Each voucher pays at most what it first paid. The
 * proforma holds it all the time, so no other one can have used it.
 */
export function repeatVoucherPayments(proforma: Pick<Proforma, 'endSales' | 'payments'>, now: Date): Payment[] {
  let debt = uncoveredAmount(proforma);
  const added: Payment[] = [];
  for (const { first, kept } of heldVouchers(proforma.payments)) {
    const amount = Math.min(first.amount - kept, debt);
    if (amount === 0) continue;
    added.push({ ...first, id: 0, amount, date: now });
    debt -= amount;
  }
  return added;
}

interface HeldVoucher {
  readonly voucherId: number;
  /** Its first payment, which is the largest. */
  readonly first: Payment;
  /** Its payments less its refunds, in minor units. */
  readonly kept: number;
}

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

/** Points that the customer earns by the conversion; `undefined` when none. */
export function earnedPoints(before: Proforma, after: Proforma): EarnedPoints | undefined {
  const points = before.converted === null ? (after.converted?.points ?? 0) : 0;
  if (points === 0 || after.buyer.id === null || after.orderId === null) return undefined;
  return { orderId: after.orderId, customerId: after.buyer.id, points };
}
