import { sum } from '@back-office/kernel';
import { isFinal, type Proforma } from './proforma.js';

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
  return after.payments.flatMap(({ voucherId, amount, id }) => {
    if (voucherId === null || amount < 0) return [];
    const returned = after.payments.filter((each) => each.refundOf === id).map((each) => each.amount);
    return [{ proformaId: after.id, voucherId, spent: amount + sum(returned) }];
  });
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
