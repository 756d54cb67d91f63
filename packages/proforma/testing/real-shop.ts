import { addHours, isRefusal, sum, type Refusal } from '@back-office/kernel';
import {
  createProforma,
  debtOf,
  meetDeadline,
  paidOf,
  pendingRefunds,
  proformaBrackets,
  settleRefund,
  shownPayments,
  type Evaluation,
  type Proforma,
  type RefundOutcome,
  type Stored,
} from '../src/index.js';
import { NOW } from './a-proforma.js';
import { InMemoryProformaOrders } from './in-memory-proforma-orders.js';
import type { Picture } from './plain-shop.js';

const APP = 1;
export const LIFETIME_HOURS = 72;
export const VARIANTS = { shirt: { variantId: 101, vatRate: 2000 }, sock: { variantId: 102, vatRate: 1000 } };
/** Pieces by `<variant>@<warehouse>`, in the order in which warehouses are asked. */
export const ON_HAND = { 'shirt@W1': 4, 'shirt@W2': 3, 'sock@W1': 4 };

/** The package at work on its store in memory, driven as the calls drive it: the deadline is met first. */
export class RealShop {
  readonly ids: number[] = [];
  now = NOW;
  private readonly orders = new InMemoryProformaOrders();

  constructor(private readonly expirePaid: boolean) {
    const { shirt, sock } = VARIANTS;
    const [w1, w2] = [
      { warehouseId: 1, warehouseCode: 'W1' },
      { warehouseId: 2, warehouseCode: 'W2' },
    ];
    this.orders.addStock(APP, { variantId: shirt.variantId, ...w1, onHand: ON_HAND['shirt@W1'] });
    this.orders.addStock(APP, { variantId: shirt.variantId, ...w2, onHand: ON_HAND['shirt@W2'] });
    this.orders.addStock(APP, { variantId: sock.variantId, ...w1, onHand: ON_HAND['sock@W1'] });
  }

  evaluate(evaluation: Evaluation): number {
    return this.orders.addEvaluation(APP, { ...evaluation, expiresAt: addHours(this.now, 24) });
  }

  async create(evaluationId: number): Promise<Proforma | Refusal> {
    const outcome = await this.orders.create(APP, evaluationId, (facts) =>
      createProforma({
        ...facts,
        preferredWarehouse: null,
        number: `P-2026-${this.ids.length}`,
        lifetimeHours: LIFETIME_HOURS,
        now: this.now,
      }),
    );
    if (!isRefusal(outcome)) this.ids.push(outcome.id);
    return outcome;
  }

  find(id: number): Promise<Proforma | undefined> {
    return this.orders.find(APP, id);
  }

  act(id: number, decide: (proforma: Proforma) => Proforma | Refusal): Promise<Stored | undefined> {
    return this.orders.change(APP, id, (found) => {
      const met = this.meet(found);
      const outcome = decide(met);
      return isRefusal(outcome) ? { next: met, refusal: outcome } : { next: outcome };
    });
  }

  settle(id: number, paymentId: number, outcome: RefundOutcome): Promise<Stored | undefined> {
    return this.orders.change(APP, id, (found) => ({ next: settleRefund(found, paymentId, outcome, this.now) }));
  }

  async sweep(): Promise<void> {
    const due = (await this.orders.due(this.now, 1_000)).map(({ id }) => id);
    await this.orders.changeUnlocked(APP, due, (found) => ({ next: this.meet(found) }));
  }

  async picture(): Promise<Picture> {
    const rows = Object.values(VARIANTS).flatMap(({ variantId }) => this.orders.stockOf(APP, variantId));
    return { proformas: (await this.all()).map(pictureOf), reserved: rows.map((row) => row.reserved) };
  }

  /** What may never be, whatever happened before. */
  async faults(): Promise<string[]> {
    return (await this.all()).flatMap(faultsOf);
  }

  private async all(): Promise<Proforma[]> {
    const found = await Promise.all(this.ids.map((id) => this.find(id)));
    return found.filter((each) => each !== undefined);
  }

  private meet(found: Proforma): Proforma {
    return meetDeadline(found, { now: this.now, expirePaid: this.expirePaid });
  }
}

function pictureOf(found: Proforma): Picture['proformas'][number] {
  const payments = shownPayments(found);
  return {
    status: found.status,
    total: found.endSales,
    paid: paidOf(payments),
    debt: debtOf({ endSales: found.endSales, payments }),
    pending: sum(pendingRefunds(found).map(({ amount }) => -amount)),
    tags: found.tags,
    alerts: found.alerts.map(({ kind, resolvedAt }) => ({ kind, isOpen: resolvedAt === null })),
    confirmed: found.lines.map((line) => line.qtyConfirmed ?? line.qty),
  };
}

function faultsOf(found: Proforma): string[] {
  const { sales, discount, netSales, vat, endSales, originalEndSales, payments } = found;
  const brackets = proformaBrackets(found);
  const left = new Map(payments.filter(({ amount }) => amount > 0).map(({ id, amount }) => [id, amount]));
  for (const { amount, refundOf, status } of payments) {
    if (amount < 0 && status !== 'refund_failed') left.set(refundOf ?? 0, (left.get(refundOf ?? 0) ?? 0) + amount);
  }
  const faults = {
    'end_sales is not sales - discount': endSales !== sales - discount,
    'end_sales is not net_sales + vat': endSales !== netSales + vat,
    'end_sales is above the original one': endSales > originalEndSales,
    'the gross of the brackets does not add up': sum(brackets.map((bracket) => bracket.gross)) !== endSales,
    'the net of the brackets does not add up': sum(brackets.map((bracket) => bracket.net)) !== netSales,
    'the VAT of the brackets does not add up': sum(brackets.map((bracket) => bracket.vat)) !== vat,
    'more of a payment went back than came': [...left.values()].some((rest) => rest < 0),
  };
  return Object.entries(faults).flatMap(([fault, isThere]) => (isThere ? [fault] : []));
}
