import { vouchersLetGo, type OfferedVoucher, type Proforma } from '../src/index.js';

interface Voucher {
  readonly amount: number;
  readonly spent: number;
  /** The proforma that holds it. */
  readonly heldBy: number | null;
}

/** What is spent of vouchers and who holds them, in memory. */
export class InMemoryVouchers {
  private readonly vouchers = new Map<number, Voucher>();

  add(id: number, amount: number): void {
    this.vouchers.set(id, { amount, spent: 0, heldBy: null });
  }

  find(id: number): Voucher | undefined {
    return this.vouchers.get(id);
  }

  /** The offer as it can be used now; one that nobody added is as it says. */
  offeredNow<Offer extends OfferedVoucher>(offered: Offer): Offer {
    const known = this.vouchers.get(offered.id);
    if (known === undefined) return offered;
    return { ...offered, available: known.heldBy === null ? known.amount - known.spent : 0 };
  }

  hold({ id, payments }: Proforma): void {
    for (const { voucherId } of payments) this.change(voucherId, (voucher) => ({ ...voucher, heldBy: id }));
  }

  settle(before: Proforma, after: Proforma): void {
    for (const { voucherId, proformaId, spent } of vouchersLetGo(before, after)) {
      this.change(voucherId, (voucher) =>
        voucher.heldBy === proformaId ? { ...voucher, spent: voucher.spent + spent, heldBy: null } : voucher,
      );
    }
  }

  giveBack(id: number, amount: number): void {
    this.change(id, (voucher) => ({ ...voucher, spent: voucher.spent - amount }));
  }

  private change(id: number | null, change: (voucher: Voucher) => Voucher): void {
    const found = id === null ? undefined : this.vouchers.get(id);
    if (id !== null && found !== undefined) this.vouchers.set(id, change(found));
  }
}
