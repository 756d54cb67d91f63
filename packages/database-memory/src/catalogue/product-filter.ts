import type { ProductFilter } from '@back-office/catalogue';
import type { State } from '../state.js';
import { isSellable } from '../stock/shelves.js';
import { lookUpIds } from './product-look-up.js';
import type { StoredProduct } from './records.js';
import { variantsByProduct } from './stored-products.js';

type Condition = (product: StoredProduct) => boolean;

export function makeCondition(state: State, appId: number, decimals: number, filter: ProductFilter): Condition {
  const { lookUps, priceFrom, priceTo, onlyOnStock, updatedAfter } = filter;
  const range = {
    lowest: priceFrom === undefined ? -Infinity : toMinorUnits(priceFrom, decimals, 'up'),
    highest: priceTo === undefined ? Infinity : toMinorUnits(priceTo, decimals, 'down'),
  };
  const conditions: Condition[] = [
    ...lookUps.map((lookUp) => isAmong(new Set(lookUpIds(state, appId, lookUp)))),
    ...(priceFrom === undefined && priceTo === undefined ? [] : [hasPriceInRange(state, appId, range)]),
    ...(onlyOnStock ? [isAmong(productsOnStock(state, appId))] : []),
    ...(updatedAfter === undefined ? [] : [(product: StoredProduct) => product.updated_at >= updatedAfter]),
  ];
  return (product) => conditions.every((condition) => condition(product));
}

function isAmong(ids: ReadonlySet<number>): Condition {
  return ({ id }) => ids.has(id);
}

interface PriceRange {
  readonly lowest: number;
  readonly highest: number;
}

function hasPriceInRange(state: State, appId: number, { lowest, highest }: PriceRange): Condition {
  const variants = variantsByProduct(state, appId);
  return ({ id, price }) => {
    const prices = variants.get(id)?.map((variant) => variant.price ?? price) ?? [price];
    return prices.some((variantPrice) => variantPrice !== null && variantPrice >= lowest && variantPrice <= highest);
  };
}

/** Converts a decimal price to minor units, and rounds it up or down. */
function toMinorUnits(price: string, decimals: number, rounding: 'up' | 'down'): number {
  const [wholePart = '', fraction = ''] = price.split('.');
  const minorUnits = Number(wholePart + fraction.slice(0, decimals).padEnd(decimals, '0'));
  return rounding === 'up' && /[1-9]/.test(fraction.slice(decimals)) ? minorUnits + 1 : minorUnits;
}

function productsOnStock(state: State, appId: number): ReadonlySet<number> {
  const onStock = state.stocks
    .all(appId)
    .filter((row) => row.on_hand > row.reserved && isSellable(state, appId, row.warehouse_id));
  const productIds = onStock.flatMap((row) => state.variants.get(appId, row.product_variant_id)?.product_id ?? []);
  return new Set(productIds);
}
