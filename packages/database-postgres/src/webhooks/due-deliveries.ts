import { MAX_ATTEMPTS_PER_TURN } from '@back-office/events';
import type { Sql } from '../connection/sql.js';
import { listed } from '../lists/list-conditions.js';
import { WEBHOOK_DELIVERIES } from '../tables/webhooks.js';

/** For each record, selects the first pending delivery if it is due, and the deliveries that wait behind it. */
export const FIND_DUE_DELIVERIES = `
  select ${WEBHOOK_DELIVERIES.columns.of('d')}
  from (
    select h.subject from webhook_deliveries h
    where h.app_id = $1 and h.endpoint_id = $2 and h.status = 'pending' and h.next_attempt_at <= $3
      and not exists (
        select from webhook_deliveries e
        where e.app_id = $1 and e.endpoint_id = $2 and e.status = 'pending' and e.subject = h.subject
          and e.position < h.position
      )
    order by h.next_attempt_at limit ${MAX_ATTEMPTS_PER_TURN}
  ) as heads
  cross join lateral (
    select f.* from webhook_deliveries f
    where f.app_id = $1 and f.endpoint_id = $2 and f.status = 'pending' and f.subject = heads.subject
    order by f.position limit ${MAX_ATTEMPTS_PER_TURN}
  ) as d
  order by d.position limit ${MAX_ATTEMPTS_PER_TURN}`;

const IS_FIRST = listed('d.position', 'select position from firsts');

// A restart ($6) also restarts the three days of retries, even for deliveries that wait behind an earlier one. A join
// of the table with itself would be cubic in the deliveries of a table that has no statistics yet.
const MAKE_DUE = `
  with firsts as materialized (
    select min(p.position) as position from webhook_deliveries p
    where p.app_id = $1 and p.endpoint_id = $2 and p.status = 'pending'
      and ($5::text[] is null or p.subject = any($5::text[]))
    group by p.subject
  )
  update webhook_deliveries d set next_attempt_at = case when ${IS_FIRST} then
      case when $4 then least(d.next_attempt_at, $3::timestamptz) else coalesce(d.next_attempt_at, $3) end
    end,
    attempts = case when $6 then 0 else d.attempts end,
    first_attempt_at = case when $6 then null else d.first_attempt_at end
  where d.app_id = $1 and d.endpoint_id = $2 and d.status = 'pending'
    and ($5::text[] is null or d.subject = any($5::text[]))
    and case when ${IS_FIRST} then d.next_attempt_at is null or $4 and d.next_attempt_at > $3 or $6 and d.attempts > 0
      else d.next_attempt_at is not null or $6 and d.attempts > 0 end`;

interface DueDeliveries {
  readonly appId: number;
  readonly endpointId: number;
  /**
   * Selects which first pending deliveries become due: those without a time (`first`), or all (`all`). `restart`
   * selects all and resets the attempts.
   */
  readonly due: 'first' | 'all' | 'restart';
  /** The records whose deliveries become due; null means all records. */
  readonly subjects: readonly string[] | null;
  readonly now: Date;
}

/** Schedules the first pending delivery of each record, and clears the time of the deliveries that wait behind it. */
export async function makeDue(sql: Sql, { appId, endpointId, due, subjects, now }: DueDeliveries): Promise<void> {
  await sql.rows(MAKE_DUE, [appId, endpointId, now, due !== 'first', subjects, due === 'restart']);
}
