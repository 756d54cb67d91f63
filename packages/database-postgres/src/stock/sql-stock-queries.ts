import type { ListedPage, Page, Sorting } from '@back-office/kernel';
import type {
  StockAggregateFilter,
  StockFilter,
  StockListRow,
  StockMovementFilter,
  StockQueries,
} from '@back-office/stock';
import type { Postgres } from '../connection/postgres.js';
import { stockAggregateJson } from './stock-aggregate.js';
import { listedPage } from '../lists/listed-page.js';
import { FIND_SHELVES, stockListStatement } from './stock-list.js';
import { movementChunks } from './stock-movements.js';

export class SqlStockQueries implements StockQueries {
  constructor(private readonly database: Postgres) {}

  async findAll(appId: number, shelves: Parameters<StockQueries['findAll']>[1]): Promise<StockListRow[]> {
    const ids = [shelves.map(({ variantId }) => variantId), shelves.map(({ warehouseId }) => warehouseId)];
    const rows = await this.database.rows<{ readonly data: StockListRow }>(FIND_SHELVES, [appId, ...ids]);
    return rows.map(({ data }) => data);
  }

  async list(appId: number, filter: StockFilter, page: Page, sorting?: Sorting): Promise<ListedPage> {
    return listedPage(this.database, stockListStatement(appId, filter, page, sorting));
  }

  aggregate(appId: number, filter: StockAggregateFilter, page: Page): Promise<string> {
    return stockAggregateJson(this.database, appId, filter, page);
  }

  movements(appId: number, filter: StockMovementFilter): AsyncIterable<string> {
    return movementChunks(this.database, appId, filter);
  }
}
