import { currencyNumber, formatDateTime, fromMinor, parseSorting, pick, type ListedPage } from '@back-office/kernel';
import {
  DELIVERY_STATUSES,
  ORDER_STATUSES,
  PAYMENT_STATUSES,
  ORDER_FIELDS,
  ORDER_SORT_FIELDS,
  shownDebtOf,
  type OrderFilter,
  type OrderListQuery,
  type OrderSortField,
} from '@back-office/orders';
import { containsFolded } from '../people-search.js';
import { listedPage, nameKey, type SortKey } from '../sorting.js';
import type { StoredOrder } from './records.js';

const SORT_KEYS: Readonly<Record<OrderSortField, Pick<SortKey<StoredOrder>, 'value' | 'mark'>>> = {
  id: { value: ({ id }) => id },
  order_number: { value: (order) => order.order_number },
  order_date: { value: (order) => order.order_date.getTime() },
  invoice_number: { value: (order) => order.invoice_number },
  sales: { value: ({ sales }) => sales },
  net_sales: { value: (order) => order.net_sales },
  discount: { value: ({ discount }) => discount },
  vat: { value: ({ vat }) => vat },
  paid: { value: ({ paid }) => paid },
  debt: { value: shownDebtOf },
  updated_at: { value: (order) => order.updated_at.getTime() },
  customer_name: nameKey((order) => [order.customer_last_name, order.customer_first_name]),
};

export function orderList(orders: readonly StoredOrder[], { app, filter, orderBy, page }: OrderListQuery): ListedPage {
  const sorting = parseSorting(orderBy, ORDER_SORT_FIELDS);
  const key = SORT_KEYS[sorting?.field ?? 'order_date'];
  const keys: readonly SortKey<StoredOrder>[] = [
    { ...key, direction: sorting?.direction ?? 'desc', nulls: 'last' },
    { value: ({ id }) => id, direction: 'desc' },
  ];
  const matchingOrders = orders.filter((order) => matches(order, filter));
  return listedPage(matchingOrders, keys, page, (order) => presentOrder(order, app));
}

function matches(order: StoredOrder, filter: OrderFilter): boolean {
  const { search, customerId, appLocationId, from, before, updatedAfter } = filter;
  return (
    (search === undefined || containsFolded(searchText(order), search, order.customer_phone)) &&
    (customerId === undefined || order.customer_id === customerId) &&
    (appLocationId === undefined || order.app_location_id === appLocationId) &&
    (from === undefined || order.order_date >= from) &&
    (before === undefined || order.order_date < before) &&
    (updatedAfter === undefined || order.updated_at >= updatedAfter)
  );
}

/** Joins the names in both orders, because a query may start with either name. */
function searchText(order: StoredOrder): string {
  const { order_number: number, invoice_number: invoice, customer_email: email, customer_phone: phone } = order;
  const { customer_first_name: first, customer_last_name: last } = order;
  const texts = [number, invoice, first, last, email, phone].map((text) => text ?? '');
  return `${texts.join(' ')}\n${last ?? ''} ${first ?? ''}`;
}

function presentOrder(order: StoredOrder, { decimals, currency }: OrderListQuery['app']): object {
  const amount = (minorUnits: number): number => fromMinor(minorUnits, decimals);
  const computedFields = {
    order_date: formatDateTime(order.order_date),
    order_status: ORDER_STATUSES[order.order_status_id - 1],
    payment_status: PAYMENT_STATUSES[order.payment_status_id - 1],
    delivery_status: DELIVERY_STATUSES[order.delivery_status_id - 1],
    sales: amount(order.sales),
    discount: amount(order.discount),
    net_sales: amount(order.net_sales),
    vat: amount(order.vat),
    end_sales: amount(order.end_sales),
    paid: amount(order.paid),
    debt: amount(shownDebtOf(order)),
    currency_id: currencyNumber(currency),
    inserted_at: formatDateTime(order.inserted_at),
    updated_at: formatDateTime(order.updated_at),
  };
  return pick({ ...order, ...computedFields }, ORDER_FIELDS);
}
