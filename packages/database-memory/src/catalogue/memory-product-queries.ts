import {
  matchCodes,
  MAX_RANKED_PRODUCTS,
  MAX_SIMILAR_PRODUCTS,
  searchedCodesOf,
  type FoundCodes,
  type ProductCodes,
  type ProductListQuery,
  type ProductLookUp,
  type ProductQueries,
  type RequestingApp,
  type VerifiedCodes,
} from '@back-office/catalogue';
import { InvalidPosition, type ListedPage } from '@back-office/kernel';
import { lowerCase } from '../lower-case.js';
import type { State } from '../state.js';
import { makeCondition } from './product-filter.js';
import { productPresenter } from './product-json.js';
import { lookUpIds, trimSpaces } from './product-look-up.js';
import { listPage } from '../sorting.js';
import { BY_ID, BY_NAME, productOrder } from './product-order.js';
import { productSearch, type ProductSearch } from './product-search.js';
import type { StoredProduct } from './records.js';

export class MemoryProductQueries implements ProductQueries {
  constructor(private readonly state: State) {}

  async find(app: RequestingApp, lookUp: ProductLookUp): Promise<string | undefined> {
    const [id] = lookUpIds(this.state, app.id, lookUp);
    const product = id === undefined ? undefined : this.state.products.get(app.id, id);
    return product && JSON.stringify(productPresenter(this.state, app)(product));
  }

  async findAll(app: RequestingApp, ids: readonly number[]): Promise<ReadonlyMap<number, object>> {
    const present = productPresenter(this.state, app);
    const products = ids.flatMap((id) => this.state.products.get(app.id, id) ?? []);
    return new Map(products.map((product) => [product.id, present(product)]));
  }

  async list(app: RequestingApp, { filter, orderBy, page }: ProductListQuery): Promise<ListedPage> {
    const { products, productSales } = this.state;
    const requestedOrder = productOrder(orderBy, (id) => productSales.get(app.id, id)?.quantity ?? 0);
    const filteredProducts = products.all(app.id).filter(makeCondition(this.state, app.id, app.decimals, filter));
    const search = productSearch(this.state, app.id, filter);
    const found = search && matchesOf(search, filteredProducts);
    const keys = requestedOrder ?? [...(found?.keys ?? []), ...BY_NAME];
    const matchingProducts = found?.products ?? filteredProducts;
    if (search && page.after) throw new InvalidPosition();
    const { rows, end } = listPage(matchingProducts, [...keys, BY_ID], page);
    return {
      json: JSON.stringify({ products: rows.map(productPresenter(this.state, app)) }),
      end: search ? null : end,
    };
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
        loose_code: code === null ? null : lowerCase(code),
        loose_barcode: barcode === null ? null : lowerCase(barcode),
      })),
      products: this.state.products.all(appId).map(({ id, code, barcode }) => ({
        id,
        product_id: id,
        code,
        barcode,
        loose_code: lowerCase(trimSpaces(code)),
        loose_barcode: barcode === null ? null : lowerCase(barcode),
      })),
    };
  }
}

/** Returns the found products, and the keys that put the best ones first. */
function matchesOf({ isLiteral, isSimilar, keys }: ProductSearch, products: readonly StoredProduct[]) {
  const literal = products.filter(isLiteral);
  const similar = products
    .filter((product) => !isLiteral(product) && isSimilar(product))
    .slice(0, MAX_SIMILAR_PRODUCTS);
  const hasTooMany = literal.length > MAX_RANKED_PRODUCTS;
  const literalFirst = { value: (product: StoredProduct) => Number(!isLiteral(product)), direction: 'asc' as const };
  const rankingKeys = keys.map(({ value, direction, isSimilarity }) => ({
    value: (product: StoredProduct) => (isSimilarity && hasTooMany && isLiteral(product) ? 0 : value(product)),
    direction,
  }));
  return { products: [...literal, ...similar], keys: [literalFirst, ...rankingKeys] };
}
