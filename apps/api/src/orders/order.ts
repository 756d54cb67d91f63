import { bracketsOf, currencyNumber, formatDateTime } from '@back-office/kernel';
import { DELIVERY_STATUSES, ORDER_STATUSES, PAYMENT_STATUSES, paymentStatusOf } from '@back-office/orders';
import type { Address, AppliedPromotion, FeeLine, PaymentStatus } from '@back-office/proforma';
import { money, type AppContext } from '../http/app-context.js';
import { dateTime, integer, listOf, named, nullable, number, record, text, type Of } from '../http/shapes.js';
import * as sale from './sale-shapes.js';

export const OPEN = ORDER_STATUSES.indexOf('open') + 1;
export const CANCELED = ORDER_STATUSES.indexOf('canceled') + 1;
export const PENDING = DELIVERY_STATUSES.indexOf('pending') + 1;
/** Payment statuses of an order that still waits for money. */
export const PAYABLE = [PAYMENT_STATUSES.indexOf('unpaid') + 1, PAYMENT_STATUSES.indexOf('partial') + 1];
export const REFUNDED = PAYMENT_STATUSES.indexOf('refunded') + 1;

/** The payment status of an order from which nothing was refunded. */
export function paymentStatusId(paid: number, endSales: number): number {
  return PAYMENT_STATUSES.indexOf(paymentStatusOf(paid, endSales)) + 1;
}

const columns = {
  id: integer,
  data_part: integer,
  time_part: integer,
  order_number: text,
  order_date: dateTime,
  invoice_number: nullable(text),
  external_ref: nullable(text),
  order_status_id: integer,
  order_status: text,
  payment_status_id: integer,
  payment_status: text,
  delivery_status_id: integer,
  delivery_status: text,
  customer_id: nullable(integer),
  customer_email: nullable(text),
  customer_first_name: nullable(text),
  customer_last_name: nullable(text),
  customer_phone: nullable(text),
  app_location_id: nullable(integer),
  sales: number,
  discount: number,
  net_sales: number,
  vat: number,
  end_sales: number,
  paid: number,
  debt: number,
  market_id: integer,
  currency_id: integer,
  sales_channel_id: integer,
  sales_channel: text,
  proforma_order_id: nullable(integer),
  proforma_number: nullable(text),
  comment: nullable(text),
  tags: listOf(text),
  inserted_at: dateTime,
  updated_at: dateTime,
};

export const OrderListShape = named('OrderInList', columns);

const OrderItemShape = record({
  id: integer,
  product_id: integer,
  product_variant_id: integer,
  code: text,
  barcode: nullable(text),
  name: text,
  qty: integer,
  price: number,
  vat_rate: nullable(number),
  sales: number,
  discount: number,
  end_sales: number,
  promotions: listOf(sale.PromotionShape),
  warehouse_code: nullable(text),
});

export const OrderShape = named('Order', {
  ...columns,
  items: listOf(OrderItemShape),
  fee_items: listOf(sale.FeeItemShape),
  payments: listOf(sale.PaymentShape),
  tax_brackets: listOf(sale.TaxBracketShape),
  delivery_area: sale.DeliveryAreaShape,
});
export type OrderOut = Of<typeof OrderShape>;

type SameColumns = 'id' | 'data_part' | 'time_part' | 'order_number' | 'invoice_number' | 'external_ref' | 'comment';
type CustomerColumns = `customer_${'id' | 'email' | 'first_name' | 'last_name' | 'phone'}`;
type StatusColumns = `${'order' | 'payment' | 'delivery'}_status_id`;
type SaleColumns = 'sales' | 'discount' | 'net_sales' | 'vat' | 'end_sales' | 'paid' | 'debt' | 'market_id' | 'tags';
type OriginColumns = 'sales_channel_id' | 'sales_channel' | 'proforma_order_id' | 'proforma_number' | 'app_location_id';

/** A row of orders with its items and payments as JSON. Amounts are minor units. */
export interface OrderRow extends Pick<
  OrderOut,
  SameColumns | CustomerColumns | StatusColumns | SaleColumns | OriginColumns
> {
  readonly currency: string;
  readonly order_date: Date;
  readonly inserted_at: Date;
  readonly updated_at: Date;
  readonly delivery: Address | null;
  readonly shipment_method_code: string | null;
  readonly pickup_point_code: string | null;
  readonly fees: readonly FeeLine[];
  readonly items: readonly OrderItemRow[];
  readonly payments: readonly OrderPaymentRow[] | null;
}

interface OrderItemRow {
  readonly id: number;
  readonly product_id: number;
  readonly product_variant_id: number;
  readonly code: string;
  readonly barcode: string | null;
  readonly name: string;
  readonly qty: number;
  readonly price: number;
  readonly vat_rate: number | null;
  readonly sales: number;
  readonly discount: number;
  readonly promotions: readonly AppliedPromotion[];
  readonly warehouse_code: string | null;
}

interface OrderPaymentRow {
  readonly id: number;
  readonly amount: number;
  readonly method: string;
  readonly payment_method_id: number | null;
  readonly status: PaymentStatus;
  readonly paid_at: string;
  readonly refund_of: number | null;
}

export function presentOrder(app: AppContext, row: OrderRow): OrderOut {
  const amount = money(app);
  const taxed = [...row.items.map((item) => ({ ...item, vatRate: item.vat_rate })), ...row.fees];
  return {
    ...presentColumns(row, amount),
    items: row.items.map((item) => presentItem(item, amount)),
    fee_items: row.fees.map((fee) => sale.presentFee(fee, amount)),
    payments: (row.payments ?? []).map((payment) => sale.presentPayment(paymentOf(payment), amount)),
    tax_brackets: bracketsOf(taxed).map((bracket) => sale.presentBracket(bracket, amount)),
    delivery_area: sale.presentDeliveryArea({
      delivery: row.delivery,
      shipmentMethodCode: row.shipment_method_code,
      pickupPointCode: row.pickup_point_code,
    }),
  };
}

function presentColumns(row: OrderRow, amount: (minor: number) => number): Of<typeof OrderListShape> {
  return {
    id: row.id,
    data_part: row.data_part,
    time_part: row.time_part,
    order_number: row.order_number,
    order_date: formatDateTime(row.order_date),
    invoice_number: row.invoice_number,
    external_ref: row.external_ref,
    order_status_id: row.order_status_id,
    order_status: ORDER_STATUSES[row.order_status_id - 1] ?? '',
    payment_status_id: row.payment_status_id,
    payment_status: PAYMENT_STATUSES[row.payment_status_id - 1] ?? '',
    delivery_status_id: row.delivery_status_id,
    delivery_status: DELIVERY_STATUSES[row.delivery_status_id - 1] ?? '',
    customer_id: row.customer_id,
    customer_email: row.customer_email,
    customer_first_name: row.customer_first_name,
    customer_last_name: row.customer_last_name,
    customer_phone: row.customer_phone,
    app_location_id: row.app_location_id,
    sales: amount(row.sales),
    discount: amount(row.discount),
    net_sales: amount(row.net_sales),
    vat: amount(row.vat),
    end_sales: amount(row.end_sales),
    paid: amount(row.paid),
    debt: amount(row.debt),
    market_id: row.market_id,
    currency_id: currencyNumber(row.currency),
    sales_channel_id: row.sales_channel_id,
    sales_channel: row.sales_channel,
    proforma_order_id: row.proforma_order_id,
    proforma_number: row.proforma_number,
    comment: row.comment,
    tags: row.tags,
    inserted_at: formatDateTime(row.inserted_at),
    updated_at: formatDateTime(row.updated_at),
  };
}

function presentItem(item: OrderItemRow, amount: (minor: number) => number): Of<typeof OrderItemShape> {
  return {
    id: item.id,
    product_id: item.product_id,
    product_variant_id: item.product_variant_id,
    code: item.code,
    barcode: item.barcode,
    name: item.name,
    qty: item.qty,
    price: amount(item.price),
    vat_rate: sale.percent(item.vat_rate),
    sales: amount(item.sales),
    discount: amount(item.discount),
    end_sales: amount(item.sales - item.discount),
    promotions: item.promotions.map((promotion) => sale.presentPromotion(promotion, amount)),
    warehouse_code: item.warehouse_code,
  };
}

function paymentOf({ payment_method_id: methodId, paid_at: date, refund_of: refundOf, ...payment }: OrderPaymentRow) {
  return { ...payment, methodId, refundOf, date: new Date(date) };
}
