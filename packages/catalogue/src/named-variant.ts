export interface NamedVariant {
  readonly id: number;
  readonly product_id: number;
  readonly code: string | null;
  readonly barcode: string | null;
  readonly external_ref: string | null;
}
