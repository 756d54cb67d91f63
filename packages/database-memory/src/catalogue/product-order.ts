import { parseProductOrder, type ProductSortField } from '@back-office/catalogue';
import { compare } from '../lists.js';
import type { StoredProduct } from './records.js';

/** `null` comes last in either direction. */
export interface SortKey {
  readonly keyOf: (product: StoredProduct) => string | number | null;
  readonly isDescending?: boolean;
}

export const BY_NAME: readonly SortKey[] = [{ keyOf: (product) => product.search_name }];

export function productOrder(
  orderBy: string | undefined,
  soldQuantityOf: (productId: number) => number,
): readonly SortKey[] | undefined {
  const keyByField: Readonly<Record<ProductSortField, SortKey['keyOf']>> = {
    name: (product) => product.search_name,
    price: (product) => product.lowest_price,
    inserted_at: (product) => product.inserted_at.getTime(),
    sales_quantity: (product) => soldQuantityOf(product.id),
  };
  return parseProductOrder(orderBy)?.map(({ field, isDescending }) => ({ keyOf: keyByField[field], isDescending }));
}

export function sortProducts(products: readonly StoredProduct[], keys: readonly SortKey[]): StoredProduct[] {
  const rows = products.map((product) => ({ product, values: keys.map((key) => key.keyOf(product)) }));
  rows.sort((a, b) => {
    for (const [index, { isDescending }] of keys.entries()) {
      const [x = null, y = null] = [a.values[index], b.values[index]];
      const order = compare(x, y);
      if (order !== 0) return isDescending && x !== null && y !== null ? -order : order;
    }
    return a.product.id - b.product.id;
  });
  return rows.map(({ product }) => product);
}
