import { changedRecords, type AuditEntry } from '@back-office/kernel';
import type { ProductChanges } from './product-changes.js';
import type { FoundProducts } from './product-drafts.js';

/** Returns the entry of changed prices of products and variants, in minor units; none for new records. */
export function priceEntries(before: FoundProducts, { products, variants }: ProductChanges): AuditEntry[] {
  const previousPrices = pricesOf(before);
  const isKnown = ({ id }: { readonly id: number | null }): boolean => id !== null;
  const newPrices = pricesOf({ products: products.filter(isKnown), variants: variants.filter(isKnown) });
  const changes = changedRecords(previousPrices, newPrices);
  return changes ? [{ action: 'prices.change', ...changes }] : [];
}

function pricesOf({ products, variants }: Pick<FoundProducts, 'products' | 'variants'>): Map<string, object> {
  return new Map([
    ...products.map(({ id, price }) => [`products/${id}`, { price }] as const),
    ...variants.map(({ id, price }) => [`variants/${id}`, { price }] as const),
  ]);
}
