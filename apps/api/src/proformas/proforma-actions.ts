import { minorOf, type AppContext } from '@back-office/apps';
import { isRefusal, type Clock, type Refusal } from '@back-office/kernel';
import * as domain from '@back-office/proforma';
import type { Proforma, ProformaOrders } from '@back-office/proforma';
import { randomInt } from 'node:crypto';
import type { Refunds } from './refunds.js';

export interface DesiredPayment {
  readonly methodId: number;
  /** Minor units. */
  readonly amount: number | null | undefined;
}

export interface BegunPayment {
  readonly proforma: Proforma;
  readonly payment: domain.Payment;
}

interface ChangeResult {
  readonly stored: domain.StoredChange;
  /** Current state, after its refunds. */
  readonly proforma: Proforma;
}

type Result = Promise<Proforma | Refusal | undefined>;

/** Each call is one decision of the domain, stored atomically. */
export class ProformaActions {
  /** `isResumed`: an earlier run of the same keyed call has already written. */
  constructor(
    private readonly proformas: ProformaOrders,
    private readonly methods: domain.PaymentMethods,
    private readonly refunds: Pick<Refunds, 'payOut'>,
    private readonly clock: Clock,
    private readonly isResumed: () => boolean,
  ) {}

  async create(app: AppContext, evaluationId: number): Promise<Proforma | Refusal> {
    const created = await this.proformas.create(app.id, evaluationId, (facts) => {
      const now = this.clock.now();
      return domain.createProforma({
        ...facts,
        preferredWarehouse: app.settings.defaultWarehouseCode,
        number: domain.proformaNumber(now.getUTCFullYear(), randomInt),
        lifetimeHours: app.settings.proforma.lifetimeHours,
        minimumBasketAmount: app.settings.proforma.minimumBasketAmount,
        now,
      });
    });
    if (isRefusal(created) || !this.isResumed()) return created;
    return (await this.proformas.find(app.id, created.id)) ?? created;
  }

  async show(app: AppContext, id: number): Promise<Proforma | undefined> {
    const found = await this.proformas.find(app.id, id);
    const deadline = { now: this.clock.now(), expirePaid: app.settings.proforma.expirePaid };
    const isOverdue = found !== undefined && domain.meetDeadline(found, deadline) !== found;
    return isOverdue ? ((await this.apply(app, id, (current) => current)) as Proforma | undefined) : found;
  }

  async exists(app: AppContext, id: number): Promise<boolean> {
    return (await this.proformas.find(app.id, id)) !== undefined;
  }

  /** False when the proforma is missing; refuses a final one before any other rule is checked. */
  async checkOpen(app: AppContext, id: number): Promise<boolean | Refusal> {
    const found = await this.show(app, id);
    return found !== undefined && (domain.isOpen(found) || domain.ALREADY_FINAL);
  }

  async pay(app: AppContext, id: number, { methodId, amount }: DesiredPayment): Result {
    const method = await this.methods.find(app.id, methodId);
    return this.apply(app, id, (proforma, now) => domain.pay(proforma, { method, amount, now }));
  }

  async beginCardPayment(
    app: AppContext,
    id: number,
    amount: DesiredPayment['amount'],
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
    const found = await this.proformas.find(app.id, id);
    return found !== undefined && domain.findCardPayment(found, paymentId) !== undefined;
  }

  /** `undefined` also without a card payment of that id. */
  receiveCardResult(app: AppContext, id: number, result: Omit<domain.CardResult, 'now'>): Result {
    return this.applyToPayment(
      app,
      id,
      (proforma) => domain.findCardPayment(proforma, result.paymentId),
      (proforma, now) => domain.receiveCardResult(proforma, { ...result, now }),
    );
  }

  async hasRefund(app: AppContext, id: number, refundId: number): Promise<boolean> {
    const found = await this.proformas.find(app.id, id);
    return found !== undefined && domain.findRefund(found, refundId) !== undefined;
  }

  /** `undefined` also without a refund of that id. */
  recordRefund(app: AppContext, id: number, refund: Omit<domain.RecordedRefund, 'now'>): Result {
    return this.applyToPayment(
      app,
      id,
      (proforma) => domain.findRefund(proforma, refund.refundId),
      (proforma, now) => domain.recordRefund(proforma, { ...refund, now }),
    );
  }

  /** `undefined` also without a refund of that id. */
  retryRefund(app: AppContext, id: number, refundId: number): Result {
    return this.applyToPayment(
      app,
      id,
      (proforma) => domain.findRefund(proforma, refundId),
      (proforma, now) => domain.retryRefund(proforma, { refundId, now }),
    );
  }

  confirm(app: AppContext, id: number, adjustments: readonly domain.Adjustment[]): Result {
    return this.apply(app, id, (proforma, now) => domain.warehouseConfirm(proforma, { adjustments, now }));
  }

  /** Returns the converted proforma with its `orderId`; a repeat changes nothing. */
  convert(app: AppContext, id: number): Result {
    return this.apply(app, id, (proforma, now) =>
      domain.convert(proforma, {
        orderNumber: domain.orderNumber(now.getUTCFullYear(), randomInt),
        amountPerPoint: minorOf(app, app.settings.loyaltyPointsPerAmount) ?? 0,
        now,
      }),
    );
  }

  cancel(app: AppContext, id: number, reason: string | null): Result {
    return this.apply(app, id, (proforma, now) => domain.cancel(proforma, { reason, now }));
  }

  edit(app: AppContext, id: number, parts: domain.Edit): Result {
    return this.apply(app, id, (proforma, now) => domain.edit(proforma, { ...parts, now }));
  }

  /** Expires those that are due and not locked by another transaction. Returns how many changed. */
  async expire(app: AppContext, ids: readonly number[]): Promise<number> {
    const now = this.clock.now();
    const { expirePaid } = app.settings.proforma;
    const stored = await this.proformas.changeUnlocked(app.id, ids, (found) => ({
      next: domain.meetDeadline(found, { now, expirePaid }),
    }));
    return stored.filter(({ before, proforma }) => before !== proforma).length;
  }

  /** `undefined` also when `find` finds no payment. */
  private async applyToPayment(
    app: AppContext,
    id: number,
    find: (proforma: Proforma) => domain.Payment | undefined,
    decide: (proforma: Proforma, now: Date) => Proforma | Refusal,
  ): Result {
    let isMissing = false;
    const result = await this.apply(app, id, (proforma, now) => {
      isMissing = find(proforma) === undefined;
      return isMissing ? proforma : decide(proforma, now);
    });
    return isMissing ? undefined : result;
  }

  private async apply(
    app: AppContext,
    id: number,
    decide: (proforma: Proforma, now: Date) => Proforma | Refusal,
  ): Result {
    const changed = await this.change(app, id, decide);
    return changed === undefined || isRefusal(changed) ? changed : changed.proforma;
  }

  /** The deadline applies before the decision. Refunds are asked for after the commit. */
  private async change(
    app: AppContext,
    id: number,
    decide: (proforma: Proforma, now: Date) => Proforma | Refusal,
  ): Promise<ChangeResult | Refusal | undefined> {
    const now = this.clock.now();
    const { defaultWarehouseCode: preferredWarehouse, proforma: settings } = app.settings;
    const stored = await this.proformas.change(app.id, id, (found) => {
      const current = domain.meetDeadline(found, { now, expirePaid: settings.expirePaid });
      const decided = decide(current, now);
      return isRefusal(decided) ? { next: current, refusal: decided } : { next: decided, preferredWarehouse };
    });
    if (stored === undefined) return undefined;
    // On a resumed call the worker handles the refunds, and the proforma may have changed since.
    const proforma = this.isResumed()
      ? await this.proformas.find(app.id, id)
      : await this.refunds.payOut(app.id, stored);
    return stored.refusal ?? (proforma && { stored, proforma });
  }
}
