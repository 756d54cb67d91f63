import type { ListedPage } from '@back-office/kernel';
import type { Proforma, ProformaQueries, ProformaStats } from '@back-office/proforma';
import { listedPage } from '../lists/listed-page.js';
import type { Postgres } from '../connection/postgres.js';
import { toProforma, type ProformaRow } from './proforma-row.js';
import { loadStatement } from './proforma-statements.js';
import { proformaListStatement, type ProformaListQuery } from './proforma-list.js';
import { findProformaStats } from './proforma-stats.js';

export class SqlProformaQueries implements ProformaQueries {
  constructor(private readonly database: Postgres) {}

  async findAll(appId: number, ids: readonly number[]): Promise<Proforma[]> {
    const rows = await this.database.rows<ProformaRow>(loadStatement(ids.length, 'none'), [appId, ids]);
    return rows.map(toProforma);
  }

  list(...query: ProformaListQuery): Promise<ListedPage> {
    return listedPage(this.database, proformaListStatement(...query));
  }

  stats(...[appId, window, now]: Parameters<ProformaQueries['stats']>): Promise<ProformaStats> {
    return findProformaStats(this.database, appId, window, now);
  }
}
