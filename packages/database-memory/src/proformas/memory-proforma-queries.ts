import {
  debtOf,
  isOpen,
  type RequestingApp,
  type Proforma,
  type ProformaFilter,
  type ProformaQueries,
  type ProformaStats,
} from '@back-office/proforma';
import { addHours, sum, type ListedPage, type Page } from '@back-office/kernel';
import type { State } from '../state.js';
import { proformaList } from './proforma-list.js';
import { findProformas } from './stored-proformas.js';

const DAY_HOURS = 24;

export class MemoryProformaQueries implements ProformaQueries {
  constructor(private readonly state: State) {}

  async findAll(appId: number, ids: readonly number[]): Promise<Proforma[]> {
    return findProformas(this.state, appId, ids);
  }

  async list(app: RequestingApp, filter: ProformaFilter, orderBy: unknown, page: Page, now: Date): Promise<ListedPage> {
    return proformaList(this.state.proformas.all(app.id), { app, filter, orderBy, page, now });
  }

  async stats(
    appId: number,
    { from, before }: { readonly from: Date; readonly before: Date },
    now: Date,
  ): Promise<ProformaStats> {
    const proformas = this.state.proformas.all(appId);
    const count = (rows: readonly Proforma[], matches: (row: Proforma) => boolean): number =>
      rows.filter(matches).length;
    const openProformas = proformas.filter(isOpen);
    const newProformas = proformas.filter(({ insertedAt }) => insertedAt >= from && insertedAt < before);
    const [inADay, aWeekAgo] = [addHours(now, DAY_HOURS), addHours(now, -7 * DAY_HOURS)];
    return {
      openCount: openProformas.length,
      openSum: sum(openProformas.map(({ endSales }) => endSales)),
      awaitingPaymentCount: count(openProformas, ({ status }) => status === 'awaiting_payment'),
      expiringCount: count(openProformas, ({ expiresAt }) => expiresAt > now && expiresAt <= inADay),
      paidCount: count(openProformas, (proforma) => debtOf(proforma) === 0 && proforma.endSales > 0),
      createdCount: newProformas.length,
      convertedCount: count(newProformas, ({ status }) => status === 'converted'),
      recentlyConvertedCount: count(proformas, ({ convertedAt }) => convertedAt !== null && convertedAt > aWeekAgo),
    };
  }
}
