import type { Clock } from '@back-office/kernel';
import {
  pendingRefunds,
  refundKey,
  settleRefund,
  type Payment,
  type Proforma,
  type ProformaOrders,
  type RefundGateway,
  type RefundOutcome,
  type Stored,
} from '@back-office/proforma';
import { assertOutsideTransaction } from '../database/database.js';
import { DatabaseUnavailable, UnknownOutcome } from '../database/failures.js';
import type { TypeOrmRefundQueue } from './typeorm-refund-queue.js';

/** A call does not wait longer than this for the gateway; the worker asks again later. */
const CALL_PATIENCE_MS = 12_000;
const MOST_ATTEMPTS = 3;
const BATCH = 50;
const AT_ONCE = 8;

interface Answered {
  readonly paymentId: number;
  readonly outcome: RefundOutcome;
}

/** Pays pending refunds out, after the transaction that decided on them. */
export class Refunds {
  constructor(
    private readonly orders: ProformaOrders,
    private readonly gateway: RefundGateway,
    private readonly queue: TypeOrmRefundQueue,
    private readonly clock: Clock,
  ) {}

  /** Asks the gateway once for every refund that is due by the change, all at once, and records what it answered. */
  async payOut(appId: number, { before, proforma }: Stored): Promise<Proforma> {
    const known = new Set(pendingRefunds(before).map((payment) => payment.id));
    const due = pendingRefunds(proforma).filter((payment) => !known.has(payment.id));
    if (due.length === 0) return proforma;
    const answers = await this.askAll(appId, proforma, due);
    return answers.length === 0 ? proforma : this.recordIfPossible(appId, proforma, answers);
  }

  /** As {@link payOut}, for refunds of a proforma that is read for it; what cannot be read now is left to the worker. */
  async payOutOf(appId: number, proformaId: number, refundIds: readonly number[]): Promise<void> {
    try {
      const proforma = await this.orders.find(appId, proformaId);
      if (proforma === undefined) return;
      const due = pendingRefunds(proforma).filter(({ id }) => refundIds.includes(id));
      const answers = await this.askAll(appId, proforma, due);
      if (answers.length > 0) await this.record(appId, proforma, answers);
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable || error instanceof UnknownOutcome)) throw error;
    }
  }

  /** Asks for refunds whose time has come, a few at a time; the last try without an answer has failed. */
  async payOutDue(stopping?: AbortSignal): Promise<number> {
    const due = await this.queue.due(this.clock.now(), BATCH);
    const waiting = [...due];
    const askNext = async (): Promise<void> => {
      while (!stopping?.aborted) {
        const next = waiting.shift();
        if (next === undefined) return;
        await this.askDue(next.appId, next.paymentId);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, askNext));
    return due.length - waiting.length;
  }

  private async askDue(appId: number, paymentId: number): Promise<void> {
    const claim = await this.queue.claim(appId, paymentId, this.clock.now());
    if (claim === undefined) return;
    const proforma = await this.orders.find(appId, claim.proformaId);
    const payment = proforma && pendingRefunds(proforma).find((each) => each.id === paymentId);
    if (proforma === undefined || payment === undefined) return;
    const outcome = await this.ask(appId, proforma, payment);
    const final = outcome === 'unknown' && claim.attempts >= MOST_ATTEMPTS ? 'unanswered' : outcome;
    if (final !== 'unknown') await this.record(appId, proforma, [{ paymentId, outcome: final }]);
  }

  private async askAll(appId: number, proforma: Proforma, refunds: readonly Payment[]): Promise<Answered[]> {
    const answers: Answered[] = [];
    const asked = refunds.map(async (payment) => {
      const outcome = await this.ask(appId, proforma, payment);
      if (outcome !== 'unknown') answers.push({ paymentId: payment.id, outcome });
    });
    await withinPatience(Promise.all(asked));
    return [...answers];
  }

  private ask(appId: number, proforma: Proforma, payment: Payment): ReturnType<RefundGateway['refund']> {
    assertOutsideTransaction('The refund gateway');
    return this.gateway.refund({
      idempotencyKey: refundKey(appId, proforma, payment.id),
      appId,
      proformaId: proforma.id,
      proformaNumber: proforma.number,
      refundId: payment.id,
      paymentId: payment.refundOf ?? 0,
      paymentMethod: payment.method,
      reference: payment.reference,
      amount: -payment.amount,
      currency: proforma.currency,
    });
  }

  /** The change that the refunds follow from is committed: what cannot be recorded now, the worker asks for again. */
  private async recordIfPossible(appId: number, proforma: Proforma, answers: readonly Answered[]): Promise<Proforma> {
    try {
      return await this.record(appId, proforma, answers);
    } catch (error) {
      if (error instanceof DatabaseUnavailable || error instanceof UnknownOutcome) return proforma;
      throw error;
    }
  }

  private async record(appId: number, proforma: Proforma, answers: readonly Answered[]): Promise<Proforma> {
    const now = this.clock.now();
    const stored = await this.orders.change(appId, proforma.id, (found) => ({
      next: answers.reduce((next, { paymentId, outcome }) => settleRefund(next, paymentId, outcome, now), found),
    }));
    return stored?.proforma ?? proforma;
  }
}

async function withinPatience(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => (timer = setTimeout(resolve, CALL_PATIENCE_MS)));
  await Promise.race([work, patience]);
  clearTimeout(timer);
}
