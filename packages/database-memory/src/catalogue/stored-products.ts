import { foldName } from '@back-office/database';
import { lowerCase } from '../lower-case.js';
import { groupBy } from '../lists.js';
import type { State } from '../state.js';
import type { StoredProduct, StoredVariant } from './records.js';

type DerivedColumns = Pick<StoredProduct, 'search_name' | 'search_all' | 'lowest_price'>;

export function deriveColumns(
  { name, code, barcode, price }: Pick<StoredProduct, 'name' | 'code' | 'barcode' | 'price'>,
  variants: readonly StoredVariant[],
): DerivedColumns {
  const searchName = foldName(name);
  const codes = [code, barcode, ...variants.flatMap((variant) => [variant.code, variant.barcode])];
  const prices = variants.length === 0 ? [price] : variants.map((variant) => variant.price ?? price);
  const knownPrices = prices.filter((knownPrice) => knownPrice !== null);
  return {
    search_name: searchName,
    search_all: [searchName, ...codes.filter((text) => text !== null).map(lowerCase)].join(' '),
    lowest_price:
      knownPrices.length === 0 ? null : knownPrices.reduce((lowest, nextPrice) => Math.min(lowest, nextPrice)),
  };
}

export function variantsByProduct(state: State, appId: number): ReadonlyMap<number, readonly StoredVariant[]> {
  return groupBy(state.variants.all(appId), (variant) => variant.product_id);
}
