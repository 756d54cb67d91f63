import { isRefusal, type PaymentMethod, type Refusal } from '@back-office/kernel';
import {
  cancel,
  convert,
  createProforma,
  edit,
  meetDeadline,
  pay,
  settleRefund,
  warehouseConfirm,
  type CreateFacts,
  type Decision,
  type Proforma,
  type ProformaOrders,
  type StoredChange,
} from '../index.js';

/** Fixture of an adapter: two apps without proformas, and methods that add goods. */
export interface ProformaOrdersSetUp {
  readonly orders: ProformaOrders;
  readonly appId: number;
  readonly otherAppId: number;
  /** A method of the first app that settles at once. */
  readonly paymentMethod: PaymentMethod;
  /** The adapter's time. */
  now(): Date;
  /** Makes a variant at 10.00 with these pieces per warehouse; returns its id. */
  variantWithStock(
    appId: number,
    onHand: Readonly<Record<string, number>>,
    options: { readonly name: string; readonly notSellableIn?: string },
  ): Promise<number>;
  /** Makes a fresh evaluation, optionally restricted to one warehouse; returns its id. */
  makeEvaluation(
    appId: number,
    items: readonly { readonly variantId: number; readonly qty: number }[],
    warehouseCode?: string,
  ): Promise<number>;
  /** Summed over all warehouses. */
  stockOf(appId: number, variantId: number): Promise<{ readonly onHand: number; readonly reserved: number }>;
  /** Runs the work while another change locks the proforma; absent when changes cannot overlap. */
  whileLocked?<Result>(appId: number, id: number, work: () => Promise<Result>): Promise<Result>;
}

/** An app that sells ten shirts, and the steps of a proforma's life. */
export class ShirtShop {
  private lastNumber = 0;

  private constructor(
    readonly given: ProformaOrdersSetUp,
    readonly appId: number,
    readonly shirt: number,
  ) {}

  static async open(given: ProformaOrdersSetUp, appId = given.appId): Promise<ShirtShop> {
    return new ShirtShop(given, appId, await given.variantWithStock(appId, { W1: 10 }, { name: 'Shirt' }));
  }

  /** One line of shirts for each quantity. */
  evaluate(...quantities: readonly number[]): Promise<number> {
    const items = quantities.map((qty) => ({ variantId: this.shirt, qty }));
    return this.given.makeEvaluation(this.appId, items);
  }

  propose(evaluationId: number, more: Partial<CreateFacts> = {}): Promise<Proforma | Refusal> {
    return this.given.orders.create(this.appId, evaluationId, (facts) =>
      createProforma({
        ...facts,
        preferredWarehouse: null,
        number: this.nextNumber(),
        lifetimeHours: 72,
        minimumBasketAmount: 0,
        now: this.given.now(),
        ...more,
      }),
    );
  }

  async proforma(...quantities: readonly number[]): Promise<Proforma> {
    return accepted(await this.propose(await this.evaluate(...quantities)));
  }

  async expiring(lifetimeHours: number): Promise<Proforma> {
    return accepted(await this.propose(await this.evaluate(1), { lifetimeHours }));
  }

  async reserved(variantId = this.shirt): Promise<number> {
    return (await this.given.stockOf(this.appId, variantId)).reserved;
  }

  async change({ id }: Proforma, ...decisions: readonly Decision[]): Promise<StoredChange> {
    let stored: StoredChange | undefined;
    for (const decision of decisions) stored = await this.given.orders.change(this.appId, id, decision);
    if (stored === undefined) throw new Error(`No proforma ${id}`);
    return stored;
  }

  async found({ id }: Proforma): Promise<Proforma | undefined> {
    return this.given.orders.find(this.appId, id);
  }

  paying(amount: number): Decision {
    return deciding((proforma) => pay(proforma, { method: this.given.paymentMethod, amount, now: this.given.now() }));
  }

  /** Quantities for the lines in their order. */
  confirming(...quantities: readonly number[]): Decision {
    return deciding((proforma) => {
      const adjustments = proforma.lines.map(({ id }, index) => ({ lineId: id, qtyConfirmed: quantities[index] }));
      return warehouseConfirm(proforma, { adjustments, now: this.given.now() });
    });
  }

  tagging(...tags: readonly string[]): Decision {
    return deciding((proforma) => edit(proforma, { tags, now: this.given.now() }));
  }

  canceling(): Decision {
    return deciding((proforma) => cancel(proforma, { reason: 'Too late', now: this.given.now() }));
  }

  converting(): Decision {
    return deciding((proforma) =>
      convert(proforma, { orderNumber: this.nextNumber(), amountPerPoint: 0, now: this.given.now() }),
    );
  }

  /** Settles each pending refund of the proforma. */
  refunding(outcome: 'refunded' | 'failed'): Decision {
    return deciding((proforma) => {
      const pending = proforma.payments.filter((payment) => payment.status === 'pending');
      return pending.reduce((next, { id }) => settleRefund(next, id, outcome, this.given.now()), proforma);
    });
  }

  /** Meets the deadline at any time. */
  expire(): Decision {
    return (proforma) => ({ next: meetDeadline(proforma, { now: proforma.expiresAt, expirePaid: false }) });
  }

  private nextNumber(): string {
    this.lastNumber += 1;
    return `P-2026-${String(this.lastNumber).padStart(6, '0')}`;
  }
}

export function accepted(outcome: Proforma | Refusal): Proforma {
  if (isRefusal(outcome)) throw new Error(outcome.refused);
  return outcome;
}

function deciding(action: (proforma: Proforma) => Proforma | Refusal): Decision {
  return (proforma) => {
    const outcome = action(proforma);
    return isRefusal(outcome) ? { next: proforma, refusal: outcome } : { next: outcome };
  };
}
