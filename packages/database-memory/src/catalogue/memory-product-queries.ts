import {
  matchCodes,
  searchedCodesOf,
  type FoundCodes,
  type ProductCodes,
  type ProductListQuery,
  type ProductLookUp,
  type ProductQueries,
  type RequestingApp,
  type VerifiedCodes,
} from '@back-office/catalogue';
import { pageOf } from '../lists.js';
import { lowerCase } from '../lower-case.js';
import type { State } from '../state.js';
import { makeCondition } from './product-filter.js';
import { productPresenter } from './product-json.js';
import { lookUpIds, trimSpaces } from './product-look-up.js';
import { BY_NAME, sortProducts, productOrder } from './product-order.js';
import { productSearch, type ProductSearch } from './product-search.js';
import type { StoredProduct } from './records.js';

export class MemoryProductQueries implements ProductQueries {
  constructor(private readonly state: State) {}

  async find(app: RequestingApp, lookUp: ProductLookUp): Promise<string | undefined> {
    const [id] = lookUpIds(this.state, app.id, lookUp);
    const product = id === undefined ? undefined : this.state.products.get(app.id, id);
    return product && JSON.stringify(productPresenter(this.state, app)(product));
  }

  async list(app: RequestingApp, { filter, orderBy, page }: ProductListQuery): Promise<string> {
    const { products, productSales } = this.state;
    const requestedOrder = productOrder(orderBy, (id) => productSales.get(app.id, id)?.quantity ?? 0);
    const filteredProducts = products.all(app.id).filter(makeCondition(this.state, app.id, app.decimals, filter));
    const search = productSearch(this.state, app.id, filter);
    const keys = requestedOrder ?? [...(search === undefined ? [] : rankingKeys(search)), ...BY_NAME];
    const matchingProducts =
      search === undefined ? filteredProducts : filteredProducts.filter(makeSearchMatcher(search));
    const presentedProducts = pageOf(sortProducts(matchingProducts, keys), page).map(productPresenter(this.state, app));
    return JSON.stringify({ products: presentedProducts });
  }

  async verify(appId: number, rows: readonly ProductCodes[]): Promise<VerifiedCodes[]> {
    const requestedCodes = rows.map(searchedCodesOf);
    const [codes, barcodes, productCodes] = (['code', 'barcode', 'productCode'] as const).map((field) => [
      ...new Set(requestedCodes.map((row) => row[field])),
    ]) as [string[], string[], string[]];
    const foldAll = (texts: readonly string[]) => texts.map((text) => lowerCase(trimSpaces(text)));
    const foldedCodes = { codes: foldAll(codes), barcodes: foldAll(barcodes), productCodes: foldAll(productCodes) };
    return matchCodes(requestedCodes, [...codes, ...barcodes, ...productCodes], {
      ...this.codeHolders(appId),
      ...foldedCodes,
    });
  }

  private codeHolders(appId: number): Pick<FoundCodes, 'variants' | 'products'> {
    return {
      variants: this.state.variants.all(appId).map(({ id, product_id, code, barcode }) => ({
        id,
        product_id,
        code,
        barcode,
        loose_code: lowerCase(code),
        loose_barcode: barcode === null ? null : lowerCase(barcode),
      })),
      products: this.state.products.all(appId).map(({ id, code }) => ({
        id,
        product_id: id,
        code,
        barcode: null,
        loose_code: lowerCase(trimSpaces(code)),
        loose_barcode: null,
      })),
    };
  }
}

function makeSearchMatcher({ isLiteral, isSimilar }: ProductSearch): (product: StoredProduct) => boolean {
  return (product) => isLiteral(product) || isSimilar(product);
}

function rankingKeys({ isLiteral, keys }: ProductSearch) {
  return [{ keyOf: (product: StoredProduct) => Number(!isLiteral(product)) }, ...keys];
}
