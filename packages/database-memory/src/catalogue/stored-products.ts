import { foldName } from '@back-office/database-search';
import { lowerCase } from '../lower-case.js';
import { groupedBy } from '../lists.js';
import type { State } from '../state.js';
import type { StoredProduct, StoredVariant } from './records.js';

type Derived = Pick<StoredProduct, 'search_name' | 'search_all' | 'lowest_price'>;

/** Columns that derive from a product and its variants. */
export function derivedOf(
  { name, code, price }: Pick<StoredProduct, 'name' | 'code' | 'price'>,
  variants: readonly StoredVariant[],
): Derived {
  const searchName = foldName(name);
  const codes = [code, ...variants.flatMap((variant) => [variant.code, variant.barcode ?? []].flat())];
  const prices = variants.length === 0 ? [price] : variants.map((variant) => variant.price ?? price);
  const known = prices.filter((each) => each !== null);
  return {
    search_name: searchName,
    search_all: [searchName, ...codes.map(lowerCase)].join(' '),
    lowest_price: known.length === 0 ? null : known.reduce((lowest, each) => Math.min(lowest, each)),
  };
}

/** Variants by product id, oldest first. */
export function variantsByProduct(state: State, appId: number): ReadonlyMap<number, readonly StoredVariant[]> {
  return groupedBy(state.variants.all(appId), (variant) => variant.product_id);
}
