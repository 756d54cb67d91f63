import { fieldsOf, isBlank, storedIdentifier, type FieldName, type Fields } from '@back-office/kernel';

/** Columns of a product besides its name, identifiers and slug. */
export interface ProductDetailColumns {
  readonly description: string | null;
  /** Minor units. */
  readonly price: number | null;
  /** Basis points. */
  readonly vat_rate: number | null;
  readonly active: boolean;
}

export type ProductDetails = Fields<ProductDetailColumns>;

const DEFAULT_DETAILS: ProductDetailColumns = { description: null, price: null, vat_rate: null, active: true };

export const DETAIL_COLUMNS = Object.keys(DEFAULT_DETAILS) as readonly (keyof ProductDetailColumns)[];

export function defaultDetails(): ProductDetails {
  return fieldsOf(DEFAULT_DETAILS, DETAIL_COLUMNS);
}

export const DETAIL_FIELDS = Object.keys(defaultDetails()) as readonly FieldName<keyof ProductDetailColumns>[];

export const PRODUCT_FIELDS = [
  'id',
  'code',
  'barcode',
  'external_ref',
  'name',
  'slug',
  'description',
  'vat_rate',
  'price',
  'lowest_price',
  'active',
  'sales_quantity',
  'images',
  'attributes',
  'variants',
  'inserted_at',
  'updated_at',
] as const;

export function isFilled(text: string | null | undefined): text is string {
  return text !== undefined && text !== null && !isBlank(text);
}

export function isSentBlank(text: string | null | undefined): boolean {
  return text !== undefined && text !== null && isBlank(text);
}

/** Value of an identifier after a row: an absent value stays, a blank one clears it. */
export function newIdentifier(stored: string | null, sent: string | null | undefined): string | null {
  if (sent === undefined) return stored;
  return isFilled(sent) ? storedIdentifier(sent, stored) : null;
}
