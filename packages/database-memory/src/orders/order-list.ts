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
import { listedPage, type SortKey } from '../sorting.js';
import type { StoredOrder } from './records.js';

const SORT_KEYS: Readonly<Record<OrderSortField, readonly SortKey<StoredOrder>['value'][]>> = {
  id: [({ id }) => id],
  order_number: [(order) => order.order_number],
  order_date: [(order) => order.order_date.getTime()],
  invoice_number: [(order) => order.invoice_number],
  sales: [({ sales }) => sales],
  net_sales: [(order) => order.net_sales],
  discount: [({ discount }) => discount],
  vat: [({ vat }) => vat],
  paid: [({ paid }) => paid],
  debt: [shownDebtOf],
  updated_at: [(order) => order.updated_at.getTime()],
  customer_name: [(order) => order.customer_last_name, (order) => order.customer_first_name],
};

export function orderList(orders: readonly StoredOrder[], { app, filter, orderBy, page }: OrderListQuery): ListedPage {
  const sorting = parseSorting(orderBy, ORDER_SORT_FIELDS);
  const sortValues = (sorting && SORT_KEYS[sorting.field]) ?? [(order: StoredOrder) => order.inserted_at.getTime()];
  const keys: readonly SortKey<StoredOrder>[] = [
    ...sortValues.map((value) => ({ value, direction: sorting?.direction ?? 'desc', nulls: 'last' }) as const),
    { value: ({ id }) => id, direction: 'desc' },
  ];
  const matchingOrders = orders.filter((order) => matches(order, filter));
  return listedPage(matchingOrders, keys, page, (order) => presentOrder(order, app));
}

function matches(order: StoredOrder, filter: OrderFilter): boolean {
  const { search, customerId, appLocationId, from, before, updatedAfter } = filter;
  return (
    (search === undefined || containsFolded(searchText(order), search)) &&
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
