import { parseProductOrder, type ProductSortField } from '@back-office/catalogue';
import type { SortKey } from '../sorting.js';
import type { StoredProduct } from './records.js';

export type ProductSortKey = SortKey<StoredProduct>;

export const BY_NAME: readonly ProductSortKey[] = [{ value: (product) => product.search_name, direction: 'asc' }];
export const BY_ID: ProductSortKey = { value: ({ id }) => id, direction: 'asc' };

export function productOrder(
  orderBy: string | undefined,
  soldQuantityOf: (productId: number) => number,
): readonly ProductSortKey[] | undefined {
  const valueByField: Readonly<Record<ProductSortField, ProductSortKey['value']>> = {
    name: (product) => product.search_name,
    price: (product) => product.lowest_price,
    inserted_at: (product) => product.inserted_at.getTime(),
    updated_at: (product) => product.updated_at.getTime(),
    sales_quantity: (product) => soldQuantityOf(product.id),
  };
  return parseProductOrder(orderBy)?.map(({ field, isDescending }) => ({
    value: valueByField[field],
    direction: isDescending ? 'desc' : 'asc',
    nulls: 'last',
  }));
}
