import { changedRecords, type AuditEntry } from '@back-office/kernel';
import type { ProductChanges } from './product-changes.js';
import type { FoundProducts } from './product-drafts.js';

/** Returns the entry of changed prices of products and variants, in minor units; none for new records. */
export function priceEntries(before: FoundProducts, { products, variants }: ProductChanges): AuditEntry[] {
  const previousPrices = pricesOf(before);
  const knownPrices = [...pricesOf({ products, variants })].filter(([name]) => previousPrices.has(name));
  const changes = changedRecords(previousPrices, new Map(knownPrices));
  return changes ? [{ action: 'prices.change', ...changes }] : [];
}

function pricesOf({ products, variants }: Pick<FoundProducts, 'products' | 'variants'>): Map<string, object> {
  return new Map([
    ...products.map(({ id, price }) => [`products/${id}`, { price }] as const),
    ...variants.map(({ id, price }) => [`variants/${id}`, { price }] as const),
  ]);
}
