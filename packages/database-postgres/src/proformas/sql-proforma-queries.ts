import { parseSorting, type ListedPage } from '@back-office/kernel';
import { PROFORMA_SORT_FIELDS, type Proforma, type ProformaQueries, type ProformaStats } from '@back-office/proforma';
import { listedPage } from '../listed-page.js';
import type { Postgres } from '../postgres.js';
import { toProforma, type ProformaRow } from './proforma-row.js';
import { loadStatement } from './proforma-statements.js';
import { changedRowsStatement, proformaListStatement, type ProformaListQuery } from './proforma-list.js';
import { findProformaStats } from './proforma-stats.js';
import { formatPage, readPage, RememberedPages } from './remembered-pages.js';

const MAX_ROWS = 100;

export class SqlProformaQueries implements ProformaQueries {
  private readonly pages = new RememberedPages();

  constructor(private readonly database: Postgres) {}

  async findAll(appId: number, ids: readonly number[]): Promise<Proforma[]> {
    const rows = await this.database.rows<ProformaRow>(loadStatement(ids.length, 'none'), [appId, ids]);
    return rows.map(toProforma);
  }

  async list(...query: ProformaListQuery): Promise<ListedPage> {
    const key = keyOf(query);
    return key === undefined
      ? listedPage(this.database, proformaListStatement(...query))
      : this.listRepeated(key, query);
  }

  private async listRepeated(key: string, query: ProformaListQuery): Promise<ListedPage> {
    const [, , , , now] = query;
    const knownPage = this.pages.find(key, now);
    const { json: entries, end } = await listedPage(this.database, changedRowsStatement(query, knownPage));
    const page = readPage(entries, knownPage, now);
    this.pages.remember(key, page);
    const json = formatPage(page, now);
    return page.hash === undefined ? { json, end } : { json, end, hash: page.hash };
  }

  stats(...[appId, window, now]: Parameters<ProformaQueries['stats']>): Promise<ProformaStats> {
    return findProformaStats(this.database, appId, window, now);
  }
}

/**
 * Identifies a query whose page may be remembered. Later pages, and those of one customer or period, are rarely listed
 * again.
 */
function keyOf([app, filter, orderBy, page]: ProformaListQuery): string | undefined {
  const { statusIds, hasAlerts, anonymous, ...otherFilters } = filter;
  const isRepeated = page.offset === 0 && page.after === undefined && Object.keys(otherFilters).length === 0;
  if (!isRepeated || page.limit > MAX_ROWS) return undefined;
  const sorting = parseSorting(orderBy, PROFORMA_SORT_FIELDS);
  return JSON.stringify([app.id, app.decimals, app.currency, page.limit, sorting, statusIds, hasAlerts, anonymous]);
}
