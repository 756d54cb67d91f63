import type { Page } from '@back-office/kernel';
import type { StockAggregateFilter, StockFilter, StockMovementFilter, StockQueries } from '@back-office/stock';
import type { Postgres } from '../postgres.js';
import { stockAggregateJson } from './stock-aggregate.js';
import { stockListJson } from './stock-list.js';
import { movementChunks } from './stock-movements.js';

export class SqlStockQueries implements StockQueries {
  constructor(private readonly database: Postgres) {}

  list(appId: number, filter: StockFilter, page: Page): Promise<string> {
    return stockListJson(this.database, appId, filter, page);
  }

  aggregate(appId: number, filter: StockAggregateFilter, page: Page): Promise<string> {
    return stockAggregateJson(this.database, appId, filter, page);
  }

  movements(appId: number, filter: StockMovementFilter): AsyncIterable<string> {
    return movementChunks(this.database, appId, filter);
  }
}
