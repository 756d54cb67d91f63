import { money, type AppContext } from '@back-office/apps';
import { formatDateTime } from '@back-office/kernel';
import type { ProformaStats } from '@back-office/proforma';
import { dateTime, integer, component, nullable, number, type TypeOf } from '../http/shapes.js';
import { parseWindow } from './proforma-filter.js';

const DAY_MS = 24 * 3_600_000;

export const ProformaStatsShape = component('ProformaStats', {
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

export interface StatsWindow {
  readonly from: Date;
  readonly before: Date;
}

export function parseStatsWindow(query: Readonly<Record<string, unknown>>, now: Date): StatsWindow {
  const { from = new Date(now.getTime() - 30 * DAY_MS), before = new Date(now.getTime() + 1) } = parseWindow(query);
  return { from, before };
}

export function presentStats(
  app: AppContext,
  stats: ProformaStats,
  { from, before }: StatsWindow,
): TypeOf<typeof ProformaStatsShape> {
  const { createdCount, convertedCount } = stats;
  return {
    open_count: stats.openCount,
    open_sum: money(app)(stats.openSum),
    awaiting_payment_count: stats.awaitingPaymentCount,
    expiring_24h_count: stats.expiringCount,
    paid_not_converted_count: stats.paidCount,
    converted_7d_count: stats.recentlyConvertedCount,
    conversion_rate: createdCount === 0 ? null : Math.round((convertedCount / createdCount) * 10_000) / 10_000,
    date_from: formatDateTime(from),
    date_to: formatDateTime(new Date(before.getTime() - 1)),
  };
}
