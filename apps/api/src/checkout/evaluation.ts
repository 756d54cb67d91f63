import { LARGEST_AMOUNT, refuse, totalsOf, type Refusal, type Totals } from '@back-office/kernel';
import { MATCHING, matcherOf } from '@back-office/matching';
import { priceLines, type EvaluatedLine, type FeeLine } from '@back-office/proforma';

export interface BasketItem {
  readonly code?: string | null;
  readonly barcode?: string | null;
  readonly external_ref?: string | null;
  readonly product_variant_id?: number | null;
  readonly qty: number;
}

/** A variant as the catalogue sells it now; its own price and VAT go before the product's. */
export interface CatalogueVariant {
  readonly id: number;
  readonly product_id: number;
  readonly code: string;
  readonly barcode: string | null;
  readonly external_ref: string | null;
  readonly name: string;
  readonly price: number | null;
  readonly vat_rate: number | null;
  readonly active: boolean;
}

export interface PricedBasket {
  readonly lines: readonly EvaluatedLine[];
  readonly fees: readonly FeeLine[];
  readonly totals: Totals;
}

/** Prices a basket with the catalogue as it is. A line without VAT is priced, counted at 0, and refused later. */
export function priceBasket(
  items: readonly BasketItem[],
  variants: readonly CatalogueVariant[],
): PricedBasket | Refusal {
  const matcher = matcherOf(MATCHING['POST /order_processings'].variant, variants);
  const found = items.map((item) => matcher.find({ ...item, id: item.product_variant_id }));
  if (!found.every((variant): variant is CatalogueVariant => variant?.active === true)) {
    return refuse('API.Products.NotFound');
  }
  if (found.some((variant) => variant.price === null)) return refuse('API.Products.MissingPrice');
  const lines = priceLines(found.map((variant, index) => basketLine(variant, (items[index] as BasketItem).qty)));
  const totals = totalsOf(lines);
  return totals.sales > LARGEST_AMOUNT ? refuse('is invalid', 'items') : { lines, fees: [], totals };
}

function basketLine(variant: CatalogueVariant, qty: number) {
  return {
    productId: variant.product_id,
    variantId: variant.id,
    code: variant.code,
    barcode: variant.barcode,
    name: variant.name,
    qty,
    price: variant.price ?? 0,
    vatRate: variant.vat_rate,
    promotions: [],
  };
}
