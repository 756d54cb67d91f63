import { formatDateTime } from '@back-office/kernel';
import { statusId } from '@back-office/proforma';
import type { Database } from '../database/database.js';
import { money, type AppContext } from '../http/app-context.js';
import { dateTime, integer, named, nullable, number, type Of } from '../http/shapes.js';
import { OPEN_IDS, windowOf } from './proforma-filter.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CONVERTED = statusId('converted');
const AWAITING = statusId('awaiting_payment');
const OPEN = `status_id in (${OPEN_IDS.join(', ')})`;

export const ProformaStatsShape = named('ProformaStats', {
  open_count: integer,
  open_sum: number,
  awaiting_payment_count: integer,
  expiring_24h_count: integer,
  paid_not_converted_count: integer,
  converted_7d_count: integer,
  conversion_rate: nullable(number),
  date_from: dateTime,
  date_to: dateTime,
});

const STATS = `
  with open as (
    select count(*) as count, coalesce(sum(end_sales), 0)::bigint as sum,
      count(*) filter (where status_id = ${AWAITING}) as awaiting,
      count(*) filter (where expires_at > $2 and expires_at <= $3) as expiring,
      count(*) filter (where debt = 0 and end_sales > 0) as paid
    from proforma_orders where app_id = $1 and ${OPEN}
  ), made as (
    select count(*) as count, count(*) filter (where status_id = ${CONVERTED}) as converted
    from proforma_orders
    where app_id = $1 and status_id between 1 and 8 and inserted_at >= $5 and inserted_at < $6
  )
  select open.*, made.count as made, made.converted, (
    select count(*) from proforma_orders where app_id = $1 and converted_at is not null and converted_at > $4
  ) as converted_lately
  from open, made`;

interface StatsRow {
  readonly count: number;
  readonly sum: number;
  readonly awaiting: number;
  readonly expiring: number;
  readonly paid: number;
  readonly made: number;
  readonly converted: number;
  readonly converted_lately: number;
}

/** Counts for a dashboard. The window of the conversion rate is `date_from` to `date_to`, or the last 30 days. */
export async function proformaStats(
  database: Database,
  app: AppContext,
  query: Readonly<Record<string, unknown>>,
  now: Date,
): Promise<Of<typeof ProformaStatsShape>> {
  const { from = new Date(now.getTime() - 30 * DAY_MS), before = new Date(now.getTime() + 1) } = windowOf(query);
  const inADay = new Date(now.getTime() + DAY_MS);
  const aWeekAgo = new Date(now.getTime() - 7 * DAY_MS);
  const [row] = await database.rows<StatsRow>(STATS, [app.id, now, inADay, aWeekAgo, from, before]);
  const stats = row as StatsRow;
  return {
    open_count: stats.count,
    open_sum: money(app)(stats.sum),
    awaiting_payment_count: stats.awaiting,
    expiring_24h_count: stats.expiring,
    paid_not_converted_count: stats.paid,
    converted_7d_count: stats.converted_lately,
    conversion_rate: stats.made === 0 ? null : Math.round((stats.converted / stats.made) * 10_000) / 10_000,
    date_from: formatDateTime(from),
    date_to: formatDateTime(new Date(before.getTime() - 1)),
  };
}
