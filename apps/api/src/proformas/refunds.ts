import { isDatabaseUnavailable, isUnknownOutcome } from '@back-office/database';
import type { Clock } from '@back-office/kernel';
import {
  owedAmount,
  pendingRefunds,
  refundKey,
  applyRefundOutcome,
  type Payment,
  type Proforma,
  type ProformaOrders,
  type RefundAnswer,
  type RefundGateway,
  type RefundOutcome,
  type RefundQueue,
  type StoredChange,
} from '@back-office/proforma';

/** Maximum time of the refunds in a call. The worker requests the unanswered refunds again later. */
const CALL_TIMEOUT_MS = 12_000;
const MAX_ATTEMPTS = 3;
const BATCH_SIZE = 50;
const MAX_CONCURRENT = 8;

interface AnsweredRefund {
  readonly paymentId: number;
  readonly outcome: RefundOutcome;
}

export class Refunds {
  /** `assertOutsideTransaction` throws inside a transaction, with `name` in its message. */
  constructor(
    private readonly proformas: ProformaOrders,
    private readonly gateway: RefundGateway,
    private readonly queue: RefundQueue,
    private readonly clock: Clock,
    private readonly assertOutsideTransaction: (name: string) => void,
  ) {}

  /** Requests each new refund of the change once, all in parallel, and records the answers. */
  async payOut(appId: number, { before, proforma }: StoredChange): Promise<Proforma> {
    const knownIds = new Set(pendingRefunds(before).map((payment) => payment.id));
    const newRefunds = pendingRefunds(proforma).filter((payment) => !knownIds.has(payment.id));
    if (newRefunds.length === 0) return proforma;
    const answers = await this.askGatewayForAll(appId, proforma, newRefunds);
    return answers.length === 0 ? proforma : this.recordIfPossible(appId, proforma, answers);
  }

  /** Requests refunds once. Ignores an unavailable database, because the worker retries. */
  async payOutByIds(appId: number, proformaId: number, refundIds: readonly number[]): Promise<void> {
    try {
      const proforma = await this.proformas.find(appId, proformaId);
      if (proforma === undefined) return;
      const refunds = pendingRefunds(proforma).filter(({ id }) => refundIds.includes(id));
      const answers = await this.askGatewayForAll(appId, proforma, refunds);
      if (answers.length > 0) await this.record(appId, proforma, answers);
    } catch (error) {
      if (!(isDatabaseUnavailable(error) || isUnknownOutcome(error))) throw error;
    }
  }

  /** Retries due refunds and returns their number. A refund without an answer to its last attempt fails. */
  async payOutDue(stopSignal?: AbortSignal): Promise<number> {
    const dueRefunds = await this.queue.due(this.clock.now(), BATCH_SIZE);
    const waitingRefunds = [...dueRefunds];
    const retryNext = async (): Promise<void> => {
      while (!stopSignal?.aborted) {
        const refund = waitingRefunds.shift();
        if (refund === undefined) return;
        await this.retryRefund(refund.appId, refund.paymentId);
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, retryNext));
    return dueRefunds.length - waitingRefunds.length;
  }

  private async retryRefund(appId: number, paymentId: number): Promise<void> {
    const claim = await this.queue.claim(appId, paymentId, this.clock.now());
    if (claim === undefined) return;
    const proforma = await this.proformas.find(appId, claim.proformaId);
    const payment = proforma && pendingRefunds(proforma).find(({ id }) => id === paymentId);
    if (proforma === undefined || payment === undefined) return;
    const outcome = await this.askGateway(appId, proforma, payment);
    const finalOutcome = outcome === 'unknown' && claim.attempts >= MAX_ATTEMPTS ? 'unanswered' : outcome;
    if (finalOutcome !== 'unknown') await this.record(appId, proforma, [{ paymentId, outcome: finalOutcome }]);
  }

  private async askGatewayForAll(
    appId: number,
    proforma: Proforma,
    refunds: readonly Payment[],
  ): Promise<AnsweredRefund[]> {
    const answers: AnsweredRefund[] = [];
    const requests = refunds.map(async (payment) => {
      const outcome = await this.askGateway(appId, proforma, payment);
      if (outcome !== 'unknown') answers.push({ paymentId: payment.id, outcome });
    });
    await waitWithTimeout(Promise.all(requests));
    return [...answers];
  }

  /** Does not request money that is no longer owed; it stays `unanswered`, because an earlier attempt may have paid it. */
  private async askGateway(appId: number, proforma: Proforma, payment: Payment): Promise<RefundAnswer | 'unanswered'> {
    this.assertOutsideTransaction('The refund gateway');
    if (owedAmount(proforma, payment) < -payment.amount) return 'unanswered';
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

  /**
   * Records the answers if the database is available. The change is already committed, so a failure must not fail the
   * call; the worker retries.
   */
  private async recordIfPossible(
    appId: number,
    proforma: Proforma,
    answers: readonly AnsweredRefund[],
  ): Promise<Proforma> {
    try {
      return await this.record(appId, proforma, answers);
    } catch (error) {
      if (isDatabaseUnavailable(error) || isUnknownOutcome(error)) return proforma;
      throw error;
    }
  }

  private async record(appId: number, proforma: Proforma, answers: readonly AnsweredRefund[]): Promise<Proforma> {
    const storedChange = await this.proformas.change(appId, proforma.id, (existingProforma, now) => ({
      next: answers.reduce(
        (next, { paymentId, outcome }) => applyRefundOutcome(next, paymentId, outcome, now),
        existingProforma,
      ),
    }));
    return storedChange?.proforma ?? proforma;
  }
}

async function waitWithTimeout(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => (timer = setTimeout(resolve, CALL_TIMEOUT_MS)));
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
