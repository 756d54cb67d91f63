import { isDatabaseUnavailable, isUnknownOutcome } from '@back-office/database';
import type { Clock } from '@back-office/kernel';
import {
  pendingRefunds,
  refundKey,
  settleRefund,
  type Payment,
  type Proforma,
  type ProformaOrders,
  type RefundAnswer,
  type RefundGateway,
  type RefundOutcome,
  type RefundQueue,
  type StoredChange,
} from '@back-office/proforma';

/** After this time the call returns, and the worker retries. */
const CALL_TIMEOUT_MS = 12_000;
const MAX_ATTEMPTS = 3;
const BATCH_SIZE = 50;
const MAX_CONCURRENT = 8;

interface AnsweredRefund {
  readonly paymentId: number;
  readonly outcome: RefundOutcome;
}

/** Pays pending refunds out, after the transaction that decided on them. */
export class Refunds {
  /** `assertOutsideTransaction` throws inside a transaction, with the given name in its message. */
  constructor(
    private readonly proformas: ProformaOrders,
    private readonly gateway: RefundGateway,
    private readonly queue: RefundQueue,
    private readonly clock: Clock,
    private readonly assertOutsideTransaction: (name: string) => void,
  ) {}

  /** Asks the gateway once for each refund that the change added, in parallel, and records the answers. */
  async payOut(appId: number, { before, proforma }: StoredChange): Promise<Proforma> {
    const known = new Set(pendingRefunds(before).map((payment) => payment.id));
    const due = pendingRefunds(proforma).filter((payment) => !known.has(payment.id));
    if (due.length === 0) return proforma;
    const answers = await this.askAll(appId, proforma, due);
    return answers.length === 0 ? proforma : this.recordIfPossible(appId, proforma, answers);
  }

  /** Like {@link payOut}, for refunds by id. While the database is away, it leaves them to the worker. */
  async payOutByIds(appId: number, proformaId: number, refundIds: readonly number[]): Promise<void> {
    try {
      const proforma = await this.proformas.find(appId, proformaId);
      if (proforma === undefined) return;
      const due = pendingRefunds(proforma).filter(({ id }) => refundIds.includes(id));
      const answers = await this.askAll(appId, proforma, due);
      if (answers.length > 0) await this.record(appId, proforma, answers);
    } catch (error) {
      if (!(isDatabaseUnavailable(error) || isUnknownOutcome(error))) throw error;
    }
  }

  /** Retries due refunds, a few at a time. Returns how many; after the last attempt without an answer a refund fails. */
  async payOutDue(stopping?: AbortSignal): Promise<number> {
    const due = await this.queue.due(this.clock.now(), BATCH_SIZE);
    const queue = [...due];
    const askNext = async (): Promise<void> => {
      while (!stopping?.aborted) {
        const next = queue.shift();
        if (next === undefined) return;
        await this.askDue(next.appId, next.paymentId);
      }
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, askNext));
    return due.length - queue.length;
  }

  private async askDue(appId: number, paymentId: number): Promise<void> {
    const claim = await this.queue.claim(appId, paymentId, this.clock.now());
    if (claim === undefined) return;
    const proforma = await this.proformas.find(appId, claim.proformaId);
    const payment = proforma && pendingRefunds(proforma).find((each) => each.id === paymentId);
    if (proforma === undefined || payment === undefined) return;
    const outcome = await this.ask(appId, proforma, payment);
    const final = outcome === 'unknown' && claim.attempts >= MAX_ATTEMPTS ? 'unanswered' : outcome;
    if (final !== 'unknown') await this.record(appId, proforma, [{ paymentId, outcome: final }]);
  }

  private async askAll(appId: number, proforma: Proforma, refunds: readonly Payment[]): Promise<AnsweredRefund[]> {
    const answers: AnsweredRefund[] = [];
    const asked = refunds.map(async (payment) => {
      const outcome = await this.ask(appId, proforma, payment);
      if (outcome !== 'unknown') answers.push({ paymentId: payment.id, outcome });
    });
    await withinTimeout(Promise.all(asked));
    return [...answers];
  }

  private ask(appId: number, proforma: Proforma, payment: Payment): Promise<RefundAnswer> {
    this.assertOutsideTransaction('The refund gateway');
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

  /** The change itself is committed: an answer that cannot be recorded must not fail the call. The worker retries. */
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
    const now = this.clock.now();
    const stored = await this.proformas.change(appId, proforma.id, (found) => ({
      next: answers.reduce((next, { paymentId, outcome }) => settleRefund(next, paymentId, outcome, now), found),
    }));
    return stored?.proforma ?? proforma;
  }
}

async function withinTimeout(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => (timer = setTimeout(resolve, CALL_TIMEOUT_MS)));
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
