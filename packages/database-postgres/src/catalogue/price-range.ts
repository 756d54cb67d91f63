import type { ProductFilter } from '@back-office/catalogue';
import { outerApp } from '../connection/outer-app.js';
import type { Placeholder } from '../lists/placeholders.js';

/**
 * Up to this number of variants in the range, hashing their products once is faster than a look-up per product. In the
 * order of prices, most products before the first match have to be looked up.
 */
const MAX_HASHED = { byPrice: 200_000, otherwise: 20_000 };

interface PriceRangeOptions {
  readonly value: Placeholder;
  readonly isSortedByPrice: boolean;
}

/** Conditions that a variant of product `p` has a price in the range. A product without variants has its own price. */
export function priceRangeConditions(
  { priceFrom, priceTo }: ProductFilter,
  { value, isSortedByPrice }: PriceRangeOptions,
): string[] {
  const maxHashed = isSortedByPrice ? MAX_HASHED.byPrice : MAX_HASHED.otherwise;
  const minorUnits = (price: string, rounding: string): string =>
    `${rounding}(${value(price)}::numeric * 10 ^ $2::int)::bigint`;
  const lowest = priceFrom === undefined ? undefined : minorUnits(priceFrom, 'ceil');
  const highest = priceTo === undefined ? undefined : minorUnits(priceTo, 'floor');
  const isUpTo = (price: string): string[] => (highest === undefined ? [] : [`${price} <= ${highest}`]);
  if (lowest === undefined) return isUpTo('p.lowest_price');
  const isInRange = (price: string): string => [`${price} >= ${lowest}`, ...isUpTo(price)].join(' and ');
  return [...isUpTo('p.lowest_price'), `(p.lowest_price >= ${lowest} or ${hasVariantInRange(isInRange, maxHashed)})`];
}

// The limit lets the planner hash the products. It would compare long lists row by row.
function hasVariantInRange(isInRange: (price: string) => string, maxHashed: number): string {
  const inRange = `select product_id from product_variants where app_id = $1 and ${isInRange('price')} limit ${maxHashed}`;
  const anyVariant = (condition: string): string => `exists (
    select from product_variants v where v.app_id = ${outerApp('p')} and v.product_id = p.id and ${condition} offset 0)`;
  return `case when (select count(*) from (${inRange}) as variant) < ${maxHashed}
    then p.id in (${inRange}) or ${isInRange('p.price')} and ${anyVariant('v.price is null')}
    else ${anyVariant(isInRange('coalesce(v.price, p.price)'))} end`;
}
