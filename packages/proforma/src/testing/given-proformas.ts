import { isRefusal, type PaymentMethod, type PaymentMethodKind, type Refusal } from '@back-office/kernel';
import type { ManualClock } from '@back-office/kernel/testing';
import {
  beginCardPayment,
  cancel,
  convert,
  meetDeadline,
  pay,
  receiveCardResult,
  retryRefund,
  applyRefundOutcome,
  warehouseConfirm,
  type Decision,
  type PaymentMethods,
  type Proforma,
  type ProformaOrders,
  type ProformaQueries,
  type RefundQueue,
} from '../index.js';

interface CustomerRow {
  readonly id: number;
  readonly data_part: number;
  readonly time_part: number;
}

export interface DesiredBasket {
  readonly items?: readonly { readonly code: string; readonly qty: number }[];
  readonly customer?: { readonly id: number; readonly dataPart: number; readonly timePart: number } | null;
  readonly vouchers?: readonly string[];
  readonly shipmentMethodCode?: string | null;
  readonly pickupPointCode?: string | null;
  readonly comment?: string | null;
  readonly tags?: readonly string[];
}

/** Fixture of the contracts of proformas, their queries and refunds. Amounts are minor units. */
export interface ProformaFixture {
  readonly proformaOrders: ProformaOrders;
  readonly proformaQueries: ProformaQueries;
  readonly refundQueue: RefundQueue;
  readonly paymentMethods: PaymentMethods;
  readonly clock: ManualClock;
  /** Adds an app with the currency RSD. */
  makeApp(): Promise<number>;
  addCustomer(
    appId: number,
    fields?: { readonly first_name: string; readonly last_name: string },
  ): Promise<CustomerRow>;
  /** Adds a product whose name is its code, with one variant of the same code at 10.00 with 20 % VAT. */
  addGoods(appId: number, goods: { readonly code: string }): Promise<{ readonly variantId: number }>;
  addWarehouse(appId: number, code: string, sellable?: boolean): Promise<unknown>;
  addStock(appId: number, code: string, onHand: Readonly<Record<string, number>>): Promise<void>;
  /** Returns stock movements in booking order, such as `reserve 2 S@W1 P-2026-1`. */
  movementsOf(appId: number): Promise<readonly string[]>;
  methodOf(appId: number, kind: PaymentMethodKind): Promise<PaymentMethod>;
  setUp(
    appId: number,
    name: 'payment_methods' | 'shipment_methods' | 'vouchers',
    ...rows: readonly object[]
  ): Promise<readonly number[]>;
  spentOf(appId: number, code: string): Promise<number>;
  pointsOf(appId: number, customer: CustomerRow): Promise<number>;
  letPaidExpire(appId: number): Promise<void>;
  /** Evaluates the basket for a guest, or for the customer that the basket names. */
  evaluate(appId: number, basket: DesiredBasket): Promise<{ readonly id: number }>;
  tryToPropose(appId: number, evaluationId: number): Promise<Proforma | Refusal>;
  changeOrder(
    appId: number,
    orderId: number,
    change: { readonly status?: 'completed' | 'canceled'; readonly paymentStatus?: 'paid' },
  ): Promise<void>;
  close(): Promise<void>;
}

export class SampleShop {
  private constructor(
    readonly fixture: ProformaFixture,
    readonly appId: number,
    private readonly bank: PaymentMethod,
    private readonly card: PaymentMethod,
  ) {}

  static async open(fixture: ProformaFixture): Promise<SampleShop> {
    const appId = await fixture.makeApp();
    await fixture.addGoods(appId, { code: 'S' });
    await fixture.addWarehouse(appId, 'W1');
    await fixture.addStock(appId, 'S', { W1: 100 });
    return new SampleShop(
      fixture,
      appId,
      await fixture.methodOf(appId, 'bank_transfer'),
      await fixture.methodOf(appId, 'card'),
    );
  }

  async propose(basket: DesiredBasket = {}): Promise<Proforma | Refusal> {
    const { id } = await this.fixture.evaluate(this.appId, { items: [{ code: 'S', qty: 1 }], ...basket });
    return this.fixture.tryToPropose(this.appId, id);
  }

  async proforma(basket: DesiredBasket = {}): Promise<Proforma> {
    const result = await this.propose(basket);
    if (isRefusal(result)) throw new Error(result.refused);
    return result;
  }

  async find({ id }: Proforma): Promise<Proforma> {
    return (await this.fixture.proformaOrders.find(this.appId, id)) as Proforma;
  }

  async change({ id }: Proforma, ...actions: readonly TimedDecision[]): Promise<Proforma> {
    let proforma: Proforma | undefined;
    for (const action of actions) {
      const storedChange = await this.fixture.proformaOrders.change(this.appId, id, this.decisionOf(action));
      if (storedChange?.refusal) throw new Error(storedChange.refusal.refused);
      proforma = storedChange?.proforma;
    }
    if (proforma === undefined) throw new Error(`No proforma ${id}`);
    return proforma;
  }

  decisionOf(action: TimedDecision): Decision {
    return (proforma) => {
      const result = action(proforma, this.fixture.clock.now());
      return isRefusal(result) ? { next: proforma, refusal: result } : { next: result };
    };
  }

  payment(amount = 0): TimedDecision {
    return (proforma, now) => pay(proforma, { method: this.bank, amount, now });
  }

  cardPayment(amount = 0): TimedDecision {
    return (proforma, now) => beginCardPayment(proforma, { method: this.card, amount, now });
  }
}

export async function makeThreeProformas(shop: SampleShop): Promise<Proforma[]> {
  const proformas: Proforma[] = [];
  for (const qty of [1, 3, 2]) {
    proformas.push(await shop.proforma({ items: [{ code: 'S', qty }] }));
    shop.fixture.clock.forward({ seconds: 60 });
  }
  return proformas;
}

export type TimedDecision = (proforma: Proforma, now: Date) => Proforma | Refusal;

export const cancellation: TimedDecision = (proforma, now) => cancel(proforma, { reason: 'Too late', now });

export function confirmation(qtyConfirmed: number): TimedDecision {
  return (proforma, now) =>
    warehouseConfirm(proforma, { adjustments: [{ lineId: proforma.lines[0]?.id ?? 0, qtyConfirmed }], now });
}

export const deadlineCheck: TimedDecision = (proforma, now) => meetDeadline(proforma, { now, expirePaid: false });

export const deadlineCheckWithPaidExpiry: TimedDecision = (proforma, now) =>
  meetDeadline(proforma, { now, expirePaid: true });

let lastOrderNumber = 0;

export function conversion(amountPerPoint = 0, orderNumber?: string): TimedDecision {
  lastOrderNumber += 1;
  const number = orderNumber ?? `O-shop-${lastOrderNumber}`;
  return (proforma, now) => convert(proforma, { orderNumber: number, amountPerPoint, now });
}

export function cardResults(status: 'settled' | 'failed'): TimedDecision {
  return (proforma, now) =>
    proforma.payments
      .filter((payment) => payment.kind === 'card' && payment.status === 'pending' && payment.amount > 0)
      .reduce((next: Proforma, { id }) => {
        const result = receiveCardResult(next, { paymentId: id, status, reference: null, now });
        return isRefusal(result) ? next : result;
      }, proforma);
}

export function refundOutcomes(outcome: 'refunded' | 'failed'): TimedDecision {
  return (proforma, now) =>
    proforma.payments
      .filter(({ status, amount }) => status === 'pending' && amount < 0)
      .reduce((next, { id }) => applyRefundOutcome(next, id, outcome, now), proforma);
}

export const refundRetries: TimedDecision = (proforma, now) =>
  proforma.payments
    .filter(({ status }) => status === 'refund_failed')
    .reduce((next, { id }) => {
      const result = retryRefund(next, { refundId: id, now });
      return isRefusal(result) ? next : result;
    }, proforma);
