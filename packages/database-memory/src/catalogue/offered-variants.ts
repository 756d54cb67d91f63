import type { State } from '../state.js';
import type { StoredVariant } from './records.js';

/** Price and VAT rate default to those of the product. */
export interface OfferedVariant {
  readonly id: number;
  readonly productId: number;
  readonly code: string | null;
  readonly barcode: string | null;
  readonly external_ref: string | null;
  readonly name: string;
  readonly price: number | null;
  readonly vatRate: number | null;
  readonly active: boolean;
}

export function offeredVariants(
  { products, variants }: State,
  appId: number,
  matches: (variant: StoredVariant) => boolean,
): OfferedVariant[] {
  return variants
    .all(appId)
    .filter(matches)
    .flatMap(({ id, product_id: productId, code, barcode, external_ref, price, vat_rate: vatRate }) => {
      const product = products.get(appId, productId);
      if (product === undefined) return [];
      const { name, active } = product;
      const offer = { price: price ?? product.price, vatRate: vatRate ?? product.vat_rate, name, active };
      return [{ id, productId, code, barcode, external_ref, ...offer }];
    });
}
