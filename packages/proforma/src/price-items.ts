import type { Refusal } from '@back-office/kernel';
import { matcherOf, MATCHING } from '@back-office/matching';
import { priceBasket, type Offers, type PricedBasket, type SoldVariant } from './basket.js';

export interface CatalogueVariant extends SoldVariant {
  readonly external_ref: string | null;
}

export interface BasketItem {
  readonly code?: string | null;
  readonly barcode?: string | null;
  readonly external_ref?: string | null;
  readonly product_variant_id?: number | null;
  readonly qty: number;
}

export function priceItems(
  items: readonly BasketItem[],
  variants: readonly CatalogueVariant[],
  offers: Offers,
): PricedBasket | Refusal {
  const matcher = matcherOf(MATCHING['POST /order_processings'].variant, variants);
  const requestedVariants = items.map((item) => ({
    variant: matcher.find({ ...item, id: item.product_variant_id }),
    qty: item.qty,
  }));
  return priceBasket(requestedVariants, offers);
}
