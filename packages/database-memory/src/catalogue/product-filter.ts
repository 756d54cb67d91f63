import type { ProductFilter } from '@back-office/catalogue';
import type { State } from '../state.js';
import { isSellable } from '../stock/shelves.js';
import { lookUpIds } from './product-look-up.js';
import type { StoredProduct } from './records.js';

type Condition = (product: StoredProduct) => boolean;

export function makeCondition(state: State, appId: number, decimals: number, filter: ProductFilter): Condition {
  const { lookUps, priceFrom, priceTo, onlyOnStock, updatedAfter } = filter;
  const conditions: Condition[] = [
    ...lookUps.map((lookUp) => isAmong(new Set(lookUpIds(state, appId, lookUp)))),
    ...(priceFrom === undefined ? [] : [costsFrom(toMinorUnits(priceFrom, decimals, 'up'))]),
    ...(priceTo === undefined ? [] : [costsUpTo(toMinorUnits(priceTo, decimals, 'down'))]),
    ...(onlyOnStock ? [isAmong(productsOnStock(state, appId))] : []),
    ...(updatedAfter === undefined ? [] : [(product: StoredProduct) => product.updated_at >= updatedAfter]),
  ];
  return (product) => conditions.every((condition) => condition(product));
}

function isAmong(ids: ReadonlySet<number>): Condition {
  return ({ id }) => ids.has(id);
}

function costsFrom(minPrice: number): Condition {
  return ({ lowest_price: price }) => price !== null && price >= minPrice;
}

function costsUpTo(maxPrice: number): Condition {
  return ({ lowest_price: price }) => price !== null && price <= maxPrice;
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
