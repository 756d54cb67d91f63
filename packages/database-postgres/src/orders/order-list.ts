import { currencyNumber, parseSorting, TOTALS } from '@back-office/kernel';
import {
  CANCELED_ID,
  DELIVERY_STATUSES,
  ORDER_FIELDS,
  ORDER_SORT_FIELDS,
  ORDER_STATUSES,
  PAYMENT_STATUSES,
  type OrderFilter,
  type OrderListQuery,
  type OrderSortField,
} from '@back-office/orders';
import { among } from '../lists/list-conditions.js';
import { dateTimeSql, moneySql, nameSql } from '../lists/json-sql.js';
import { pageBounds, type PageBounds } from '../lists/page-bounds.js';
import { placeholders } from '../lists/placeholders.js';
import { afterSql, nameKey, orderSql, pageCte, positionSql, type SortKey } from '../lists/sort-keys.js';
import { personContainsSql } from '../lists/search-text.js';

const DECIMALS_PARAMETER = '$2';
const AMOUNT_COLUMNS = [...TOTALS, 'paid'];
/** Nothing is owed to a canceled order. */
const SHOWN_DEBT = `(case when o.order_status_id = ${CANCELED_ID} then 0 else o.debt end)`;
const TIME_COLUMNS = ['order_date', 'inserted_at', 'updated_at'];

const COMPUTED_FIELDS = new Map([
  ...AMOUNT_COLUMNS.map((column) => [column, moneySql(`o.${column}`, DECIMALS_PARAMETER)] as const),
  ['debt', moneySql(SHOWN_DEBT, DECIMALS_PARAMETER)] as const,
  ...TIME_COLUMNS.map((column) => [column, dateTimeSql(`o.${column}`)] as const),
  ['currency_id', '$3::int'],
  ['order_status', nameSql('o.order_status_id', ORDER_STATUSES)],
  ['payment_status', nameSql('o.payment_status_id', PAYMENT_STATUSES)],
  ['delivery_status', nameSql('o.delivery_status_id', DELIVERY_STATUSES)],
]);
const LISTED_FIELDS = ORDER_FIELDS.map((name) => `${COMPUTED_FIELDS.get(name) ?? `o.${name}`} as ${name}`).join(', ');
const BY_ID: SortKey = { sql: 'o.id', type: 'bigint', direction: 'desc' };
const NEWEST_FIRST: readonly SortKey[] = [{ sql: 'o.order_date', type: 'timestamptz', direction: 'desc' }, BY_ID];

// Orders without a value come last, whether ascending or descending.
const SORT_COLUMNS: Readonly<Record<OrderSortField, Omit<SortKey, 'direction'>>> = {
  id: { sql: 'o.id', type: 'bigint' },
  order_number: { sql: 'o.order_number', type: 'text' },
  order_date: { sql: 'o.order_date', type: 'timestamptz' },
  invoice_number: { sql: 'o.invoice_number', type: 'text', nulls: 'last' },
  sales: { sql: 'o.sales', type: 'bigint' },
  net_sales: { sql: 'o.net_sales', type: 'bigint' },
  discount: { sql: 'o.discount', type: 'bigint' },
  vat: { sql: 'o.vat', type: 'bigint' },
  paid: { sql: 'o.paid', type: 'bigint' },
  debt: { sql: SHOWN_DEBT, type: 'bigint' },
  updated_at: { sql: 'o.updated_at', type: 'timestamptz' },
  customer_name: { ...nameKey('o.customer_last_name', 'o.customer_first_name'), nulls: 'last' },
};

function sortKeys(orderBy: unknown): readonly SortKey[] {
  const sorting = parseSorting(orderBy, ORDER_SORT_FIELDS);
  if (sorting === undefined) return NEWEST_FIRST;
  return [{ ...SORT_COLUMNS[sorting.field], direction: sorting.direction }, BY_ID];
}

const listSql = (conditions: readonly string[], keys: readonly SortKey[], bounds: PageBounds): string => `
  with ${pageCte(selectIds(conditions, keys, bounds))}
  select (
    select coalesce(json_agg(row), '[]')::text from (
      select ${LISTED_FIELDS}
      from orders o where o.app_id = $1 and ${among('o.id', 'page')} order by ${orderSql(keys)}
    ) as row
  ) as data, (
    select ${positionSql(keys)} from orders o
    where o.app_id = $1 and o.id = (select id from page where ordinal = ${bounds.limit})
  ) as "end"`;

/** Reads descending values before missing ones, because the index has the missing ones first in that direction. */
function selectIds(conditions: readonly string[], keys: readonly SortKey[], { clause, end }: PageBounds): string {
  const [key] = keys;
  const order = orderSql(keys);
  const select = (columns: string, ...extraConditions: readonly string[]): string =>
    `select ${columns} from orders o where ${['o.app_id = $1', ...conditions, ...extraConditions].join(' and ')}`;
  if (key?.nulls === undefined || key.direction === 'asc') return `${select('o.id')} order by ${order} ${clause}`;
  const pageOf = (condition: string, branchOrder: string): string =>
    `(${select(`o.id, ${key.sql} as key`, `${key.sql} ${condition}`)} order by ${branchOrder} limit ${end})`;
  return `
    select id from (
      ${pageOf('is not null', `${key.sql} desc, o.id desc`)} union all ${pageOf('is null', 'o.id desc')}
    ) as o order by key desc nulls last, id desc ${clause}`;
}

export function orderListStatement({ app, filter, orderBy, page }: OrderListQuery) {
  const values: unknown[] = [app.id, app.decimals, currencyNumber(app.currency)];
  const value = placeholders(values);
  const keys = sortKeys(orderBy);
  const isAfter = page.after === undefined ? [] : [afterSql(keys, page.after, value)];
  return { text: listSql([...conditionsOf(filter, value), ...isAfter], keys, pageBounds(page, value)), values };
}

function conditionsOf(filter: OrderFilter, value: (parameter: unknown) => string): string[] {
  const { search, customerId, appLocationId, from, before, updatedAfter } = filter;
  return [
    ...(search === undefined ? [] : [personContainsSql('o', 'customer_phone', search, value)]),
    ...(customerId === undefined ? [] : [`o.customer_id = ${value(customerId)}::bigint`]),
    ...(appLocationId === undefined ? [] : [`o.app_location_id = ${value(appLocationId)}::bigint`]),
    ...(from === undefined ? [] : [`o.order_date >= ${value(from)}`]),
    ...(before === undefined ? [] : [`o.order_date < ${value(before)}`]),
    ...(updatedAfter === undefined ? [] : [`o.updated_at >= ${value(updatedAfter)}`]),
  ];
}
