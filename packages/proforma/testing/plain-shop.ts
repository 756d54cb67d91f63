/** What a proforma comes to in plain numbers. Amounts are minor units, times are hours. */
export interface PlainProforma {
  status: 'draft' | 'paid' | 'confirmed' | 'partial_confirmed' | 'converted' | 'canceled' | 'expired';
  readonly expiresAt: number;
  readonly lines: { readonly shelf: string; readonly qty: number; readonly price: number; confirmed: number }[];
  readonly fee: number;
  total: number;
  captured: number;
  refunded: number;
  /** On its way back. */
  pending: number;
  /** What was paid at conversion. */
  paidAtConversion: number | undefined;
  tags: readonly string[];
  readonly alerts: { readonly kind: string; isOpen: boolean }[];
}

export interface Wanted {
  readonly variant: string;
  readonly qty: number;
  readonly price: number;
}

export interface Picture {
  readonly proformas: readonly {
    readonly status: string;
    readonly total: number;
    readonly paid: number;
    readonly debt: number;
    readonly pending: number;
    readonly tags: readonly string[];
    readonly alerts: readonly { readonly kind: string; readonly isOpen: boolean }[];
    readonly confirmed: readonly number[];
  }[];
  /** Shelf by shelf. */
  readonly reserved: readonly number[];
}

export type Answer = 'done' | 'refused';

/**
 * A second opinion on proformas: money and pieces counted in plain ifs, as the interface tells them.
 * It shares no code with the package, so that the two can be compared.
 */
export class PlainShop {
  now = 0;
  readonly proformas: PlainProforma[] = [];

  /** `shelves`: pieces on hand by `<variant>@<warehouse>`, in the order in which warehouses are asked. */
  constructor(
    readonly shelves: Readonly<Record<string, number>>,
    readonly lifetime: number,
    readonly expirePaid: boolean,
  ) {}

  create(wanted: readonly Wanted[], fee: number): Answer {
    const taken: Record<string, number> = {};
    const lines: PlainProforma['lines'] = [];
    for (const { variant, qty, price } of wanted) {
      const shelf = Object.keys(this.shelves).find(
        (name) => name.startsWith(`${variant}@`) && this.free(name) - (taken[name] ?? 0) >= qty,
      );
      if (shelf === undefined) return 'refused';
      taken[shelf] = (taken[shelf] ?? 0) + qty;
      lines.push({ shelf, qty, price, confirmed: qty });
    }
    let total = fee;
    for (const { qty, price } of lines) total += qty * price;
    this.proformas.push({
      status: 'draft',
      expiresAt: this.now + this.lifetime,
      lines,
      fee,
      total,
      captured: 0,
      refunded: 0,
      pending: 0,
      paidAtConversion: undefined,
      tags: [],
      alerts: [],
    });
    return 'done';
  }

  pay(proforma: PlainProforma, amount: number | null, method: 'cash' | 'bank' | 'card'): Answer {
    this.meetDeadline(proforma);
    const debt = this.debt(proforma);
    if (isFinal(proforma)) return 'refused';
    if (method === 'card') return 'refused';
    if (method === 'cash' && amount === null) return 'refused';
    if (debt === 0) return 'refused';
    if (amount !== null && amount > debt) return 'refused';
    proforma.captured += amount !== null && amount > 0 ? amount : debt;
    if (this.debt(proforma) === 0) proforma.status = 'paid';
    return 'done';
  }

  /** Quantities for the first lines; the others are confirmed in full. */
  confirm(proforma: PlainProforma, quantities: readonly number[]): Answer {
    const alertsBefore = proforma.alerts.length;
    this.meetDeadline(proforma);
    if (isFinal(proforma)) return 'refused';
    if (quantities.length > proforma.lines.length) return 'refused';
    const wanted = proforma.lines.map((line, index) => ({ line, qty: quantities[index] ?? line.qty }));
    if (wanted.some(({ line, qty }) => qty < 0 || qty > line.qty)) return 'refused';
    for (const shelf of Object.keys(this.shelves)) {
      let more = 0;
      for (const { line, qty } of wanted) if (line.shelf === shelf) more += qty - line.confirmed;
      if (more > 0 && more > this.free(shelf)) {
        // The store takes back everything with the pieces; the deadline's alert is left to the next call or sweep.
        proforma.alerts.length = alertsBefore;
        return 'refused';
      }
    }
    for (const { line, qty } of wanted) line.confirmed = qty;
    let pieces = 0;
    let goods = 0;
    for (const { confirmed, price } of proforma.lines) {
      pieces += confirmed;
      goods += confirmed * price;
    }
    proforma.total = pieces === 0 ? 0 : goods + proforma.fee;
    this.giveBackDownTo(proforma, proforma.total);
    const full = proforma.lines.every((line) => line.confirmed === line.qty);
    proforma.status = full ? 'confirmed' : 'partial_confirmed';
    return 'done';
  }

  convert(proforma: PlainProforma): Answer {
    this.meetDeadline(proforma);
    if (proforma.status === 'converted') return 'done';
    if (isFinal(proforma)) return 'refused';
    if (proforma.lines.every((line) => line.confirmed === 0)) return 'refused';
    proforma.paidAtConversion = this.paid(proforma);
    proforma.status = 'converted';
    return 'done';
  }

  cancel(proforma: PlainProforma): Answer {
    this.meetDeadline(proforma);
    if (isFinal(proforma)) return 'refused';
    this.giveBackDownTo(proforma, 0);
    proforma.status = 'canceled';
    return 'done';
  }

  edit(proforma: PlainProforma, tags: readonly string[] | undefined, alert: number | undefined): Answer {
    this.meetDeadline(proforma);
    if (tags !== undefined && isFinal(proforma)) return 'refused';
    if (tags !== undefined && tags.includes('')) return 'refused';
    if (alert !== undefined && alert >= proforma.alerts.length) return 'refused';
    if (tags !== undefined) proforma.tags = tags.filter((tag, index) => tags.indexOf(tag) === index);
    for (const [index, each] of proforma.alerts.entries()) if (index === alert) each.isOpen = false;
    return 'done';
  }

  settleRefund(proforma: PlainProforma, amount: number, outcome: 'refunded' | 'failed'): void {
    proforma.pending -= amount;
    if (outcome === 'refunded') proforma.refunded += amount;
    else if (proforma.status === 'expired') proforma.alerts.push({ kind: 'expiry_refund_failed', isOpen: true });
    else proforma.alerts.push({ kind: 'refund_failed', isOpen: true });
  }

  meetDeadline(proforma: PlainProforma): void {
    if (isFinal(proforma) || this.now < proforma.expiresAt) return;
    const isPaid = proforma.total > 0 && this.debt(proforma) === 0;
    if (isPaid && !this.expirePaid) {
      if (proforma.alerts.some(({ kind }) => kind === 'paid_not_converted')) return;
      proforma.alerts.push({ kind: 'paid_not_converted', isOpen: true });
      return;
    }
    this.giveBackDownTo(proforma, 0);
    proforma.status = 'expired';
  }

  /** All that can be seen, in the shape of the real shop's. */
  picture(): Picture {
    const proformas = this.proformas.map((told) => {
      const paid = told.paidAtConversion ?? this.paid(told);
      return {
        status: told.status,
        total: told.total,
        paid,
        debt: paid < told.total ? told.total - paid : 0,
        pending: told.pending,
        tags: told.tags,
        alerts: told.alerts,
        confirmed: told.lines.map((line) => line.confirmed),
      };
    });
    return { proformas, reserved: Object.keys(this.shelves).map((shelf) => this.reserved(shelf)) };
  }

  private paid({ captured, refunded }: PlainProforma): number {
    return captured - refunded;
  }

  private debt(proforma: PlainProforma): number {
    return this.paid(proforma) >= proforma.total ? 0 : proforma.total - this.paid(proforma);
  }

  private reserved(shelf: string): number {
    let pieces = 0;
    for (const { status, lines } of this.proformas) {
      if (status === 'canceled' || status === 'expired') continue;
      for (const line of lines) if (line.shelf === shelf) pieces += line.confirmed;
    }
    return pieces;
  }

  private free(shelf: string): number {
    return (this.shelves[shelf] ?? 0) - this.reserved(shelf);
  }

  private giveBackDownTo(proforma: PlainProforma, owed: number): void {
    const held = proforma.captured - proforma.refunded - proforma.pending;
    if (held > owed) proforma.pending += held - owed;
  }
}

function isFinal({ status }: PlainProforma): boolean {
  return status === 'converted' || status === 'canceled' || status === 'expired';
}
