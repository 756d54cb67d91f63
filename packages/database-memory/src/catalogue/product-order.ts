import { parseProductOrder, type ProductSortField } from '@back-office/catalogue';
import { compare } from '../lists.js';
import type { StoredProduct } from './records.js';

/** A sort key; `null` comes last in either direction. */
export interface SortKey {
  readonly of: (product: StoredProduct) => string | number | null;
  readonly isDescending?: boolean;
}

export const BY_NAME: readonly SortKey[] = [{ of: (product) => product.search_name }];

export function productOrder(
  orderBy: string | undefined,
  soldOf: (productId: number) => number,
): readonly SortKey[] | undefined {
  const sorted: Readonly<Record<ProductSortField, SortKey['of']>> = {
    name: (product) => product.search_name,
    price: (product) => product.lowest_price,
    inserted_at: (product) => product.inserted_at.getTime(),
    sales_quantity: (product) => soldOf(product.id),
  };
  return parseProductOrder(orderBy)?.map(({ field, isDescending }) => ({ of: sorted[field], isDescending }));
}

export function sortProducts(products: readonly StoredProduct[], keys: readonly SortKey[]): StoredProduct[] {
  const rows = products.map((product) => ({ product, values: keys.map((key) => key.of(product)) }));
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
