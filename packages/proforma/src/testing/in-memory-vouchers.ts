import { releasedVouchers, type RequestedVoucher, type Proforma } from '../index.js';

interface Voucher {
  readonly amount: number;
  readonly spent: number;
  readonly heldBy: number | null;
}

export class InMemoryVouchers {
  private readonly vouchers = new Map<number, Voucher>();

  add(id: number, amount: number): void {
    this.vouchers.set(id, { amount, spent: 0, heldBy: null });
  }

  find(id: number): Voucher | undefined {
    return this.vouchers.get(id);
  }

  withCurrentAvailability<Requested extends RequestedVoucher>(requested: Requested): Requested {
    const voucher = this.vouchers.get(requested.id);
    if (voucher === undefined) return requested;
    return { ...requested, available: voucher.heldBy === null ? voucher.amount - voucher.spent : 0 };
  }

  hold({ id, payments }: Proforma): void {
    for (const { voucherId } of payments) this.change(voucherId, (voucher) => ({ ...voucher, heldBy: id }));
  }

  settle(before: Proforma, after: Proforma): void {
    for (const { voucherId, proformaId, spent } of releasedVouchers(before, after)) {
      this.change(voucherId, (voucher) =>
        voucher.heldBy === proformaId ? { ...voucher, spent: voucher.spent + spent, heldBy: null } : voucher,
      );
    }
  }

  giveBack(id: number, amount: number): void {
    this.change(id, (voucher) => ({ ...voucher, spent: voucher.spent - amount }));
  }

  private change(id: number | null, change: (voucher: Voucher) => Voucher): void {
    const voucher = id === null ? undefined : this.vouchers.get(id);
    if (id !== null && voucher !== undefined) this.vouchers.set(id, change(voucher));
  }
}
