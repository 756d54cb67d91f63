import { columnsOf, fieldsOf, type Fields } from './columns.js';
import type { Totals, VatRate } from './vat.js';

export const PROMOTION_KINDS = ['percentage', 'amount', 'buy_x_get_y'] as const;
export type PromotionKind = (typeof PROMOTION_KINDS)[number];

export interface Promotion {
  readonly code: string;
  readonly name: string;
  readonly kind: PromotionKind;
  /** Basis points for `percentage` and `buy_x_get_y`, minor units for `amount`. */
  readonly value: number;
  /**
   * Out of every `buyQty + getQty` pieces, `getQty` pieces are reduced. Both are 0 unless the kind is `buy_x_get_y`.
   */
  readonly buyQty: number;
  readonly getQty: number;
  /** An empty list means the whole basket. */
  readonly variantCodes: readonly string[];
}

/** Reduction of a line by one promotion. `amount` is in minor units and for the whole quantity. */
export interface AppliedPromotion {
  readonly code: string;
  readonly name: string;
  readonly amount: number;
}

/** A basket line with its prices in minor units. `price` is for one piece; other amounts are for the whole quantity. */
export interface EvaluatedLine {
  readonly productId: number;
  readonly variantId: number;
  readonly code: string | null;
  readonly barcode: string | null;
  readonly name: string;
  readonly qty: number;
  readonly price: number;
  readonly vatRate: VatRate;
  readonly sales: number;
  readonly discount: number;
  readonly promotions: readonly AppliedPromotion[];
}

/** Amounts are in minor units. */
export interface FeeLine {
  readonly kind: string;
  readonly name: string;
  readonly qty: number;
  readonly price: number;
  readonly vatRate: VatRate;
  readonly sales: number;
  readonly discount: number;
}

export interface EvaluatedVoucher {
  readonly id: number;
  readonly code: string;
  readonly amount: number;
}

export interface Address {
  readonly address_line_1: string | null;
  readonly city: string | null;
  readonly postcode: string | null;
  readonly country: string | null;
}

export interface Buyer {
  readonly id: number | null;
  readonly dataPart: number | null;
  readonly timePart: number | null;
  readonly email: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly phone: string | null;
}

export type PaymentMethodKind = 'cash' | 'bank_transfer' | 'card' | 'other';
export type PaymentStatus = 'pending' | 'settled' | 'failed' | 'refunded' | 'refund_failed';

export interface PaymentMethod {
  readonly id: number;
  readonly name: string;
  readonly kind: PaymentMethodKind;
}

export const SALE_NOTES = ['comment'] as const;

export type NoteColumns = { readonly [Note in (typeof SALE_NOTES)[number]]: string | null };

export interface SaleTermColumns extends NoteColumns {
  readonly currency: string;
  readonly delivery: Address | null;
  readonly shipment_method_code: string | null;
  readonly pickup_point_code: string | null;
  readonly market_id: number;
  readonly sales_channel_id: number;
  readonly sales_channel: string;
  readonly tags: readonly string[];
}

export type SaleTerms = Fields<SaleTermColumns>;

export const DEFAULT_TERMS: Omit<SaleTermColumns, 'currency'> = {
  delivery: null,
  shipment_method_code: null,
  pickup_point_code: null,
  market_id: 1,
  sales_channel_id: 1,
  sales_channel: 'web',
  comment: null,
  tags: [],
};

const DEFAULT_TERM_COLUMNS = Object.keys(DEFAULT_TERMS) as readonly (keyof typeof DEFAULT_TERMS)[];

export function defaultTerms(): Omit<SaleTerms, 'currency'> {
  return fieldsOf(DEFAULT_TERMS, DEFAULT_TERM_COLUMNS);
}

export const SALE_TERMS = ['currency', ...DEFAULT_TERM_COLUMNS] as readonly (keyof SaleTermColumns)[];

export const TOTALS = ['sales', 'discount', 'net_sales', 'vat', 'end_sales'] as const;

export interface TotalColumns {
  readonly sales: number;
  readonly discount: number;
  readonly net_sales: number;
  readonly vat: number;
  readonly end_sales: number;
}

export function totalColumns(totals: Totals): TotalColumns {
  return columnsOf(totals, TOTALS);
}

/**
 * Buyer of a proforma or an order. `data_part` and `time_part` are omitted, because in these tables they identify the
 * sale.
 */
export interface BuyerColumns {
  readonly customer_id: number | null;
  readonly customer_email: string | null;
  readonly customer_first_name: string | null;
  readonly customer_last_name: string | null;
  readonly customer_phone: string | null;
}

export function buyerColumns({
  id,
  email,
  firstName,
  lastName,
  phone,
}: Omit<Buyer, 'dataPart' | 'timePart'>): BuyerColumns {
  return {
    customer_id: id,
    customer_email: email,
    customer_first_name: firstName,
    customer_last_name: lastName,
    customer_phone: phone,
  };
}
