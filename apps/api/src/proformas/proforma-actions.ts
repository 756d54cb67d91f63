import { isRefusal, type Clock, type Refusal } from '@back-office/kernel';
import * as domain from '@back-office/proforma';
import type { Proforma, ProformaOrders } from '@back-office/proforma';
import { randomInt } from 'node:crypto';
import { WriteOnce } from '../database/write-once.js';
import { minorOf, type AppContext } from '../http/app-context.js';
import type { Refunds } from './refunds.js';
import type { TypeOrmPaymentMethods } from './typeorm-payment-methods.js';

export interface PaymentWish {
  readonly methodId: number;
  /** Minor units. */
  readonly amount: number | null | undefined;
}

export interface BegunPayment {
  readonly proforma: Proforma;
  /** The new one among its payments. */
  readonly payment: domain.Payment;
}

interface Changed {
  readonly stored: domain.Stored;
  /** As it is now. */
  readonly proforma: Proforma;
}

type Outcome = Promise<Proforma | Refusal | undefined>;

/** The calls on proformas: each is one decision of the domain, stored in one atomic step. */
export class ProformaActions {
  constructor(
    private readonly orders: ProformaOrders,
    private readonly methods: Pick<TypeOrmPaymentMethods, 'find' | 'findByKind'>,
    private readonly refunds: Pick<Refunds, 'payOut'>,
    private readonly clock: Clock,
  ) {}

  async create(app: AppContext, evaluationId: number): Promise<Proforma | Refusal> {
    const made = await this.orders.create(app.id, evaluationId, (facts) => {
      const now = this.clock.now();
      return domain.createProforma({
        ...facts,
        preferredWarehouse: app.settings.defaultWarehouseCode,
        number: domain.proformaNumber(now.getUTCFullYear(), randomInt),
        lifetimeHours: app.settings.proforma.lifetimeHours,
        now,
      });
    });
    if (isRefusal(made) || !WriteOnce.isResumed()) return made;
    return (await this.orders.find(app.id, made.id)) ?? made;
  }

  async show(app: AppContext, id: number): Promise<Proforma | undefined> {
    const found = await this.orders.find(app.id, id);
    const deadline = { now: this.clock.now(), expirePaid: app.settings.proforma.expirePaid };
    const overdue = found && domain.meetDeadline(found, deadline) !== found;
    return overdue ? ((await this.act(app, id, (met) => met)) as Proforma | undefined) : found;
  }

  async exists(app: AppContext, id: number): Promise<boolean> {
    return (await this.orders.find(app.id, id)) !== undefined;
  }

  /** Whether there is such a proforma, or the refusal of all that would move it: what is final is so before all rules. */
  async isOpen(app: AppContext, id: number): Promise<boolean | Refusal> {
    const found = await this.show(app, id);
    return found !== undefined && (domain.isOpen(found) || domain.ALREADY_FINAL);
  }

  async pay(app: AppContext, id: number, { methodId, amount }: PaymentWish): Outcome {
    const method = await this.methods.find(app.id, methodId);
    return this.act(app, id, (proforma, now) => domain.pay(proforma, { method, amount, now }));
  }

  /** A card payment in the customer's hands, to be followed by its result. */
  async beginCardPayment(
    app: AppContext,
    id: number,
    amount: PaymentWish['amount'],
  ): Promise<BegunPayment | Refusal | undefined> {
    const method = await this.methods.findByKind(app.id, 'card');
    const changed = await this.change(app, id, (proforma, now) =>
      domain.beginCardPayment(proforma, { method, amount, now }),
    );
    if (changed === undefined || isRefusal(changed)) return changed;
    const { stored, proforma } = changed;
    const begun = stored.proforma.payments.at(-1);
    const payment = proforma.payments.find((each) => each.id === begun?.id);
    return payment && { proforma, payment };
  }

  async hasCardPayment(app: AppContext, id: number, paymentId: number): Promise<boolean> {
    const found = await this.orders.find(app.id, id);
    return found !== undefined && domain.cardPayment(found, paymentId) !== undefined;
  }

  /** `undefined` also when the proforma has no card payment of that id. */
  receiveCardResult(app: AppContext, id: number, result: Omit<domain.CardResult, 'now'>): Outcome {
    return this.actOn(
      app,
      id,
      (proforma) => domain.cardPayment(proforma, result.paymentId),
      (proforma, now) => domain.receiveCardResult(proforma, { ...result, now }),
    );
  }

  /** Whether the proforma has a refund of that id. */
  async hasRefund(app: AppContext, id: number, refundId: number): Promise<boolean> {
    const found = await this.orders.find(app.id, id);
    return found !== undefined && domain.refundOf(found, refundId) !== undefined;
  }

  /** `undefined` also when the proforma has no refund of that id. */
  recordRefund(app: AppContext, id: number, refund: Omit<domain.RecordedRefund, 'now'>): Outcome {
    return this.actOn(
      app,
      id,
      (proforma) => domain.refundOf(proforma, refund.refundId),
      (proforma, now) => domain.recordRefund(proforma, { ...refund, now }),
    );
  }

  /** `undefined` also when the proforma has no refund of that id. */
  retryRefund(app: AppContext, id: number, refundId: number): Outcome {
    return this.actOn(
      app,
      id,
      (proforma) => domain.refundOf(proforma, refundId),
      (proforma, now) => domain.retryRefund(proforma, { refundId, now }),
    );
  }

  confirm(app: AppContext, id: number, adjustments: readonly domain.Adjustment[]): Outcome {
    return this.act(app, id, (proforma, now) => domain.warehouseConfirm(proforma, { adjustments, now }));
  }

  /** The converted proforma, whose `orderId` is the order; a repeat changes nothing. */
  convert(app: AppContext, id: number): Outcome {
    return this.act(app, id, (proforma, now) =>
      domain.convert(proforma, {
        orderNumber: domain.orderNumber(now.getUTCFullYear(), randomInt),
        amountPerPoint: minorOf(app, app.settings.loyaltyPointsPerAmount) ?? 0,
        now,
      }),
    );
  }

  cancel(app: AppContext, id: number, reason: string | null): Outcome {
    return this.act(app, id, (proforma, now) => domain.cancel(proforma, { reason, now }));
  }

  edit(app: AppContext, id: number, parts: domain.Edit): Outcome {
    return this.act(app, id, (proforma, now) => domain.edit(proforma, { ...parts, now }));
  }

  /** Expires the given proformas of one app, as far as they are due and nobody else is changing them. */
  async expire(app: AppContext, ids: readonly number[]): Promise<number> {
    const now = this.clock.now();
    const { expirePaid } = app.settings.proforma;
    const stored = await this.orders.changeUnlocked(app.id, ids, (found) => ({
      next: domain.meetDeadline(found, { now, expirePaid }),
    }));
    return stored.filter(({ before, proforma }) => before !== proforma).length;
  }

  /** A decision on one payment of a proforma; `undefined` also when that is missing. */
  private async actOn(
    app: AppContext,
    id: number,
    find: (proforma: Proforma) => domain.Payment | undefined,
    decide: (proforma: Proforma, now: Date) => Proforma | Refusal,
  ): Outcome {
    let isMissing = false;
    const outcome = await this.act(app, id, (proforma, now) => {
      isMissing = find(proforma) === undefined;
      return isMissing ? proforma : decide(proforma, now);
    });
    return isMissing ? undefined : outcome;
  }

  private async act(
    app: AppContext,
    id: number,
    decide: (proforma: Proforma, now: Date) => Proforma | Refusal,
  ): Outcome {
    const changed = await this.change(app, id, decide);
    return changed === undefined || isRefusal(changed) ? changed : changed.proforma;
  }

  /** One decision on a proforma that first meets its deadline, then the refunds that follow from it. */
  private async change(
    app: AppContext,
    id: number,
    decide: (proforma: Proforma, now: Date) => Proforma | Refusal,
  ): Promise<Changed | Refusal | undefined> {
    const now = this.clock.now();
    const { defaultWarehouseCode: preferredWarehouse, proforma: settings } = app.settings;
    const stored = await this.orders.change(app.id, id, (found) => {
      const met = domain.meetDeadline(found, { now, expirePaid: settings.expirePaid });
      const outcome = decide(met, now);
      return isRefusal(outcome) ? { next: met, refusal: outcome } : { next: outcome, preferredWarehouse };
    });
    if (stored === undefined) return undefined;
    // The change was an earlier run's: its refunds are the worker's by now, and the record may have moved on.
    const proforma = WriteOnce.isResumed()
      ? await this.orders.find(app.id, id)
      : await this.refunds.payOut(app.id, stored);
    return stored.refusal ?? (proforma && { stored, proforma });
  }
}
