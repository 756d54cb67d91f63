import { isRefusal, type PaymentMethod, type Refusal } from '@back-office/kernel';
import {
  cancel,
  convert,
  createProforma,
  edit,
  meetDeadline,
  NO_SOURCE,
  pay,
  applyRefundOutcome,
  warehouseConfirm,
  type CreateFacts,
  type Decision,
  type Proforma,
  type ProformaOrders,
  type StoredChange,
  type Verdict,
} from '../index.js';

/** Fixture that an adapter opens: two apps without proformas, and methods that add goods. */
export interface ProformaOrdersFixture {
  readonly orders: ProformaOrders;
  /** The port in another process with the same database. Absent when the database has one process. */
  readonly otherProcess?: ProformaOrders;
  readonly appId: number;
  readonly otherAppId: number;
  /** Payments by this method settle at once. The method belongs to the first app. */
  readonly paymentMethod: PaymentMethod;
  now(): Date;
  /** Makes a variant at 10.00 with these pieces per warehouse; returns its id. */
  variantWithStock(
    appId: number,
    onHand: Readonly<Record<string, number>>,
    options: { readonly name: string; readonly notSellableIn?: string },
  ): Promise<number>;
  /** Makes a fresh evaluation, which may be restricted to one warehouse; returns its id. */
  makeEvaluation(
    appId: number,
    items: readonly { readonly variantId: number; readonly qty: number }[],
    warehouseCode?: string,
  ): Promise<number>;
  stockOf(appId: number, variantId: number): Promise<{ readonly onHand: number; readonly reserved: number }>;
  /** Runs `work` while another change locks the proforma. Absent when changes cannot overlap. */
  whileLocked?<Result>(appId: number, id: number, work: () => Promise<Result>): Promise<Result>;
}

/** Takes its time from the fixture. */
export type UntimedDecision = (proforma: Proforma) => Verdict;

export class ShirtShop {
  private lastNumber = 0;

  private constructor(
    readonly fixture: ProformaOrdersFixture,
    readonly appId: number,
    readonly shirt: number,
  ) {}

  static async open(fixture: ProformaOrdersFixture, appId = fixture.appId): Promise<ShirtShop> {
    return new ShirtShop(fixture, appId, await fixture.variantWithStock(appId, { W1: 10 }, { name: 'Shirt' }));
  }

  evaluate(...quantities: readonly number[]): Promise<number> {
    const items = quantities.map((qty) => ({ variantId: this.shirt, qty }));
    return this.fixture.makeEvaluation(this.appId, items);
  }

  propose(evaluationId: number, overrides: Partial<CreateFacts> = {}): Promise<Proforma | Refusal> {
    return this.fixture.orders.create(this.appId, evaluationId, (facts) =>
      createProforma({
        ...facts,
        preferredWarehouse: null,
        number: this.nextNumber(),
        lifetimeHours: 72,
        minimumBasketAmount: 0,
        now: this.fixture.now(),
        ...overrides,
      }),
    );
  }

  async proforma(...quantities: readonly number[]): Promise<Proforma> {
    return assertAccepted(await this.propose(await this.evaluate(...quantities)));
  }

  async proformaWithLifetime(lifetimeHours: number): Promise<Proforma> {
    return assertAccepted(await this.propose(await this.evaluate(1), { lifetimeHours }));
  }

  async reservedPieces(variantId = this.shirt): Promise<number> {
    return (await this.fixture.stockOf(this.appId, variantId)).reserved;
  }

  async change({ id }: Proforma, ...decisions: readonly Decision[]): Promise<StoredChange> {
    let storedChange: StoredChange | undefined;
    for (const decision of decisions) storedChange = await this.fixture.orders.change(this.appId, id, decision);
    if (storedChange === undefined) throw new Error(`No proforma ${id}`);
    return storedChange;
  }

  async find({ id }: Proforma): Promise<Proforma | undefined> {
    return this.fixture.orders.find(this.appId, id);
  }

  payment(amount: number, source = NO_SOURCE): UntimedDecision {
    return decisionOf((proforma) =>
      pay(proforma, { method: this.fixture.paymentMethod, amount, source, now: this.fixture.now() }),
    );
  }

  confirmation(...quantities: readonly number[]): UntimedDecision {
    return decisionOf((proforma) => {
      const adjustments = proforma.lines.map(({ id }, index) => ({ lineId: id, qtyConfirmed: quantities[index] }));
      return warehouseConfirm(proforma, { adjustments, now: this.fixture.now() });
    });
  }

  tagEdit(...tags: readonly string[]): UntimedDecision {
    return decisionOf((proforma) => edit(proforma, { tags, now: this.fixture.now() }));
  }

  cancellation(): UntimedDecision {
    return decisionOf((proforma) => cancel(proforma, { reason: 'Too late', now: this.fixture.now() }));
  }

  conversion(): UntimedDecision {
    return decisionOf((proforma) =>
      convert(proforma, { orderNumber: this.nextNumber(), amountPerPoint: 0, now: this.fixture.now() }),
    );
  }

  refundOutcomes(outcome: 'refunded' | 'failed'): UntimedDecision {
    return decisionOf((proforma) => {
      const pendingPayments = proforma.payments.filter((payment) => payment.status === 'pending');
      return pendingPayments.reduce(
        (next, { id }) => applyRefundOutcome(next, id, outcome, this.fixture.now()),
        proforma,
      );
    });
  }

  /** Returns a decision that treats the deadline as passed. */
  expiry(): UntimedDecision {
    return (proforma) => ({ next: meetDeadline(proforma, { now: proforma.expiresAt, expirePaid: false }) });
  }

  private nextNumber(): string {
    this.lastNumber += 1;
    return `P-2026-${String(this.lastNumber).padStart(6, '0')}`;
  }
}

export function assertAccepted(result: Proforma | Refusal): Proforma {
  if (isRefusal(result)) throw new Error(result.refused);
  return result;
}

function decisionOf(action: (proforma: Proforma) => Proforma | Refusal): UntimedDecision {
  return (proforma) => {
    const result = action(proforma);
    return isRefusal(result) ? { next: proforma, refusal: result } : { next: result };
  };
}
