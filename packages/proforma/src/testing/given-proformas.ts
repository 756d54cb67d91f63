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
  settleRefund,
  warehouseConfirm,
  type Decision,
  type PaymentMethods,
  type Proforma,
  type ProformaOrders,
  type ProformaQueries,
  type RefundQueue,
} from '../index.js';

interface Customer {
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
export interface GivenProformas {
  readonly proformaOrders: ProformaOrders;
  readonly proformaQueries: ProformaQueries;
  readonly refundQueue: RefundQueue;
  readonly paymentMethods: PaymentMethods;
  readonly clock: ManualClock;
  /** An app whose currency is RSD. */
  makeApp(): Promise<number>;
  addCustomer(appId: number, fields?: { readonly first_name: string; readonly last_name: string }): Promise<Customer>;
  /** A product named like its code, with one variant of that code at 10.00 with 20 % VAT. */
  addGoods(appId: number, goods: { readonly code: string }): Promise<{ readonly variantId: number }>;
  /** Called again, it changes whether the warehouse sells. */
  addWarehouse(appId: number, code: string, sellable?: boolean): Promise<unknown>;
  addStock(appId: number, code: string, onHand: Readonly<Record<string, number>>): Promise<void>;
  /** Changes of stock in the order of their booking, in short: `reserve 2 S@W1 P-2026-1`. */
  movementsOf(appId: number): Promise<readonly string[]>;
  methodOf(appId: number, kind: PaymentMethodKind): Promise<PaymentMethod>;
  setUp(
    appId: number,
    name: 'payment_methods' | 'shipment_methods' | 'vouchers',
    ...rows: readonly object[]
  ): Promise<readonly number[]>;
  spentOf(appId: number, code: string): Promise<number>;
  pointsOf(appId: number, customer: Customer): Promise<number>;
  letPaidExpire(appId: number): Promise<void>;
  /** For a guest, unless the basket names a customer. */
  evaluate(appId: number, basket: DesiredBasket): Promise<{ readonly id: number }>;
  tryToPropose(appId: number, evaluationId: number): Promise<Proforma | Refusal>;
  changeOrder(
    appId: number,
    orderId: number,
    change: { readonly status?: 'completed' | 'canceled'; readonly paymentStatus?: 'paid' },
  ): Promise<void>;
  close(): Promise<void>;
}

/** An app that sells shirts: a hundred of `S` at 10.00 in `W1`. Proformas live for 72 hours. */
export class SampleShop {
  private constructor(
    readonly given: GivenProformas,
    readonly appId: number,
    private readonly bank: PaymentMethod,
    private readonly card: PaymentMethod,
  ) {}

  static async open(given: GivenProformas): Promise<SampleShop> {
    const appId = await given.makeApp();
    await given.addGoods(appId, { code: 'S' });
    await given.addWarehouse(appId, 'W1');
    await given.addStock(appId, 'S', { W1: 100 });
    return new SampleShop(
      given,
      appId,
      await given.methodOf(appId, 'bank_transfer'),
      await given.methodOf(appId, 'card'),
    );
  }

  async proposed(basket: DesiredBasket = {}): Promise<Proforma | Refusal> {
    const { id } = await this.given.evaluate(this.appId, { items: [{ code: 'S', qty: 1 }], ...basket });
    return this.given.tryToPropose(this.appId, id);
  }

  async proforma(basket: DesiredBasket = {}): Promise<Proforma> {
    const made = await this.proposed(basket);
    if (isRefusal(made)) throw new Error(made.refused);
    return made;
  }

  async found({ id }: Proforma): Promise<Proforma> {
    return (await this.given.proformaOrders.find(this.appId, id)) as Proforma;
  }

  /** Applies the actions in turn to the stored proforma; throws on a refusal. */
  async change({ id }: Proforma, ...actions: readonly TimedDecision[]): Promise<Proforma> {
    let proforma: Proforma | undefined;
    for (const action of actions) {
      const stored = await this.given.proformaOrders.change(this.appId, id, this.deciding(action));
      if (stored?.refusal) throw new Error(stored.refusal.refused);
      proforma = stored?.proforma;
    }
    if (proforma === undefined) throw new Error(`No proforma ${id}`);
    return proforma;
  }

  deciding(action: TimedDecision): Decision {
    return (found) => {
      const outcome = action(found, this.given.clock.now());
      return isRefusal(outcome) ? { next: found, refusal: outcome } : { next: outcome };
    };
  }

  paying(amount = 0): TimedDecision {
    return (found, now) => pay(found, { method: this.bank, amount, now });
  }

  startingCard(amount = 0): TimedDecision {
    return (found, now) => beginCardPayment(found, { method: this.card, amount, now });
  }
}

/** Proformas of 1, 3 and 2 shirts, a minute apart. */
export async function threeProformas(shop: SampleShop): Promise<Proforma[]> {
  const made: Proforma[] = [];
  for (const qty of [1, 3, 2]) {
    made.push(await shop.proforma({ items: [{ code: 'S', qty }] }));
    shop.given.clock.forward({ seconds: 60 });
  }
  return made;
}

export type TimedDecision = (found: Proforma, now: Date) => Proforma | Refusal;

export const canceling: TimedDecision = (found, now) => cancel(found, { reason: 'Too late', now });

export function confirming(qtyConfirmed: number): TimedDecision {
  return (found, now) =>
    warehouseConfirm(found, { adjustments: [{ lineId: found.lines[0]?.id ?? 0, qtyConfirmed }], now });
}

export const meetingDeadline: TimedDecision = (found, now) => meetDeadline(found, { now, expirePaid: false });

export const expiringPaid: TimedDecision = (found, now) => meetDeadline(found, { now, expirePaid: true });

let lastNumber = 0;

export function converting(amountPerPoint = 0, orderNumber?: string): TimedDecision {
  lastNumber += 1;
  const number = orderNumber ?? `O-shop-${lastNumber}`;
  return (found, now) => convert(found, { orderNumber: number, amountPerPoint, now });
}

export function receivingCardResults(status: 'settled' | 'failed'): TimedDecision {
  return (found, now) =>
    found.payments
      .filter((payment) => payment.kind === 'card' && payment.status === 'pending' && payment.amount > 0)
      .reduce((next: Proforma, { id }) => {
        const outcome = receiveCardResult(next, { paymentId: id, status, reference: null, now });
        return isRefusal(outcome) ? next : outcome;
      }, found);
}

export function refunding(outcome: 'refunded' | 'failed'): TimedDecision {
  return (found, now) =>
    found.payments
      .filter(({ status, amount }) => status === 'pending' && amount < 0)
      .reduce((next, { id }) => settleRefund(next, id, outcome, now), found);
}

export const retryingRefunds: TimedDecision = (found, now) =>
  found.payments
    .filter(({ status }) => status === 'refund_failed')
    .reduce((next, { id }) => retryRefund(next, { refundId: id, now }), found);
