import type { ProformaQueries, ProformaStats } from '@back-office/proforma';
import type { Postgres } from '../postgres.js';
import { proformaListStatement } from './proforma-list.js';
import { findProformaStats } from './proforma-stats.js';

export class SqlProformaQueries implements ProformaQueries {
  constructor(private readonly database: Postgres) {}

  async list(...query: Parameters<ProformaQueries['list']>): Promise<string> {
    const { text, values } = proformaListStatement(...query);
    const [row] = await this.database.rows<{ data: string }>(text, values);
    return row?.data ?? '[]';
  }

  stats(...[appId, window, now]: Parameters<ProformaQueries['stats']>): Promise<ProformaStats> {
    return findProformaStats(this.database, appId, window, now);
  }
}
