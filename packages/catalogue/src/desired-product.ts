import type { ProductDetails } from './product-fields.js';

export interface DesiredImage {
  readonly imageUrl: string;
  readonly alt: string | null;
}

/** An `undefined` field does not change; null clears the field. Texts are not trimmed, because matching is exact. */
export interface DesiredVariant {
  readonly code?: string | null | undefined;
  readonly barcode?: string | null | undefined;
  readonly external_ref?: string | null | undefined;
  readonly name?: string | null | undefined;
  /** Minor units. */
  readonly price?: number | null | undefined;
  /** Basis points. */
  readonly vatRate?: number | null | undefined;
  readonly images?: readonly DesiredImage[] | null | undefined;
}

type OptionalFields<AllFields> = { readonly [Field in keyof AllFields]?: AllFields[Field] | undefined };

export interface DesiredProduct extends OptionalFields<ProductDetails> {
  readonly id?: number | null | undefined;
  readonly code?: string | null | undefined;
  readonly barcode?: string | null | undefined;
  readonly external_ref?: string | null | undefined;
  readonly name?: string | null | undefined;
  readonly slug?: string | null | undefined;
  readonly images?: readonly DesiredImage[] | null | undefined;
  readonly variants: readonly DesiredVariant[];
}
