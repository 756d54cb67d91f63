import { minorUnitsOf, type AppContext } from '@back-office/apps';
import { isRefusal, type Clock, type Refusal } from '@back-office/kernel';
import * as domain from '@back-office/proforma';
import type { Proforma, ProformaOrders } from '@back-office/proforma';
import { randomInt } from 'node:crypto';
import type { Refunds } from './refunds.js';

export interface DesiredPayment {
  readonly methodId: number;
  /** Amount in minor units. */
  readonly amount: number | null | undefined;
  readonly source: domain.PaymentSource;
}

/** A proforma and the card payment that a call has just added to it. */
export interface BegunPayment {
  readonly proforma: Proforma;
  readonly payment: domain.Payment;
}

interface ChangeResult {
  readonly storedChange: domain.StoredChange;
  readonly proforma: Proforma;
}

type ProformaResult = Promise<Proforma | Refusal | undefined>;

export class ProformaActions {
  /** `isResumed` returns true when an earlier run of this keyed call has already written. */
  constructor(
    private readonly proformas: ProformaOrders,
    private readonly methods: domain.PaymentMethods,
    private readonly refunds: Pick<Refunds, 'payOut'>,
    private readonly clock: Clock,
    private readonly isResumed: () => boolean,
  ) {}

  async create(app: AppContext, evaluationId: number): Promise<Proforma | Refusal> {
    const proforma = await this.proformas.create(app.id, evaluationId, (facts, now) =>
      domain.createProforma({
        preferredWarehouse: app.settings.defaultWarehouseCode,
        ...facts,
        number: domain.proformaNumber(now.getUTCFullYear(), randomInt),
        lifetimeHours: app.settings.proforma.lifetimeHours,
        minimumBasketAmount: app.settings.proforma.minimumBasketAmount,
        now,
      }),
    );
    if (isRefusal(proforma) || !this.isResumed()) return proforma;
    return (await this.proformas.find(app.id, proforma.id)) ?? proforma;
  }

  async show(app: AppContext, id: number): Promise<Proforma | undefined> {
    const proforma = await this.proformas.find(app.id, id);
    const deadline = { now: this.clock.now(), expirePaid: app.settings.proforma.expirePaid };
    const isOverdue = proforma !== undefined && domain.meetDeadline(proforma, deadline) !== proforma;
    return isOverdue
      ? ((await this.apply(app, id, (unchangedProforma) => unchangedProforma)) as Proforma | undefined)
      : proforma;
  }

  async exists(app: AppContext, id: number): Promise<boolean> {
    return (await this.proformas.find(app.id, id)) !== undefined;
  }

  /** Returns false for a missing proforma, and a refusal for a final one; both take precedence over other errors. */
  async checkOpen(app: AppContext, id: number): Promise<boolean | Refusal> {
    const proforma = await this.show(app, id);
    return proforma !== undefined && (domain.isOpen(proforma) || domain.ALREADY_FINAL);
  }

  async pay(app: AppContext, id: number, { methodId, amount, source }: DesiredPayment): ProformaResult {
    const method = await this.methods.find(app.id, methodId);
    return this.apply(app, id, (proforma, now) => domain.pay(proforma, { method, amount, source, now }));
  }

  async beginCardPayment(
    app: AppContext,
    id: number,
    amount: DesiredPayment['amount'],
  ): Promise<BegunPayment | Refusal | undefined> {
    const method = await this.methods.findByKind(app.id, 'card');
    const result = await this.change(app, id, (proforma, now) =>
      domain.beginCardPayment(proforma, { method, amount, now }),
    );
    if (result === undefined || isRefusal(result)) return result;
    const { storedChange, proforma } = result;
    const begunPayment = storedChange.proforma.payments.at(-1);
    const payment = proforma.payments.find((candidate) => candidate.id === begunPayment?.id);
    return payment && { proforma, payment };
  }

  async hasCardPayment(app: AppContext, id: number, paymentId: number): Promise<boolean> {
    const proforma = await this.proformas.find(app.id, id);
    return proforma !== undefined && domain.findCardPayment(proforma, paymentId) !== undefined;
  }

  receiveCardResult(app: AppContext, id: number, result: Omit<domain.CardResult, 'now'>): ProformaResult {
    return this.applyToPayment(
      app,
      id,
      (proforma) => domain.findCardPayment(proforma, result.paymentId),
      (proforma, now) => domain.receiveCardResult(proforma, { ...result, now }),
    );
  }

  async hasRefund(app: AppContext, id: number, refundId: number): Promise<boolean> {
    const proforma = await this.proformas.find(app.id, id);
    return proforma !== undefined && domain.findRefund(proforma, refundId) !== undefined;
  }

  recordRefund(app: AppContext, id: number, refund: Omit<domain.RecordedRefund, 'now'>): ProformaResult {
    return this.applyToPayment(
      app,
      id,
      (proforma) => domain.findRefund(proforma, refund.refundId),
      (proforma, now) => domain.recordRefund(proforma, { ...refund, now }),
    );
  }

  retryRefund(app: AppContext, id: number, refundId: number): ProformaResult {
    return this.applyToPayment(
      app,
      id,
      (proforma) => domain.findRefund(proforma, refundId),
      (proforma, now) => domain.retryRefund(proforma, { refundId, now }),
    );
  }

  confirm(app: AppContext, id: number, adjustments: readonly domain.Adjustment[]): ProformaResult {
    return this.apply(app, id, (proforma, now) => domain.warehouseConfirm(proforma, { adjustments, now }));
  }

  /** Converts the proforma to an order. Returns the proforma with its `orderId`; a repeated call changes nothing. */
  convert(app: AppContext, id: number): ProformaResult {
    return this.apply(app, id, (proforma, now) =>
      domain.convert(proforma, {
        orderNumber: domain.orderNumber(now.getUTCFullYear(), randomInt),
        amountPerPoint: minorUnitsOf(app, app.settings.loyaltyPointsPerAmount) ?? 0,
        now,
      }),
    );
  }

  cancel(app: AppContext, id: number, reason: string | null): ProformaResult {
    return this.apply(app, id, (proforma, now) => domain.cancel(proforma, { reason, now }));
  }

  edit(app: AppContext, id: number, changes: domain.Edit): ProformaResult {
    return this.apply(app, id, (proforma, now) => domain.edit(proforma, { ...changes, now }));
  }

  /**
   * Expires the proformas, except those that another transaction has locked. Returns the number of changed proformas.
   */
  async expire(app: AppContext, ids: readonly number[]): Promise<number> {
    const { expirePaid } = app.settings.proforma;
    const storedChanges = await this.proformas.changeUnlocked(app.id, ids, (proforma, now) => ({
      next: domain.meetDeadline(proforma, { now, expirePaid }),
    }));
    return storedChanges.filter(({ before, proforma }) => before !== proforma).length;
  }

  private async applyToPayment(
    app: AppContext,
    id: number,
    find: (proforma: Proforma) => domain.Payment | undefined,
    decide: (proforma: Proforma, now: Date) => Proforma | Refusal,
  ): ProformaResult {
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
  ): ProformaResult {
    const result = await this.change(app, id, decide);
    return result === undefined || isRefusal(result) ? result : result.proforma;
  }

  /** Applies the deadline, then the decision. Pays refunds out after the commit. */
  private async change(
    app: AppContext,
    id: number,
    decide: (proforma: Proforma, now: Date) => Proforma | Refusal,
  ): Promise<ChangeResult | Refusal | undefined> {
    const { defaultWarehouseCode: preferredWarehouse, proforma: settings } = app.settings;
    const storedChange = await this.proformas.change(app.id, id, (existingProforma, now) => {
      const currentProforma = domain.meetDeadline(existingProforma, { now, expirePaid: settings.expirePaid });
      const decision = decide(currentProforma, now);
      return isRefusal(decision)
        ? { next: currentProforma, refusal: decision }
        : { next: decision, preferredWarehouse };
    });
    if (storedChange === undefined) return undefined;
    // A resumed call reads the proforma again, because it may have changed. The worker pays its refunds out.
    const proforma = this.isResumed()
      ? await this.proformas.find(app.id, id)
      : await this.refunds.payOut(app.id, storedChange);
    return storedChange.refusal ?? (proforma && { storedChange, proforma });
  }
}
