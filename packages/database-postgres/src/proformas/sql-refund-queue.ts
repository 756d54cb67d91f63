import { REFUND_PAUSE_MS, type DueRefund, type RefundClaim, type RefundQueue } from '@back-office/proforma';
import type { Postgres } from '../connection/postgres.js';

const MS_PER_SECOND = 1_000;

const FIND_DUE_REFUNDS = `
  /* across apps: due refunds */
  select app_id as "appId", id as "paymentId" from payments
  where next_attempt_at is not null and next_attempt_at <= $1 order by next_attempt_at limit $2`;

const CLAIM_REFUND = `
  update payments set attempts = attempts + 1,
    next_attempt_at = to_timestamp(extract(epoch from $3::timestamptz) + greatest(attempts, 1) * $4::int)
  where app_id = $1 and id = $2 and status = 'pending' and next_attempt_at <= $3
  returning proforma_order_id as "proformaId", attempts`;

export class SqlRefundQueue implements RefundQueue {
  constructor(private readonly database: Postgres) {}

  due(now: Date, limit: number): Promise<DueRefund[]> {
    return this.database.rows(FIND_DUE_REFUNDS, [now, limit]);
  }

  async claim(appId: number, paymentId: number, now: Date): Promise<RefundClaim | undefined> {
    const [claim] = await this.database.rows<RefundClaim>(CLAIM_REFUND, [
      appId,
      paymentId,
      now,
      REFUND_PAUSE_MS / MS_PER_SECOND,
    ]);
    return claim;
  }
}
