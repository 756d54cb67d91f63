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
  applyRefundOutcome,
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
export const ON_HAND = { 'shirt@W1': 6, 'shirt@W2': 4, 'sock@W1': 6 };
export const VOUCHERS = { small: 300, middle: 1_500, large: 9_000 };

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
    return this.orders.appsExpiringPaid.has(APP);
  }

  set expirePaid(expirePaid: boolean) {
    if (expirePaid) this.orders.appsExpiringPaid.add(APP);
    else this.orders.appsExpiringPaid.delete(APP);
  }

  evaluate(evaluation: Evaluation, codes: readonly string[]): number {
    const requestedVouchers = codes.map((code) => ({ id: this.idOf(code), code, available: 0 }));
    const currentVouchers = requestedVouchers.map((voucher) => this.orders.vouchers.withCurrentAvailability(voucher));
    const vouchers = promisedVouchers(currentVouchers, evaluation.totals.endSales);
    return this.orders.addEvaluation(APP, { ...evaluation, vouchers, expiresAt: addHours(this.now, 24) });
  }

  async create(evaluationId: number): Promise<Proforma | Refusal> {
    const result = await this.orders.create(APP, evaluationId, (facts) =>
      createProforma({
        ...facts,
        preferredWarehouse: null,
        number: `P-2026-${this.ids.length}`,
        minimumBasketAmount: 0,
        lifetimeHours: LIFETIME_HOURS,
        now: this.now,
      }),
    );
    if (!isRefusal(result)) this.ids.push(result.id);
    return result;
  }

  find(id: number): Promise<Proforma | undefined> {
    return this.orders.find(APP, id);
  }

  act(id: number, decide: (proforma: Proforma) => Proforma | Refusal): Promise<StoredChange | undefined> {
    return this.orders.change(APP, id, (proforma) => {
      const current = this.withDeadline(proforma);
      const result = decide(current);
      return isRefusal(result) ? { next: current, refusal: result } : { next: result };
    });
  }

  settle(id: number, paymentId: number, outcome: RefundOutcome): Promise<StoredChange | undefined> {
    return this.orders.change(APP, id, (proforma) => ({
      next: applyRefundOutcome(proforma, paymentId, outcome, this.now),
    }));
  }

  async refundOrder(id: number): Promise<void> {
    const change = await this.orders.change(APP, id, (proforma) => ({
      next: refundOrder(proforma, { now: this.now }),
    }));
    const refunds = change === undefined ? [] : addedVoucherRefunds(change.before, change.proforma);
    for (const { voucherId, amount } of refunds) this.orders.vouchers.giveBack(voucherId, amount);
  }

  receiveCardResult(id: number, index: number, status: CardResult['status']): Promise<StoredChange | undefined> {
    return this.act(id, (proforma) => {
      const paymentId = paymentsOfKind(proforma, 'card')[index]?.id ?? 0;
      return receiveCardResult(proforma, { paymentId, status, reference: null, now: this.now });
    });
  }

  async sweep(): Promise<void> {
    const due = (await this.orders.due(this.now, { perApp: 1_000, overall: 1_000 })).map(({ id }) => id);
    await this.orders.changeUnlocked(APP, due, (proforma) => ({ next: this.withDeadline(proforma) }));
  }

  async snapshot(): Promise<Snapshot> {
    const rows = Object.values(VARIANTS).flatMap(({ variantId }) => this.orders.stockOf(APP, variantId));
    const proformas = await this.findProformas();
    return {
      proformas: proformas.map((proforma) => this.snapshotOf(proforma)),
      reservedPieces: rows.map((row) => row.reserved),
      vouchers: Object.keys(VOUCHERS).map((voucher) => this.voucherSnapshot(voucher, proformas)),
    };
  }

  async faults(): Promise<string[]> {
    const proformas = await this.findProformas();
    return [...proformas.flatMap(faultsOf), ...this.voucherFaults(proformas)];
  }

  private async findProformas(): Promise<Proforma[]> {
    const proformas = await Promise.all(this.ids.map((id) => this.find(id)));
    return proformas.filter((proforma) => proforma !== undefined);
  }

  private idOf(voucher: string): number {
    return this.voucherIds.get(voucher) ?? 0;
  }

  private snapshotOf(proforma: Proforma): Snapshot['proformas'][number] {
    const payments = shownPayments(proforma);
    return {
      status: proforma.status,
      total: proforma.endSales,
      paidAmount: paidAmountOf(payments),
      debt: debtOf({ endSales: proforma.endSales, payments }),
      paidByNow: paidAmountOf(proforma.payments),
      pendingAmount: sum(pendingRefunds(proforma).map(({ amount }) => -amount)),
      vouchers: this.voucherPayments(proforma),
      cards: paymentsOfKind(proforma, 'card').map(({ amount, status }) => ({
        amount,
        result: status === 'pending' ? 'awaited' : status,
      })),
      tags: proforma.tags,
      alerts: proforma.alerts.map(({ kind, resolvedAt }) => ({ kind, isOpen: resolvedAt === null })),
      confirmedQuantities: proforma.lines.map((line) => line.qtyConfirmed ?? line.qty),
    };
  }

  private voucherPayments(proforma: Proforma): Snapshot['proformas'][number]['vouchers'] {
    const voucherEntries = proforma.payments.filter(({ kind }) => kind === 'voucher');
    return [...new Set(voucherEntries.map(({ voucherId }) => voucherId))].map((id) => {
      const amounts = voucherEntries.filter(({ voucherId }) => voucherId === id).map(({ amount }) => amount);
      const voucher = Object.keys(VOUCHERS).find((code) => this.idOf(code) === id) ?? 'unknown';
      return { voucher, firstAmount: amounts[0] ?? 0, keptAmount: sum(amounts) };
    });
  }

  private voucherSnapshot(voucher: string, proformas: readonly Proforma[]): Snapshot['vouchers'][number] {
    const { amount = 0, spent = 0 } = this.orders.vouchers.find(this.idOf(voucher)) ?? {};
    const holders = [...proformas.keys()].filter((index) => this.holds(proformas[index], voucher));
    return { voucher, remainingAmount: amount - spent, holders };
  }

  private voucherFaults(proformas: readonly Proforma[]): string[] {
    return Object.keys(VOUCHERS).flatMap((voucher) => {
      const holders = proformas.filter((proforma) => this.holds(proforma, voucher)).map(({ id }) => id);
      const heldBy = this.orders.vouchers.find(this.idOf(voucher))?.heldBy ?? undefined;
      if (holders.length > 1) return [`${voucher} is held by several`];
      return holders[0] === heldBy ? [] : [`${voucher} is not held by the proforma that it pays`];
    });
  }

  private holds(proforma: Proforma | undefined, voucher: string): boolean {
    const id = this.idOf(voucher);
    return proforma !== undefined && isOpen(proforma) && proforma.payments.some(({ voucherId }) => voucherId === id);
  }

  private withDeadline(proforma: Proforma): Proforma {
    return meetDeadline(proforma, { now: this.now, expirePaid: this.expirePaid });
  }
}

function paymentsOfKind({ payments }: Proforma, wantedKind: Payment['kind']): Payment[] {
  return payments.filter(({ kind, amount }) => kind === wantedKind && amount > 0);
}

function faultsOf(proforma: Proforma): string[] {
  const { sales, discount, netSales, vat, endSales, originalEndSales, payments } = proforma;
  const brackets = proformaBrackets(proforma);
  const settledPayments = payments.filter(({ amount, status }) => amount > 0 && status === 'settled');
  const keptByPayment = new Map(settledPayments.map(({ id, amount }) => [id, amount]));
  for (const { amount, refundOf, status } of payments) {
    if (amount < 0 && status !== 'refund_failed' && status !== 'failed')
      keptByPayment.set(refundOf ?? 0, (keptByPayment.get(refundOf ?? 0) ?? 0) + amount);
  }
  const faults = {
    'end_sales is not sales - discount': endSales !== sales - discount,
    'end_sales is not net_sales + vat': endSales !== netSales + vat,
    'end_sales is above the original one': endSales > originalEndSales,
    'the gross of the brackets does not add up': sum(brackets.map((bracket) => bracket.gross)) !== endSales,
    'the net of the brackets does not add up': sum(brackets.map((bracket) => bracket.net)) !== netSales,
    'the VAT of the brackets does not add up': sum(brackets.map((bracket) => bracket.vat)) !== vat,
    'more of a payment was refunded than captured': [...keptByPayment.values()].some((keptAmount) => keptAmount < 0),
  };
  return Object.entries(faults).flatMap(([fault, hasFault]) => (hasFault ? [fault] : []));
}
