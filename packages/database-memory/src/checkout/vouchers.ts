import type { VoucherRefund, ReleasedVoucher } from '@back-office/proforma';
import type { State } from '../state.js';
import type { StoredVoucher } from './records.js';

/**
 * Returns the amount that a customer can spend: 0 when the voucher is reserved, spent, out of date or owned by another
 * customer.
 */
export function availableOf(voucher: StoredVoucher, customerId: number | null, now: Date): number {
  const { active, held_by: holder, customer_id: owner, valid_from: from, valid_until: until } = voucher;
  const isOwn = owner === null || owner === customerId;
  const isInTime = (from === null || from <= now) && (until === null || until >= now);
  return active && holder === null && isOwn && isInTime ? voucher.amount - voucher.spent : 0;
}

export function releaseVouchers(
  state: State,
  appId: number,
  releasedVouchers: readonly ReleasedVoucher[],
  now: Date,
): void {
  for (const { proformaId, voucherId, spent } of releasedVouchers) {
    const voucher = state.vouchers.get(appId, voucherId);
    if (voucher?.held_by !== proformaId) continue;
    state.vouchers.put(appId, { ...voucher, spent: voucher.spent + spent, held_by: null, updated_at: now });
  }
}

export function returnVouchers(state: State, appId: number, refunds: readonly VoucherRefund[], now: Date): void {
  for (const { voucherId, amount } of refunds) {
    const voucher = state.vouchers.get(appId, voucherId);
    if (voucher) state.vouchers.put(appId, { ...voucher, spent: voucher.spent - amount, updated_at: now });
  }
}
