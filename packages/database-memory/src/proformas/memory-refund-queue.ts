import { REFUND_PAUSE_MS, type DueRefund, type RefundClaim, type RefundQueue } from '@back-office/proforma';
import { sortBy } from '../lists.js';
import type { State } from '../state.js';

export class MemoryRefundQueue implements RefundQueue {
  constructor(private readonly state: State) {}

  async due(now: Date, limit: number): Promise<DueRefund[]> {
    const { refunds } = this.state;
    const queuedRefunds = refunds
      .appIds()
      .flatMap((appId) => refunds.all(appId).map((refund) => ({ appId, ...refund })));
    const dueRefunds = queuedRefunds.filter(({ next_attempt_at: nextAttemptAt }) => nextAttemptAt <= now);
    const sortedRefunds = sortBy(dueRefunds, [
      ({ next_attempt_at: nextAttemptAt }) => nextAttemptAt.getTime(),
      ({ id }) => id,
    ]);
    return sortedRefunds.slice(0, limit).map(({ appId, id }) => ({ appId, paymentId: id }));
  }

  async claim(appId: number, paymentId: number, now: Date): Promise<RefundClaim | undefined> {
    const refund = this.state.refunds.get(appId, paymentId);
    if (refund === undefined || refund.next_attempt_at > now) return undefined;
    const attempts = refund.attempts + 1;
    const nextAttemptAt = new Date(now.getTime() + Math.max(refund.attempts, 1) * REFUND_PAUSE_MS);
    this.state.refunds.put(appId, { ...refund, attempts, next_attempt_at: nextAttemptAt });
    return { proformaId: refund.proforma_id, attempts };
  }
}
