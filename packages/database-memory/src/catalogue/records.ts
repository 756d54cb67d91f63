import type { ProductDetailColumns } from '@back-office/catalogue';

export interface StoredProduct extends ProductDetailColumns {
  readonly id: number;
  readonly code: string;
  readonly barcode: string | null;
  readonly external_ref: string | null;
  readonly name: string;
  readonly slug: string;
  readonly search_name: string;
  /** Folded name, then codes and barcodes in lower case. */
  readonly search_all: string;
  readonly lowest_price: number | null;
  readonly inserted_at: Date;
  readonly updated_at: Date;
}

/** Amounts are in minor units, VAT rates in basis points. */
export interface StoredVariant {
  readonly id: number;
  readonly product_id: number;
  /** Null only if the variant has a barcode or a reference. */
  readonly code: string | null;
  readonly barcode: string | null;
  readonly external_ref: string | null;
  readonly name: string | null;
  /** Null means the price of the product. */
  readonly price: number | null;
  readonly vat_rate: number | null;
  readonly inserted_at: Date;
  readonly updated_at: Date;
}

export interface ProductImage {
  readonly id: number;
  readonly product_id: number;
  readonly product_variant_id: number | null;
  readonly image_url: string;
  readonly alt: string | null;
  readonly inserted_at: Date;
}

/** Number of pieces in orders that are not canceled; `id` is the id of the product. */
export interface ProductSales {
  readonly id: number;
  readonly quantity: number;
}

export interface ProductAttribute {
  readonly id: number;
  readonly product_id: number;
  readonly product_attribute_def_id: number;
  readonly value: string;
  readonly updated_at: Date;
}
