import type { App } from '@back-office/apps';
import { addHours, columnsOf, isRefusal, SALE_TERMS, sum, totalColumns, type Refusal } from '@back-office/kernel';
import { CANCELED_ID } from '@back-office/orders';
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
  refundEffectsOf,
  applyRefundOutcome,
  shownPayments,
  type CardResult,
  type Evaluation,
  type Payment,
  type Proforma,
  type RefundOutcome,
  type StoredChange,
} from '@back-office/proforma';
import { NOW } from '@back-office/proforma/testing';
import { portsOf, State } from '../../src/index.js';
import { NO_APP_ID } from '../../src/apps/memory-apps.js';
import { executeEffects } from '../../src/proformas/execute-effects.js';
import type { Snapshot } from './plain-shop.js';

const APP = 1;
export const LIFETIME_HOURS = 72;
export const VARIANTS = { shirt: { variantId: 101, vatRate: 2000 }, sock: { variantId: 102, vatRate: 1000 } };
export const ON_HAND = { 'shirt@W1': 6, 'shirt@W2': 4, 'sock@W1': 6 };
export const VOUCHERS = { small: 300, middle: 1_500, large: 9_000 };

export class RealShop {
  readonly ids: number[] = [];
  now = NOW;
  private readonly state = new State();
  private readonly orders = portsOf(this.state, {
    clock: { now: () => this.now },
    publicBase: () => 'https://media.example',
    isPublished: () => false,
  }).proformaOrders;

  constructor(public expirePaid: boolean) {
    const { warehouses, stocks, vouchers } = this.state;
    this.setExpirePaid(expirePaid);
    for (const code of ['W1', 'W2']) {
      const address = { name: code, address_line_1: 'Put 1', city: 'Novi Sad', postcode: '21000', market_id: 1 };
      const times = { inserted_at: NOW, updated_at: NOW, deleted_at: null };
      warehouses.insert(APP, { code, ...address, sellable: true, ...times });
    }
    for (const [shelf, onHand] of Object.entries(ON_HAND)) {
      const [variant, warehouse] = shelf.split('@') as [keyof typeof VARIANTS, string];
      stocks.insert(APP, {
        product_variant_id: VARIANTS[variant].variantId,
        warehouse_id: warehouses.find(APP, ({ code }) => code === warehouse)?.id ?? 0,
        on_hand: onHand,
        reserved: 0,
        min_qty: 0,
        updated_at: NOW,
      });
    }
    for (const [code, amount] of Object.entries(VOUCHERS)) {
      const owner = { customer_id: null, held_by: null, valid_from: null, valid_until: null };
      vouchers.insert(APP, { code, amount, spent: 0, active: true, ...owner, inserted_at: NOW, updated_at: NOW });
    }
  }

  setExpirePaid(expirePaid: boolean): void {
    this.expirePaid = expirePaid;
    const app = { id: APP, settings: { proforma: { expire_paid: expirePaid } } };
    this.state.apps.put(NO_APP_ID, app as App);
  }

  evaluate(evaluation: Evaluation, codes: readonly string[]): number {
    const requestedVouchers = codes.map((code) => {
      const { id, amount, spent, held_by: holder } = this.voucherOf(code);
      return { id, code, available: holder === null ? amount - spent : 0 };
    });
    const { buyer, fees, lines, promotions, totals } = evaluation;
    const { id } = this.state.evaluations.insert(APP, {
      ...columnsOf(evaluation, SALE_TERMS),
      ...totalColumns(totals),
      items: lines,
      buyer,
      fees,
      promotions,
      vouchers: promisedVouchers(requestedVouchers, totals.endSales),
      expires_at: addHours(this.now, 24),
      consumed_at: null,
      customer_id: buyer.id,
      warehouse_id: null,
      inserted_at: this.now,
    });
    return id;
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
    const proforma = (await this.find(id)) as Proforma;
    const order = this.state.orders.get(APP, proforma.orderId ?? 0);
    if (order) this.state.orders.put(APP, { ...order, order_status_id: CANCELED_ID });
    this.state.memory.transaction(() =>
      executeEffects(refundEffectsOf([proforma], this.now), this.state, APP, this.now),
    );
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
    const rows = this.state.stocks.all(APP);
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

  private voucherOf(voucher: string) {
    return this.state.vouchers.find(APP, ({ code }) => code === voucher)!;
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
      const voucher = this.state.vouchers.get(APP, id ?? 0)?.code ?? 'unknown';
      return { voucher, firstAmount: amounts[0] ?? 0, keptAmount: sum(amounts) };
    });
  }

  private voucherSnapshot(voucher: string, proformas: readonly Proforma[]): Snapshot['vouchers'][number] {
    const { amount, spent } = this.voucherOf(voucher);
    const holders = [...proformas.keys()].filter((index) => this.holds(proformas[index], voucher));
    return { voucher, remainingAmount: amount - spent, holders };
  }

  private voucherFaults(proformas: readonly Proforma[]): string[] {
    return Object.keys(VOUCHERS).flatMap((voucher) => {
      const holders = proformas.filter((proforma) => this.holds(proforma, voucher)).map(({ id }) => id);
      const heldBy = this.voucherOf(voucher).held_by ?? undefined;
      if (holders.length > 1) return [`${voucher} is held by several`];
      return holders[0] === heldBy ? [] : [`${voucher} is not held by the proforma that it pays`];
    });
  }

  private holds(proforma: Proforma | undefined, voucher: string): boolean {
    const { id } = this.voucherOf(voucher);
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
