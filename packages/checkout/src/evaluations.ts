import {
  columnsOf,
  fieldsOf,
  SALE_TERMS,
  totalColumns,
  TOTALS,
  type Buyer,
  type CustomerIdentifier,
  type EvaluatedLine,
  type EvaluatedVoucher,
  type FeeLine,
  type Promotion,
  type Refusal,
  type SaleTermColumns,
  type SaleTerms,
  type TotalColumns,
  type Totals,
} from '@back-office/kernel';

export interface BasketItem {
  readonly code?: string | null;
  readonly barcode?: string | null;
  readonly external_ref?: string | null;
  readonly product_variant_id?: number | null;
  readonly qty: number;
}

/** The amounts are minor units. */
export interface FrozenBasket extends SaleTermColumns, TotalColumns {
  readonly items: readonly EvaluatedLine[];
  readonly fees: readonly FeeLine[];
  readonly promotions: readonly Promotion[];
  readonly vouchers: readonly EvaluatedVoucher[];
}

export interface EvaluatedBasket extends FrozenBasket {
  readonly id: number;
  readonly buyer: Buyer;
  readonly expires_at: Date;
  readonly consumed_at: Date | null;
}

export const EVALUATION_LIFETIME_HOURS = 24;

export interface Basket extends SaleTerms {
  readonly items: readonly BasketItem[];
  readonly customer: CustomerIdentifier | null;
  readonly guest: Buyer;
  readonly warehouseCode: string | null;
  readonly coupons: readonly string[];
  readonly vouchers: readonly string[];
}

export interface PricedItems extends Pick<FrozenBasket, 'fees' | 'promotions' | 'vouchers'> {
  readonly lines: readonly EvaluatedLine[];
  readonly totals: Totals;
}

export function frozenBasket(terms: SaleTerms, { lines, totals, ...otherParts }: PricedItems): FrozenBasket {
  return { items: lines, ...columnsOf(terms, SALE_TERMS), ...totalColumns(totals), ...otherParts };
}

/** Returns the evaluation without its vouchers, because their balance may have changed since then. */
export function offerOf(row: Omit<EvaluatedBasket, 'vouchers'>) {
  return {
    id: row.id,
    ...fieldsOf(row, SALE_TERMS),
    totals: fieldsOf(row, TOTALS),
    used: row.consumed_at !== null,
    expiresAt: row.expires_at,
    buyer: row.buyer,
    promotions: row.promotions,
    lines: row.items,
    fees: row.fees,
  };
}

/** Creates evaluations. `ProformaOrders` of `@back-office/proforma` then creates proformas from them. */
export interface Evaluations {
  /**
   * Prices the basket and stores the result for 24 hours, without reserving stock. A refusal names the first record
   * that the app does not have or cannot sell.
   */
  evaluate(appId: number, basket: Basket): Promise<EvaluatedBasket | Refusal>;
  /**
   * Removes a batch of evaluations that still have no proforma after the retention time of their app. Returns true when
   * it removed any.
   */
  removeUnused(): Promise<boolean>;
}

export interface EvaluationQueries {
  /** Returns `undefined` when the app has no such evaluation. */
  find(appId: number, id: number): Promise<EvaluatedBasket | undefined>;
}
