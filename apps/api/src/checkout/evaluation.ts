import { MATCHING, matcherOf } from '@back-office/matching';
import { priceBasket, type Offers, type PricedBasket, type SoldVariant } from '@back-office/proforma';
import type { Refusal } from '@back-office/kernel';

export interface BasketItem {
  readonly code?: string | null;
  readonly barcode?: string | null;
  readonly external_ref?: string | null;
  readonly product_variant_id?: number | null;
  readonly qty: number;
}

export interface CatalogueVariant extends SoldVariant {
  readonly external_ref: string | null;
}

/** Finds the variants that the items name, and prices them. */
export function priceItems(
  items: readonly BasketItem[],
  variants: readonly CatalogueVariant[],
  offers: Offers,
): PricedBasket | Refusal {
  const matcher = matcherOf(MATCHING['POST /order_processings'].variant, variants);
  const wanted = items.map((item) => ({
    variant: matcher.find({ ...item, id: item.product_variant_id }),
    qty: item.qty,
  }));
  return priceBasket(wanted, offers);
}
