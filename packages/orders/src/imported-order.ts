import {
  columnsOf,
  DEFAULT_TERMS,
  IS_INVALID,
  MAX_AMOUNT,
  refuse,
  storedIdentifier,
  sum,
  totalColumns,
  totalsOf,
  type CustomerIdentifier,
  type Fields,
  type Parts,
  type PaymentMethod,
  type Refusal,
  type Totals,
  type VatRate,
} from '@back-office/kernel';
import { PAYMENT_STATUSES, paymentStatusOf, statusIdIn } from './order-status.js';
import { IMPORTED_COLUMNS, DEFAULT_ORDER_COLUMNS, type ImportedColumns } from './order.js';

export const ORDER_ALREADY_EXISTS = refuse('API.Order.OrderAlreadyExists');

/** The amounts are minor units. */
export interface ImportedOrder extends Fields<ImportedColumns> {
  readonly orderNumber: string | null;
  readonly orderDate: Date | null;
  readonly locationCode: string | null;
  readonly customer: CustomerIdentifier | null;
  readonly items: readonly ImportedItem[];
  readonly payments: readonly { readonly methodId: number; readonly amount: number }[];
  readonly currency: string;
}

export interface ImportedItem {
  readonly code?: string | null;
  readonly barcode?: string | null;
  readonly external_ref?: string | null;
  readonly qty: number;
  /** Null means the price of the catalogue. */
  readonly price: number | null;
}

export interface ReferencedRecords {
  readonly currency: string;
  readonly customer: OrderCustomer | null;
  readonly location_id: number | null;
  readonly variants: readonly ImportedVariant[];
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

export interface ImportedVariant {
  readonly id: number;
  readonly product_id: number;
  readonly code: string | null;
  readonly barcode: string | null;
  readonly external_ref: string | null;
  readonly name: string;
  readonly price: number | null;
  readonly vat_rate: VatRate;
}

export interface ImportedLine {
  readonly variant: ImportedVariant;
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
  readonly paidAmount: number;
}

export function priceImport(
  order: ImportedOrder,
  referencedRecords: ReferencedRecords,
  find: (item: ImportedItem) => ImportedVariant | undefined,
): PricedImport | Refusal {
  if (order.customer !== null && referencedRecords.customer === null) return refuse('API.Customers.NotFound');
  if (order.locationCode !== null && referencedRecords.location_id === null)
    return refuse('API.Order.AppLocationNotFound');
  const variants = order.items.map(find);
  if (!variants.every((variant) => variant !== undefined)) return refuse('API.Order.ProductNotFound');
  const methods = order.payments.map(({ methodId }) => referencedRecords.methods.find(({ id }) => id === methodId));
  if (!methods.every((method) => method !== undefined)) return refuse('API.PaymentMethod.NotSupported');
  const lines = order.items.map((item, index) => lineOf(item, variants[index] as ImportedVariant));
  if (!lines.every((line) => line !== undefined)) return refuse('API.Products.MissingPrice');
  const paidAmount = sum(order.payments.map(({ amount }) => amount));
  if (sum(lines.map(({ sales }) => sales)) > MAX_AMOUNT) return refuse(IS_INVALID, 'items');
  if (paidAmount > MAX_AMOUNT) return refuse(IS_INVALID, 'payments');
  const payments = order.payments.map(({ amount }, index) => ({ amount, method: methods[index] as PaymentMethod }));
  return { lines, payments, totals: totalsOf(lines), paidAmount };
}

function lineOf({ qty, price: sentPrice }: ImportedItem, variant: ImportedVariant): ImportedLine | undefined {
  const price = sentPrice ?? variant.price;
  if (price === null) return undefined;
  return { variant, qty, price, vatRate: variant.vat_rate, sales: price * qty, discount: 0 };
}

export function importedOrderColumns(
  order: ImportedOrder,
  { customer, location_id: locationId }: ReferencedRecords,
  { totals, paidAmount }: PricedImport,
  { parts, now }: { readonly parts: Parts; readonly now: Date },
) {
  return {
    ...DEFAULT_ORDER_COLUMNS,
    ...DEFAULT_TERMS,
    ...columnsOf(order, IMPORTED_COLUMNS),
    external_ref: storedIdentifier(order.externalRef),
    ...totalColumns(totals),
    data_part: customer?.data_part ?? parts.dataPart,
    time_part: customer?.time_part ?? parts.timePart,
    order_date: order.orderDate ?? now,
    payment_status_id: statusIdIn(PAYMENT_STATUSES, paymentStatusOf(paidAmount, totals.endSales)),
    customer_id: customer?.id ?? null,
    customer_email: customer?.email ?? null,
    customer_first_name: customer?.first_name ?? null,
    customer_last_name: customer?.last_name ?? null,
    customer_phone: customer?.phone ?? null,
    app_location_id: locationId,
    currency: order.currency,
    paid: paidAmount,
    debt: Math.max(totals.endSales - paidAmount, 0),
    inserted_at: now,
    updated_at: now,
  };
}

/** The items have no warehouse, because another system keeps the stock of an imported order. */
export function importedItemColumns({ variant, qty, price, vatRate, sales, discount }: ImportedLine) {
  const { id, product_id, code, barcode, name } = variant;
  const identity = { proforma_item_id: null, product_id, product_variant_id: id, code, barcode, name };
  return { ...identity, qty, price, vat_rate: vatRate, sales, discount, promotions: [], warehouse_code: null };
}
