import { STATUSES, statusId, type ProformaStats } from '@back-office/proforma';
import type { Sql } from '../connection/sql.js';
import { OPEN_IDS } from './status-ids.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CONVERTED_ID = statusId('converted');
const AWAITING_PAYMENT_ID = statusId('awaiting_payment');
const IS_OPEN = `status_id in (${OPEN_IDS})`;

const SELECT_STATS = `
  with open as (
    select count(*) as "openCount", coalesce(sum(end_sales), 0)::bigint as "openSum",
      count(*) filter (where status_id = ${AWAITING_PAYMENT_ID}) as "awaitingCount",
      count(*) filter (where expires_at > $2 and expires_at <= $3) as "expiringCount",
      count(*) filter (where debt = 0 and end_sales > 0) as "paidCount"
    from proforma_orders where app_id = $1 and ${IS_OPEN}
  ), made as (
    select count(*) as count, count(*) filter (where status_id = ${CONVERTED_ID}) as converted
    from proforma_orders
    where app_id = $1 and status_id between 1 and ${STATUSES.length} and inserted_at >= $5 and inserted_at < $6
  )
  select open.*, made.count as "createdCount", made.converted as "convertedCount", (
    select count(*) from proforma_orders where app_id = $1 and converted_at is not null and converted_at > $4
  ) as "recentlyConvertedCount"
  from open, made`;

interface StatsRow {
  readonly openCount: number;
  readonly openSum: number;
  readonly awaitingCount: number;
  readonly expiringCount: number;
  readonly paidCount: number;
  readonly createdCount: number;
  readonly convertedCount: number;
  readonly recentlyConvertedCount: number;
}

export async function findProformaStats(
  database: Sql,
  appId: number,
  { from, before }: { readonly from: Date; readonly before: Date },
  now: Date,
): Promise<ProformaStats> {
  const nextDay = new Date(now.getTime() + DAY_MS);
  const lastWeek = new Date(now.getTime() - 7 * DAY_MS);
  const [row] = await database.rows<StatsRow>(SELECT_STATS, [appId, now, nextDay, lastWeek, from, before]);
  const stats = row as StatsRow;
  return {
    openCount: stats.openCount,
    openSum: stats.openSum,
    awaitingPaymentCount: stats.awaitingCount,
    expiringCount: stats.expiringCount,
    paidCount: stats.paidCount,
    createdCount: stats.createdCount,
    convertedCount: stats.convertedCount,
    recentlyConvertedCount: stats.recentlyConvertedCount,
  };
}
