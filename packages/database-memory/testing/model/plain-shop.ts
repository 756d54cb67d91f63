/** Amounts are minor units, times are hours. */
export interface PlainProforma {
  status:
    | 'draft'
    | 'awaiting_payment'
    | 'paid'
    | 'confirmed'
    | 'partial_confirmed'
    | 'converted'
    | 'canceled'
    | 'expired';
  readonly expiresAt: number;
  readonly lines: PlainLine[];
  readonly fee: number;
  total: number;
  capturedAmount: number;
  refundedAmount: number;
  /** Refunds that failed and are still owed, oldest first. */
  readonly failedRefunds: { readonly refund: number; amount: number }[];
  pendingAmount: number;
  /**
   * Vouchers in the order of the offer. `firstAmount` is the amount of the first payment; `keptAmount` is paid and not
   * refunded.
   */
  readonly vouchers: { readonly voucher: string; readonly firstAmount: number; keptAmount: number }[];
  readonly cards: PlainCard[];
  paidAtConversion: number | undefined;
  isOrderRefunded: boolean;
  tags: readonly string[];
  readonly alerts: { readonly kind: string; isOpen: boolean; readonly refund?: number }[];
}

export interface PlainLine {
  shelf: string;
  readonly qty: number;
  readonly price: number;
  confirmedQty: number;
}

export interface PlainCard {
  readonly amount: number;
  result: 'awaited' | 'settled' | 'failed';
}

export interface RequestedLine {
  readonly variant: string;
  readonly qty: number;
  readonly price: number;
}

export interface Snapshot {
  readonly proformas: readonly {
    readonly status: string;
    readonly total: number;
    readonly paidAmount: number;
    readonly debt: number;
    readonly paidByNow: number;
    readonly pendingAmount: number;
    readonly vouchers: readonly {
      readonly voucher: string;
      readonly firstAmount: number;
      readonly keptAmount: number;
    }[];
    readonly cards: readonly { readonly amount: number; readonly result: string }[];
    readonly tags: readonly string[];
    readonly alerts: readonly { readonly kind: string; readonly isOpen: boolean }[];
    readonly confirmedQuantities: readonly number[];
  }[];
  readonly reservedPieces: readonly number[];
  readonly vouchers: readonly {
    readonly voucher: string;
    readonly remainingAmount: number;
    readonly holders: readonly number[];
  }[];
}

export type Answer = 'done' | 'refused';

/**
 * Independent model of the shop that counts money and pieces. It shares no code with the package, so that tests can
 * compare the results of both.
 */
export class PlainShop {
  now = 0;
  readonly proformas: PlainProforma[] = [];
  private readonly reportedCards = new Set<PlainCard>();

  /**
   * `shelves` maps `<variant>@<warehouse>` to pieces on hand, in order of preference. `vouchers` maps codes to amounts.
   */
  constructor(
    readonly shelves: Readonly<Record<string, number>>,
    readonly vouchers: Readonly<Record<string, number>>,
    readonly lifetime: number,
    public expirePaid: boolean,
  ) {}

  create(requestedLines: readonly RequestedLine[], fee: number, requestedVouchers: readonly string[]): Answer {
    if (
      requestedVouchers.some((voucher) => this.holdersOf(voucher).length > 0 || this.remainingAmountOf(voucher) === 0)
    )
      return 'refused';
    const takenPieces: Record<string, number> = {};
    const lines: PlainProforma['lines'] = [];
    for (const [index, { variant, qty, price }] of byQtyDown([...requestedLines.entries()], ([, line]) => line.qty)) {
      const shelf = Object.keys(this.shelves).find(
        (name) => name.startsWith(`${variant}@`) && this.freePiecesOn(name) - (takenPieces[name] ?? 0) >= qty,
      );
      if (shelf === undefined) return 'refused';
      takenPieces[shelf] = (takenPieces[shelf] ?? 0) + qty;
      lines[index] = { shelf, qty, price, confirmedQty: qty };
    }
    let total = fee;
    for (const { qty, price } of lines) total += qty * price;
    const vouchers: PlainProforma['vouchers'] = [];
    let debt = total;
    for (const voucher of requestedVouchers) {
      const paidAmount = Math.min(this.remainingAmountOf(voucher), debt);
      if (paidAmount > 0) vouchers.push({ voucher, firstAmount: paidAmount, keptAmount: paidAmount });
      debt -= paidAmount;
    }
    this.proformas.push({
      status: total > 0 && debt === 0 ? 'paid' : 'draft',
      expiresAt: this.now + this.lifetime,
      lines,
      fee,
      total,
      capturedAmount: 0,
      refundedAmount: 0,
      failedRefunds: [],
      pendingAmount: 0,
      vouchers,
      cards: [],
      paidAtConversion: undefined,
      isOrderRefunded: false,
      tags: [],
      alerts: [],
    });
    return 'done';
  }

  pay(proforma: PlainProforma, amount: number | null, method: 'cash' | 'bank' | 'card'): Answer {
    this.meetDeadline(proforma);
    const debt = this.debtOf(proforma);
    if (isFinal(proforma)) return 'refused';
    if (method === 'card') return 'refused';
    if (method === 'cash' && amount === null) return 'refused';
    if (debt === 0) return 'refused';
    if (amount !== null && amount > debt) return 'refused';
    proforma.capturedAmount += amount !== null && amount > 0 ? amount : debt;
    if (this.debtOf(proforma) === 0) proforma.status = 'paid';
    return 'done';
  }

  beginCard(proforma: PlainProforma, amount: number | null, method: 'cash' | 'bank' | 'card'): Answer {
    this.meetDeadline(proforma);
    const debt = this.debtOf(proforma);
    if (isFinal(proforma)) return 'refused';
    if (method !== 'card') return 'refused';
    if (debt === 0) return 'refused';
    if (amount !== null && amount > debt) return 'refused';
    proforma.cards.push({ amount: amount !== null && amount > 0 ? amount : debt, result: 'awaited' });
    if (proforma.status === 'draft') proforma.status = 'awaiting_payment';
    return 'done';
  }

  receiveCardResult(proforma: PlainProforma, card: PlainCard, result: 'settled' | 'failed'): void {
    this.meetDeadline(proforma);
    if (card.result === 'failed' && result === 'settled') this.alertLateSettlement(proforma, card);
    if (card.result !== 'awaited') return;
    card.result = result;
    const isClosed = proforma.status === 'canceled' || proforma.status === 'expired';
    const needed = isClosed ? 0 : this.debtOf(proforma);
    if (result === 'settled') {
      proforma.capturedAmount += card.amount;
      if (card.amount > needed) proforma.pendingAmount += card.amount - needed;
    }
    if (isFinal(proforma) || needed === 0) return;
    if (this.debtOf(proforma) === 0) proforma.status = 'paid';
    else if (
      proforma.status === 'awaiting_payment' &&
      proforma.cards.every((otherCard) => otherCard.result !== 'awaited')
    ) {
      proforma.status = 'draft';
    }
  }

  private alertLateSettlement(proforma: PlainProforma, card: PlainCard): void {
    if (this.reportedCards.has(card)) return;
    this.reportedCards.add(card);
    proforma.alerts.push({ kind: 'refund_failed', isOpen: true });
  }

  confirm(proforma: PlainProforma, quantities: readonly number[]): Answer {
    const alertsBefore = proforma.alerts.length;
    this.meetDeadline(proforma);
    if (isFinal(proforma)) return 'refused';
    if (quantities.length > proforma.lines.length) return 'refused';
    const adjustedLines = proforma.lines.map((line, index) => ({ line, qty: quantities[index] ?? line.qty }));
    if (adjustedLines.some(({ line, qty }) => qty < 0 || qty > line.qty)) return 'refused';
    const shelves = this.shelvesFor(adjustedLines);
    if (shelves === undefined) {
      // The store rolls back all changes. The next call or sweep adds the alert of the deadline again.
      proforma.alerts.length = alertsBefore;
      return 'refused';
    }
    for (const [index, { line, qty }] of adjustedLines.entries()) {
      line.confirmedQty = qty;
      line.shelf = shelves[index] ?? line.shelf;
    }
    let pieces = 0;
    let goods = 0;
    for (const { confirmedQty, price } of proforma.lines) {
      pieces += confirmedQty;
      goods += confirmedQty * price;
    }
    proforma.total = pieces === 0 ? 0 : goods + proforma.fee;
    this.withdrawRefunds(proforma);
    this.refundDownTo(proforma, proforma.total);
    for (const voucher of proforma.vouchers)
      voucher.keptAmount += Math.min(voucher.firstAmount - voucher.keptAmount, this.debtOf(proforma));
    const isFull = proforma.lines.every((line) => line.confirmedQty === line.qty);
    proforma.status = isFull ? 'confirmed' : 'partial_confirmed';
    return 'done';
  }

  private shelvesFor(
    adjustedLines: readonly { readonly line: PlainLine; readonly qty: number }[],
  ): string[] | undefined {
    const freePieces = Object.fromEntries(Object.keys(this.shelves).map((shelf) => [shelf, this.freePiecesOn(shelf)]));
    const add = (shelf: string, qty: number): void => {
      freePieces[shelf] = (freePieces[shelf] ?? 0) + qty;
    };
    for (const { line, qty } of adjustedLines) if (qty < line.confirmedQty) add(line.shelf, line.confirmedQty - qty);
    const chosenShelves: string[] = [];
    for (const [index, { line, qty }] of byQtyDown([...adjustedLines.entries()], ([, adjusted]) => adjusted.qty)) {
      const { shelf, confirmedQty } = line;
      const additionalPieces = Math.max(qty - confirmedQty, 0);
      const variant = shelf.slice(0, shelf.indexOf('@') + 1);
      const otherShelf = Object.keys(freePieces).find(
        (name) => name !== shelf && name.startsWith(variant) && (freePieces[name] ?? 0) >= qty,
      );
      if (additionalPieces > 0 && additionalPieces > (freePieces[shelf] ?? 0)) {
        if (otherShelf === undefined) return undefined;
        add(shelf, confirmedQty);
        add(otherShelf, -qty);
        chosenShelves[index] = otherShelf;
      } else {
        add(shelf, -additionalPieces);
        chosenShelves[index] = shelf;
      }
    }
    return chosenShelves;
  }

  convert(proforma: PlainProforma): Answer {
    this.meetDeadline(proforma);
    if (proforma.status === 'converted') return 'done';
    if (isFinal(proforma)) return 'refused';
    if (proforma.lines.every((line) => line.confirmedQty === 0)) return 'refused';
    proforma.paidAtConversion = this.paidAmountOf(proforma);
    proforma.status = 'converted';
    return 'done';
  }

  cancel(proforma: PlainProforma): Answer {
    this.meetDeadline(proforma);
    if (isFinal(proforma)) return 'refused';
    this.refundDownTo(proforma, 0);
    proforma.status = 'canceled';
    return 'done';
  }

  refundOrder(proforma: PlainProforma): void {
    if (proforma.status !== 'converted') return;
    proforma.isOrderRefunded = true;
    this.refundDownTo(proforma, 0);
  }

  edit(proforma: PlainProforma, tags: readonly string[] | undefined, alert: number | undefined): Answer {
    this.meetDeadline(proforma);
    if (tags !== undefined && isFinal(proforma)) return 'refused';
    if (tags !== undefined && tags.includes('')) return 'refused';
    if (alert !== undefined && alert >= proforma.alerts.length) return 'refused';
    if (tags !== undefined) proforma.tags = tags.filter((tag, index) => tags.indexOf(tag) === index);
    for (const [index, openAlert] of proforma.alerts.entries()) if (index === alert) openAlert.isOpen = false;
    return 'done';
  }

  applyRefundOutcome(proforma: PlainProforma, refund: number, amount: number, outcome: 'refunded' | 'failed'): void {
    proforma.pendingAmount -= amount;
    if (outcome === 'refunded') {
      proforma.refundedAmount += amount;
      return;
    }
    proforma.failedRefunds.push({ refund, amount });
    proforma.failedRefunds.sort((a, b) => a.refund - b.refund);
    const kind = proforma.status === 'expired' ? 'expiry_refund_failed' : 'refund_failed';
    proforma.alerts.push({ kind, isOpen: true, refund });
    this.withdrawRefunds(proforma);
  }

  repairRefund(proforma: PlainProforma, refund: number, amount: number, repair: 'record' | 'retry'): void {
    this.meetDeadline(proforma);
    this.endRefund(proforma, refund);
    if (repair === 'retry') proforma.pendingAmount += amount;
    else {
      proforma.refundedAmount += amount;
      this.withdrawRefunds(proforma);
    }
  }

  private endRefund(proforma: PlainProforma, refund: number): void {
    const index = proforma.failedRefunds.findIndex((failedRefund) => failedRefund.refund === refund);
    proforma.failedRefunds.splice(index, 1);
    for (const alert of proforma.alerts) if (alert.refund === refund) alert.isOpen = false;
  }

  /** A failed refund is no longer owed when its money is due again. */
  private withdrawRefunds(proforma: PlainProforma): void {
    const { status, total, vouchers, isOrderRefunded } = proforma;
    const isClosed = status === 'canceled' || status === 'expired' || isOrderRefunded;
    let missing = (isClosed ? 0 : total) - this.moneyOf(proforma);
    for (const { keptAmount } of vouchers) missing -= keptAmount;
    for (const failedRefund of [...proforma.failedRefunds].reverse()) {
      const withdrawnAmount = Math.min(failedRefund.amount, Math.max(missing, 0));
      failedRefund.amount -= withdrawnAmount;
      missing -= withdrawnAmount;
      if (failedRefund.amount === 0) this.endRefund(proforma, failedRefund.refund);
    }
  }

  /** Returns the captured money as if all refunds were paid. */
  private moneyOf({ capturedAmount, refundedAmount, pendingAmount, failedRefunds }: PlainProforma): number {
    let money = capturedAmount - refundedAmount - pendingAmount;
    for (const { amount } of failedRefunds) money -= amount;
    return money;
  }

  meetDeadline(proforma: PlainProforma): void {
    if (isFinal(proforma) || this.now < proforma.expiresAt) return;
    const isPaid = proforma.total > 0 && this.debtOf(proforma) === 0;
    if (isPaid && !this.expirePaid) {
      if (proforma.alerts.some(({ kind }) => kind === 'paid_not_converted')) return;
      proforma.alerts.push({ kind: 'paid_not_converted', isOpen: true });
      return;
    }
    this.refundDownTo(proforma, 0);
    proforma.status = 'expired';
  }

  snapshot(): Snapshot {
    const proformas = this.proformas.map((proforma) => {
      const paidAmount = proforma.paidAtConversion ?? this.paidAmountOf(proforma);
      return {
        status: proforma.status,
        total: proforma.total,
        paidAmount,
        debt: paidAmount < proforma.total ? proforma.total - paidAmount : 0,
        paidByNow: this.paidAmountOf(proforma),
        pendingAmount: proforma.pendingAmount,
        vouchers: proforma.vouchers,
        cards: proforma.cards,
        tags: proforma.tags,
        alerts: proforma.alerts.map(({ kind, isOpen }) => ({ kind, isOpen })),
        confirmedQuantities: proforma.lines.map((line) => line.confirmedQty),
      };
    });
    const reservedPieces = Object.keys(this.shelves).map((shelf) => this.reservedPiecesOn(shelf));
    const vouchers = Object.keys(this.vouchers).map((voucher) => ({
      voucher,
      remainingAmount: this.remainingAmountOf(voucher),
      holders: this.holdersOf(voucher),
    }));
    return { proformas, reservedPieces, vouchers };
  }

  private paidAmountOf({ capturedAmount, refundedAmount, vouchers }: PlainProforma): number {
    let paidAmount = capturedAmount - refundedAmount;
    for (const { keptAmount } of vouchers) paidAmount += keptAmount;
    return paidAmount;
  }

  /** Returns the debt as if all pending refunds were completed. */
  private debtOf(proforma: PlainProforma): number {
    const keptMoney = this.paidAmountOf(proforma) - proforma.pendingAmount;
    return keptMoney >= proforma.total ? 0 : proforma.total - keptMoney;
  }

  private reservedPiecesOn(shelf: string): number {
    let pieces = 0;
    for (const { status, lines } of this.proformas) {
      if (status === 'canceled' || status === 'expired') continue;
      for (const line of lines) if (line.shelf === shelf) pieces += line.confirmedQty;
    }
    return pieces;
  }

  private freePiecesOn(shelf: string): number {
    return (this.shelves[shelf] ?? 0) - this.reservedPiecesOn(shelf);
  }

  private remainingAmountOf(voucher: string): number {
    let remainingAmount = this.vouchers[voucher] ?? 0;
    for (const { status, vouchers } of this.proformas) {
      if (status !== 'converted') continue;
      for (const heldVoucher of vouchers)
        if (heldVoucher.voucher === voucher) remainingAmount -= heldVoucher.keptAmount;
    }
    return remainingAmount;
  }

  private holdersOf(voucher: string): number[] {
    const holders: number[] = [];
    for (const [index, proforma] of this.proformas.entries()) {
      if (!isFinal(proforma) && proforma.vouchers.some((heldVoucher) => heldVoucher.voucher === voucher))
        holders.push(index);
    }
    return holders;
  }

  private refundDownTo(proforma: PlainProforma, max: number): void {
    const money = this.moneyOf(proforma);
    let excess = money - max;
    for (const { keptAmount } of proforma.vouchers) excess += keptAmount;
    if (excess <= 0) return;
    const refund = Math.min(money, excess);
    proforma.pendingAmount += refund;
    excess -= refund;
    for (const voucher of [...proforma.vouchers].reverse()) {
      const reduction = Math.min(voucher.keptAmount, excess);
      voucher.keptAmount -= reduction;
      excess -= reduction;
    }
  }
}

function isFinal({ status }: PlainProforma): boolean {
  return status === 'converted' || status === 'canceled' || status === 'expired';
}

function byQtyDown<Item>(items: Item[], qtyOf: (item: Item) => number): Item[] {
  return items.sort((a, b) => qtyOf(b) - qtyOf(a));
}
