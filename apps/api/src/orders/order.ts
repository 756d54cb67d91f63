import { money, type AppContext } from '@back-office/apps';
import { bracketsOf, currencyNumber, formatDateTime, pick } from '@back-office/kernel';
import {
  DELIVERY_STATUSES,
  ORDER_STATUSES,
  PAYMENT_STATUSES,
  ORDER_FIELDS,
  shownDebtOf,
  type Order,
  type OrderItem,
  type OrderPayment,
} from '@back-office/orders';
import { dateTime, integer, listOf, component, nullable, number, record, text, type TypeOf } from '../http/shapes.js';
import * as sale from '../sales/index.js';

const ShipmentShape = component('Shipment', {
  carrier: nullable(text),
  number: text,
  url: nullable(text),
  parcels: integer,
});

const orderColumns = {
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
  tracking: listOf(ShipmentShape),
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

export const OrderListShape = component('OrderInList', orderColumns);

const OrderItemShape = record({
  id: integer,
  product_id: integer,
  product_variant_id: integer,
  code: nullable(text),
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

export const OrderShape = component('Order', {
  ...orderColumns,
  items: listOf(OrderItemShape),
  fee_items: listOf(sale.FeeItemShape),
  payments: listOf(sale.PaymentShape),
  tax_brackets: listOf(sale.TaxBracketShape),
  delivery_area: sale.DeliveryAreaShape,
});
export type OrderOut = TypeOf<typeof OrderShape>;

export function presentOrder(app: AppContext, order: Order): OrderOut {
  const amount = money(app);
  const taxedLines = [...order.items.map((item) => ({ vatRate: item.vat_rate, ...item })), ...order.fees];
  return {
    ...presentColumns(order, amount),
    items: order.items.map((item) => presentItem(item, amount)),
    fee_items: order.fees.map((fee) => sale.presentFee(fee, amount)),
    payments: (order.payments ?? []).map((payment) => sale.presentPayment(toPayment(payment), amount)),
    tax_brackets: bracketsOf(taxedLines).map((bracket) => sale.presentBracket(bracket, amount)),
    delivery_area: sale.presentDeliveryArea({
      delivery: order.delivery,
      shipmentMethodCode: order.shipment_method_code,
      pickupPointCode: order.pickup_point_code,
    }),
  };
}

function presentColumns(order: Order, amount: (minor: number) => number): TypeOf<typeof OrderListShape> {
  const computedColumns = {
    order_date: formatDateTime(order.order_date),
    order_status: ORDER_STATUSES[order.order_status_id - 1] ?? '',
    payment_status: PAYMENT_STATUSES[order.payment_status_id - 1] ?? '',
    delivery_status: DELIVERY_STATUSES[order.delivery_status_id - 1] ?? '',
    sales: amount(order.sales),
    discount: amount(order.discount),
    net_sales: amount(order.net_sales),
    vat: amount(order.vat),
    end_sales: amount(order.end_sales),
    paid: amount(order.paid),
    debt: amount(shownDebtOf(order)),
    currency_id: currencyNumber(order.currency),
    tags: [...order.tags],
    tracking: order.tracking.map((shipment) => ({ ...shipment })),
    inserted_at: formatDateTime(order.inserted_at),
    updated_at: formatDateTime(order.updated_at),
  };
  return pick({ ...order, ...computedColumns }, ORDER_FIELDS);
}

function presentItem(item: OrderItem, amount: (minor: number) => number): TypeOf<typeof OrderItemShape> {
  return {
    id: item.id,
    product_id: item.product_id,
    product_variant_id: item.product_variant_id,
    code: item.code,
    barcode: item.barcode,
    name: item.name,
    qty: item.qty,
    price: amount(item.price),
    vat_rate: sale.toPercent(item.vat_rate),
    sales: amount(item.sales),
    discount: amount(item.discount),
    end_sales: amount(item.sales - item.discount),
    promotions: item.promotions.map((promotion) => sale.presentPromotion(promotion, amount)),
    warehouse_code: item.warehouse_code,
  };
}

function toPayment({
  payment_method_id: methodId,
  paid_at: date,
  refund_of: refundOf,
  external_ref: externalRef,
  received_at: receivedAt,
  ...payment
}: OrderPayment) {
  const received = receivedAt === null ? null : new Date(receivedAt);
  return { methodId, ...payment, refundOf, date: new Date(date), externalRef, receivedAt: received };
}
