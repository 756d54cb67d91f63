import type {
  ProductCodes,
  ProductListQuery,
  ProductLookUp,
  ProductQueries,
  RequestingApp,
  VerifiedCodes,
} from '@back-office/catalogue';
import type { Postgres } from '../postgres.js';
import { productListJson } from './product-list.js';
import { findProductJson } from './product-look-up.js';
import { verifyCodes } from './verified-codes.js';

export class SqlProductQueries implements ProductQueries {
  constructor(private readonly database: Postgres) {}

  find({ id, decimals }: RequestingApp, lookUp: ProductLookUp): Promise<string | undefined> {
    return findProductJson(this.database, id, decimals, lookUp);
  }

  list({ id, decimals }: RequestingApp, query: ProductListQuery): Promise<string> {
    return productListJson(this.database, { appId: id, decimals, ...query });
  }

  verify(appId: number, rows: readonly ProductCodes[]): Promise<VerifiedCodes[]> {
    return verifyCodes(this.database, appId, rows);
  }
}
