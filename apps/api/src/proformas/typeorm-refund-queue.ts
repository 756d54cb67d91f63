import type { Database } from '../database/database.js';

const FIRST_PAUSE_SECONDS = 60;

// Found without locks; each refund is then claimed inside its own app.
const DUE = `
  /* across apps: refunds that are due */
  select app_id as "appId", id as "paymentId" from payments
  where next_attempt_at is not null and next_attempt_at <= $1 order by next_attempt_at limit $2`;

const CLAIM = `
  update payments set attempts = attempts + 1,
    next_attempt_at = to_timestamp(extract(epoch from $3::timestamptz) + attempts * $4::int)
  where app_id = $1 and id = $2 and status = 'pending' and next_attempt_at <= $3
  returning proforma_order_id as "proformaId", attempts`;

export interface Claim {
  readonly proformaId: number;
  /** How often the gateway has been asked, this time included. */
  readonly attempts: number;
}

/** Refunds that were asked for and have no answer yet. */
export class TypeOrmRefundQueue {
  constructor(private readonly database: Database) {}

  due(now: Date, limit: number): Promise<{ appId: number; paymentId: number }[]> {
    return this.database.rows(DUE, [now, limit]);
  }

  /** Takes a due refund for one more try and puts the next one off; `undefined` when somebody else took it. */
  async claim(appId: number, paymentId: number, now: Date): Promise<Claim | undefined> {
    const [claim] = await this.database.rows<Claim>(CLAIM, [appId, paymentId, now, FIRST_PAUSE_SECONDS]);
    return claim;
  }
}
