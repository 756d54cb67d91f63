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
import { passes } from './product-filter.js';
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
    const wanted = productOrder(orderBy, (id) => productSales.get(app.id, id)?.quantity ?? 0);
    const narrowed = products.all(app.id).filter(passes(this.state, app.id, app.decimals, filter));
    const search = productSearch(this.state, app.id, filter);
    const keys = wanted ?? [...(search === undefined ? [] : bestFirst(search)), ...BY_NAME];
    const found = search === undefined ? narrowed : narrowed.filter(isFoundBy(search));
    const shown = pageOf(sortProducts(found, keys), page).map(productPresenter(this.state, app));
    return JSON.stringify({ products: shown });
  }

  async verify(appId: number, rows: readonly ProductCodes[]): Promise<VerifiedCodes[]> {
    const wanted = rows.map(searchedCodesOf);
    const [codes, barcodes, productCodes] = (['code', 'barcode', 'productCode'] as const).map((field) => [
      ...new Set(wanted.map((row) => row[field])),
    ]) as [string[], string[], string[]];
    const fold = (texts: readonly string[]) => texts.map((text) => lowerCase(trimSpaces(text)));
    const folded = { codes: fold(codes), barcodes: fold(barcodes), productCodes: fold(productCodes) };
    return matchCodes(wanted, [...codes, ...barcodes, ...productCodes], { ...this.codeHolders(appId), ...folded });
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

function isFoundBy({ isLiteral, isSimilar }: ProductSearch): (product: StoredProduct) => boolean {
  return (product) => isLiteral(product) || isSimilar(product);
}

function bestFirst({ isLiteral, keys }: ProductSearch) {
  return [{ of: (product: StoredProduct) => Number(!isLiteral(product)) }, ...keys];
}
