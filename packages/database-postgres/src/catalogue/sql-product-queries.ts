import type {
  ProductCodes,
  ProductListQuery,
  ProductLookUp,
  ProductQueries,
  RequestingApp,
  VerifiedCodes,
} from '@back-office/catalogue';
import type { ListedPage } from '@back-office/kernel';
import { listedPage } from '../lists/listed-page.js';
import type { Postgres } from '../connection/postgres.js';
import { productListStatement } from './product-list.js';
import { findProductJson, findProducts } from './product-look-up.js';
import { verifyCodes } from './verified-codes.js';

export class SqlProductQueries implements ProductQueries {
  constructor(private readonly database: Postgres) {}

  find({ id, decimals }: RequestingApp, lookUp: ProductLookUp): Promise<string | undefined> {
    return findProductJson(this.database, id, decimals, lookUp);
  }

  findAll({ id, decimals }: RequestingApp, ids: readonly number[]): Promise<ReadonlyMap<number, object>> {
    return findProducts(this.database, id, decimals, ids);
  }

  async list({ id, decimals }: RequestingApp, query: ProductListQuery): Promise<ListedPage> {
    return listedPage(this.database, productListStatement({ appId: id, decimals, ...query }));
  }

  verify(appId: number, rows: readonly ProductCodes[]): Promise<VerifiedCodes[]> {
    return verifyCodes(this.database, appId, rows);
  }
}
