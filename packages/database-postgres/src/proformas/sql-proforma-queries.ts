import type { ProformaQueries, ProformaStats } from '@back-office/proforma';
import type { Postgres } from '../postgres.js';
import { proformaListStatement } from './proforma-list.js';
import { proformaStats } from './proforma-stats.js';

export class SqlProformaQueries implements ProformaQueries {
  constructor(private readonly database: Postgres) {}

  async list(...asked: Parameters<ProformaQueries['list']>): Promise<string> {
    const { text, values } = proformaListStatement(...asked);
    const [row] = await this.database.rows<{ data: string }>(text, values);
    return row?.data ?? '[]';
  }

  stats(...[appId, window, now]: Parameters<ProformaQueries['stats']>): Promise<ProformaStats> {
    return proformaStats(this.database, appId, window, now);
  }
}
