import { addHours, isRefusal, sum, type Refusal } from '@back-office/kernel';
import {
  createProforma,
  debtOf,
  isOpen,
  meetDeadline,
  paidAmountOf,
  pendingRefunds,
  proformaBrackets,
  promisedVouchers,
  receiveCardResult,
  refundOrder,
  settleRefund,
  shownPayments,
  addedVoucherRefunds,
  type CardResult,
  type Evaluation,
  type Payment,
  type Proforma,
  type RefundOutcome,
  type StoredChange,
} from '../../index.js';
import { NOW } from '../a-proforma.js';
import { InMemoryProformaOrders } from '../in-memory-proforma-orders.js';
import type { Snapshot } from './plain-shop.js';

const APP = 1;
export const LIFETIME_HOURS = 72;
export const VARIANTS = { shirt: { variantId: 101, vatRate: 2000 }, sock: { variantId: 102, vatRate: 1000 } };
/** Pieces by `<variant>@<warehouse>`, in order of preference. */
export const ON_HAND = { 'shirt@W1': 6, 'shirt@W2': 4, 'sock@W1': 6 };
/** Amount of each voucher. */
export const VOUCHERS = { small: 300, middle: 1_500, large: 9_000 };

/** The package with its store in memory. Like the API, it meets the deadline before each action. */
export class RealShop {
  readonly ids: number[] = [];
  now = NOW;
  private readonly orders = new InMemoryProformaOrders();
  private readonly voucherIds: ReadonlyMap<string, number>;

  constructor(expirePaid: boolean) {
    const { shirt, sock } = VARIANTS;
    const [w1, w2] = [
      { warehouseId: 1, warehouseCode: 'W1' },
      { warehouseId: 2, warehouseCode: 'W2' },
    ];
    this.orders.addStock(APP, { variantId: shirt.variantId, ...w1, onHand: ON_HAND['shirt@W1'] });
    this.orders.addStock(APP, { variantId: shirt.variantId, ...w2, onHand: ON_HAND['shirt@W2'] });
    this.orders.addStock(APP, { variantId: sock.variantId, ...w1, onHand: ON_HAND['sock@W1'] });
    this.voucherIds = new Map(Object.keys(VOUCHERS).map((voucher) => [voucher, this.orders.nextId()]));
    for (const [voucher, amount] of Object.entries(VOUCHERS)) this.orders.vouchers.add(this.idOf(voucher), amount);
    this.expirePaid = expirePaid;
  }

  get expirePaid(): boolean {
    return this.orders.expiringPaid.has(APP);
  }

  set expirePaid(expirePaid: boolean) {
    if (expirePaid) this.orders.expiringPaid.add(APP);
    else this.orders.expiringPaid.delete(APP);
  }

  evaluate(evaluation: Evaluation, offered: readonly string[]): number {
    const known = offered.map((code) => ({ id: this.idOf(code), code, available: 0 }));
    const now = known.map((each) => this.orders.vouchers.offeredNow(each));
    const vouchers = promisedVouchers(now, evaluation.totals.endSales);
    return this.orders.addEvaluation(APP, { ...evaluation, vouchers, expiresAt: addHours(this.now, 24) });
  }

  async create(evaluationId: number): Promise<Proforma | Refusal> {
    const outcome = await this.orders.create(APP, evaluationId, (facts) =>
      createProforma({
        ...facts,
        preferredWarehouse: null,
        number: `P-2026-${this.ids.length}`,
        minimumBasketAmount: 0,
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

  act(id: number, decide: (proforma: Proforma) => Proforma | Refusal): Promise<StoredChange | undefined> {
    return this.orders.change(APP, id, (found) => {
      const met = this.metDeadline(found);
      const outcome = decide(met);
      return isRefusal(outcome) ? { next: met, refusal: outcome } : { next: outcome };
    });
  }

  settle(id: number, paymentId: number, outcome: RefundOutcome): Promise<StoredChange | undefined> {
    return this.orders.change(APP, id, (found) => ({ next: settleRefund(found, paymentId, outcome, this.now) }));
  }

  async refundOrder(id: number): Promise<void> {
    const stored = await this.orders.change(APP, id, (found) => ({ next: refundOrder(found, { now: this.now }) }));
    const returned = stored === undefined ? [] : addedVoucherRefunds(stored.before, stored.proforma);
    for (const { voucherId, amount } of returned) this.orders.vouchers.giveBack(voucherId, amount);
  }

  /** `index` counts the card payments of the proforma. */
  receiveCardResult(id: number, index: number, status: CardResult['status']): Promise<StoredChange | undefined> {
    return this.act(id, (found) => {
      const paymentId = captured(found, 'card')[index]?.id ?? 0;
      return receiveCardResult(found, { paymentId, status, reference: null, now: this.now });
    });
  }

  async sweep(): Promise<void> {
    const due = (await this.orders.due(this.now, { perApp: 1_000, overall: 1_000 })).map(({ id }) => id);
    await this.orders.changeUnlocked(APP, due, (found) => ({ next: this.metDeadline(found) }));
  }

  async snapshot(): Promise<Snapshot> {
    const rows = Object.values(VARIANTS).flatMap(({ variantId }) => this.orders.stockOf(APP, variantId));
    const found = await this.all();
    return {
      proformas: found.map((each) => this.snapshotOf(each)),
      reserved: rows.map((row) => row.reserved),
      vouchers: Object.keys(VOUCHERS).map((voucher) => this.voucherSnapshot(voucher, found)),
    };
  }

  /** Violated invariants. */
  async faults(): Promise<string[]> {
    const found = await this.all();
    return [...found.flatMap(faultsOf), ...this.voucherFaults(found)];
  }

  private async all(): Promise<Proforma[]> {
    const found = await Promise.all(this.ids.map((id) => this.find(id)));
    return found.filter((each) => each !== undefined);
  }

  private idOf(voucher: string): number {
    return this.voucherIds.get(voucher) ?? 0;
  }

  private snapshotOf(found: Proforma): Snapshot['proformas'][number] {
    const payments = shownPayments(found);
    return {
      status: found.status,
      total: found.endSales,
      paid: paidAmountOf(payments),
      debt: debtOf({ endSales: found.endSales, payments }),
      paidByNow: paidAmountOf(found.payments),
      pending: sum(pendingRefunds(found).map(({ amount }) => -amount)),
      vouchers: this.voucherPayments(found),
      cards: captured(found, 'card').map(({ amount, status }) => ({
        amount,
        result: status === 'pending' ? 'awaited' : status,
      })),
      tags: found.tags,
      alerts: found.alerts.map(({ kind, resolvedAt }) => ({ kind, isOpen: resolvedAt === null })),
      confirmed: found.lines.map((line) => line.qtyConfirmed ?? line.qty),
    };
  }

  /** The first payment of each voucher, and the sum of its payments and refunds. */
  private voucherPayments(found: Proforma): Snapshot['proformas'][number]['vouchers'] {
    const ofVouchers = found.payments.filter(({ kind }) => kind === 'voucher');
    return [...new Set(ofVouchers.map(({ voucherId }) => voucherId))].map((id) => {
      const amounts = ofVouchers.filter(({ voucherId }) => voucherId === id).map(({ amount }) => amount);
      const voucher = Object.keys(VOUCHERS).find((code) => this.idOf(code) === id) ?? 'unknown';
      return { voucher, paid: amounts[0] ?? 0, kept: sum(amounts) };
    });
  }

  private voucherSnapshot(voucher: string, found: readonly Proforma[]): Snapshot['vouchers'][number] {
    const { amount = 0, spent = 0 } = this.orders.vouchers.find(this.idOf(voucher)) ?? {};
    const holders = [...found.keys()].filter((index) => this.holds(found[index], voucher));
    return { voucher, left: amount - spent, holders };
  }

  private voucherFaults(found: readonly Proforma[]): string[] {
    return Object.keys(VOUCHERS).flatMap((voucher) => {
      const holders = found.filter((each) => this.holds(each, voucher)).map(({ id }) => id);
      const heldBy = this.orders.vouchers.find(this.idOf(voucher))?.heldBy ?? undefined;
      if (holders.length > 1) return [`${voucher} is held by several`];
      return holders[0] === heldBy ? [] : [`${voucher} is not held by the proforma that it pays`];
    });
  }

  private holds(found: Proforma | undefined, voucher: string): boolean {
    const id = this.idOf(voucher);
    return found !== undefined && isOpen(found) && found.payments.some(({ voucherId }) => voucherId === id);
  }

  private metDeadline(found: Proforma): Proforma {
    return meetDeadline(found, { now: this.now, expirePaid: this.expirePaid });
  }
}

function captured({ payments }: Proforma, wanted: Payment['kind']): Payment[] {
  return payments.filter(({ kind, amount }) => kind === wanted && amount > 0);
}

function faultsOf(found: Proforma): string[] {
  const { sales, discount, netSales, vat, endSales, originalEndSales, payments } = found;
  const brackets = proformaBrackets(found);
  const settled = payments.filter(({ amount, status }) => amount > 0 && status === 'settled');
  const left = new Map(settled.map(({ id, amount }) => [id, amount]));
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
    'more of a payment was refunded than captured': [...left.values()].some((rest) => rest < 0),
  };
  return Object.entries(faults).flatMap(([fault, isThere]) => (isThere ? [fault] : []));
}
