import { uncoveredAmount, refundableAmount } from './payments.js';
import type { Payment, Proforma } from './proforma.js';
import { isFinal } from './statuses.js';

export interface ReleasedVoucher {
  readonly proformaId: number;
  readonly voucherId: number;
  /** Minor units that stay spent; 0 returns the whole amount to the voucher. */
  readonly spent: number;
}

export function releasedVouchers(before: Proforma, after: Proforma): ReleasedVoucher[] {
  if (isFinal(before.status) || !isFinal(after.status)) return [];
  return usedVouchers(after.payments).map(({ voucherId, keptAmount }) => ({
    proformaId: after.id,
    voucherId,
    spent: keptAmount,
  }));
}

export interface VoucherRefund {
  readonly voucherId: number;
  /** Minor units. */
  readonly amount: number;
}

export function addedVoucherRefunds(before: Proforma, after: Proforma): VoucherRefund[] {
  return after.payments
    .slice(before.payments.length)
    .flatMap(({ voucherId, amount }) => (voucherId === null || amount >= 0 ? [] : [{ voucherId, amount: -amount }]));
}

/**
 * When the debt grows again, returns new payments with vouchers that were refunded before. In total, each voucher pays
 * at most the amount of its first payment. The vouchers are still available, because only this proforma can use them.
 */
export function repeatVoucherPayments(proforma: Pick<Proforma, 'endSales' | 'payments'>, now: Date): Payment[] {
  let debt = uncoveredAmount(proforma);
  const repeatPayments: Payment[] = [];
  for (const { firstPayment, keptAmount } of usedVouchers(proforma.payments)) {
    const amount = Math.min(firstPayment.amount - keptAmount, debt);
    if (amount === 0) continue;
    repeatPayments.push({ ...firstPayment, id: 0, amount, date: now });
    debt -= amount;
  }
  return repeatPayments;
}

interface UsedVoucher {
  readonly voucherId: number;
  readonly firstPayment: Payment;
  /** Payments less refunds, in minor units. */
  readonly keptAmount: number;
}

function usedVouchers(payments: readonly Payment[]): UsedVoucher[] {
  const byVoucher = new Map<number, UsedVoucher>();
  for (const payment of payments) {
    const { voucherId, amount } = payment;
    if (voucherId === null || amount < 0) continue;
    const { firstPayment, keptAmount } = byVoucher.get(voucherId) ?? { firstPayment: payment, keptAmount: 0 };
    byVoucher.set(voucherId, { voucherId, firstPayment, keptAmount: keptAmount + refundableAmount(payment, payments) });
  }
  return [...byVoucher.values()];
}

export interface EarnedPoints {
  readonly orderId: number;
  readonly customerId: number;
  readonly points: number;
}

export function earnedPoints(before: Proforma, after: Proforma): EarnedPoints | undefined {
  const points = before.converted === null ? (after.converted?.points ?? 0) : 0;
  if (points === 0 || after.buyer.id === null || after.orderId === null) return undefined;
  return { orderId: after.orderId, customerId: after.buyer.id, points };
}
