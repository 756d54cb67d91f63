import { LARGEST_AMOUNT, refuse, sum, totalsOf, type Refusal, type Totals, type VatRate } from '@back-office/kernel';
import { MATCHING, matcherOf } from '@back-office/matching';
import type { PaymentMethod } from '@back-office/proforma';
import type { CustomerName } from '../customers/index.js';
import { IS_INVALID } from '../http/request-fields.js';

export const ORDER_ALREADY_EXISTS = refuse('API.Order.OrderAlreadyExists');

/** An order that another system has taken, as it tells of it. Amounts are minor units. */
export interface ImportedOrder {
  readonly orderNumber: string | null;
  readonly externalRef: string;
  readonly orderDate: Date | null;
  readonly locationCode: string | null;
  readonly customer: CustomerName | null;
  readonly items: readonly ImportedItem[];
  readonly payments: readonly { readonly methodId: number; readonly amount: number }[];
  readonly currency: string;
}

export interface ImportedItem {
  readonly code?: string | null;
  readonly barcode?: string | null;
  readonly external_ref?: string | null;
  readonly qty: number;
  /** `null` for what the catalogue says. */
  readonly price: number | null;
}

/** What the app has of what an order names. */
export interface NamedRecords {
  /** The app's currency now. */
  readonly currency: string;
  readonly customer: OrderCustomer | null;
  readonly location_id: number | null;
  readonly variants: readonly SoldVariant[];
  readonly methods: readonly PaymentMethod[];
}

export interface OrderCustomer {
  readonly id: number;
  readonly data_part: number;
  readonly time_part: number;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly phone: string | null;
}

/** A variant as the catalogue has it now; its own price and VAT go before the product's. */
export interface SoldVariant {
  readonly id: number;
  readonly product_id: number;
  readonly code: string;
  readonly barcode: string | null;
  readonly external_ref: string | null;
  readonly name: string;
  readonly price: number | null;
  readonly vat_rate: VatRate;
}

export interface ImportedLine {
  readonly variant: SoldVariant;
  readonly qty: number;
  readonly price: number;
  readonly vatRate: VatRate;
  readonly sales: number;
  readonly discount: number;
}

export interface PricedImport {
  readonly lines: readonly ImportedLine[];
  readonly payments: readonly { readonly method: PaymentMethod; readonly amount: number }[];
  readonly totals: Totals;
  readonly paid: number;
}

/** The lines and totals of an imported order. What it says was paid is taken as it is, also when it is more than the total. */
export function priceImport(order: ImportedOrder, named: NamedRecords): PricedImport | Refusal {
  if (order.customer !== null && named.customer === null) return refuse('API.Customers.NotFound');
  if (order.locationCode !== null && named.location_id === null) return refuse('API.Order.AppLocationNotFound');
  const matcher = matcherOf(MATCHING['POST /int/orders'].variant, named.variants);
  const variants = order.items.map((item) => matcher.find(item));
  if (!variants.every((variant) => variant !== undefined)) return refuse('API.Order.ProductNotFound');
  const methods = order.payments.map(({ methodId }) => named.methods.find(({ id }) => id === methodId));
  if (!methods.every((method) => method !== undefined)) return refuse('API.PaymentMethod.NotSupported');
  const lines = order.items.map((item, index) => lineOf(item, variants[index] as SoldVariant));
  if (!lines.every((line) => line !== undefined)) return refuse('API.Products.MissingPrice');
  const paid = sum(order.payments.map(({ amount }) => amount));
  if (sum(lines.map(({ sales }) => sales)) > LARGEST_AMOUNT) return refuse(IS_INVALID, 'items');
  if (paid > LARGEST_AMOUNT) return refuse(IS_INVALID, 'payments');
  const payments = order.payments.map(({ amount }, index) => ({ amount, method: methods[index] as PaymentMethod }));
  return { lines, payments, totals: totalsOf(lines), paid };
}

/** Nothing when neither the order nor the catalogue names a price. */
function lineOf({ qty, price: sent }: ImportedItem, variant: SoldVariant): ImportedLine | undefined {
  const price = sent ?? variant.price;
  if (price === null) return undefined;
  return { variant, qty, price, vatRate: variant.vat_rate, sales: price * qty, discount: 0 };
}
