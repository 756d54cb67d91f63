import { currencyNumber, parseSorting, TOTALS } from '@back-office/kernel';
import {
  DELIVERY_STATUSES,
  ORDER_FIELDS,
  ORDER_STATUSES,
  PAYMENT_STATUSES,
  type OrderFilter,
  type OrderListQuery,
} from '@back-office/orders';
import { among } from '../list-conditions.js';
import { dateTimeSql, moneySql, nameSql } from '../json-sql.js';
import { placeholders } from '../placeholders.js';
import { personContainsSql } from '../search-text.js';

const DECIMALS_PARAMETER = '$4';
const AMOUNT_COLUMNS = [...TOTALS, 'paid', 'debt'];
const TIME_COLUMNS = ['order_date', 'inserted_at', 'updated_at'];

const COMPUTED_FIELDS = new Map([
  ...AMOUNT_COLUMNS.map((column) => [column, moneySql(`o.${column}`, DECIMALS_PARAMETER)] as const),
  ...TIME_COLUMNS.map((column) => [column, dateTimeSql(`o.${column}`)] as const),
  ['currency_id', '$5::int'],
  ['order_status', nameSql('o.order_status_id', ORDER_STATUSES)],
  ['payment_status', nameSql('o.payment_status_id', PAYMENT_STATUSES)],
  ['delivery_status', nameSql('o.delivery_status_id', DELIVERY_STATUSES)],
]);
const LISTED_FIELDS = ORDER_FIELDS.map((name) => `${COMPUTED_FIELDS.get(name) ?? `o.${name}`} as ${name}`).join(', ');
const NEWEST_FIRST = 'o.inserted_at desc, o.id desc';

// Orders without the value come last in both directions.
const SORT_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  id: ['id'],
  order_number: ['order_number'],
  order_date: ['order_date'],
  invoice_number: ['invoice_number'],
  sales: ['sales'],
  net_sales: ['net_sales'],
  discount: ['discount'],
  vat: ['vat'],
  paid: ['paid'],
  debt: ['debt'],
  customer_name: ['customer_last_name', 'customer_first_name'],
};
// For columns that are not nullable, `nulls last` would prevent use of the index.
const NULLABLE_COLUMNS = ['invoice_number', 'customer_last_name', 'customer_first_name'];

export function orderBySql(orderBy: unknown): string {
  const sorting = parseSorting(orderBy, Object.keys(SORT_COLUMNS));
  if (sorting === undefined) return NEWEST_FIRST;
  const columns = (SORT_COLUMNS[sorting.field] ?? []).map(
    (column) => `o.${column} ${sorting.direction}${NULLABLE_COLUMNS.includes(column) ? ' nulls last' : ''}`,
  );
  return [...columns, 'o.id desc'].join(', ');
}

const listSql = (conditions: readonly string[], order: string): string => `
  with page as (
    select o.id from orders o where ${['o.app_id = $1', ...conditions].join(' and ')}
    order by ${order} offset $2 limit $3
  )
  select coalesce(json_agg(row), '[]')::text as data from (
    select ${LISTED_FIELDS}
    from orders o where o.app_id = $1 and ${among('o.id', 'page')} order by ${order}
  ) as row`;

export function orderListStatement({ app, filter, orderBy, page }: OrderListQuery) {
  const values: unknown[] = [app.id, page.offset, page.limit, app.decimals, currencyNumber(app.currency)];
  const value = placeholders(values);
  return { text: listSql(conditionsOf(filter, value), orderBySql(orderBy)), values };
}

function conditionsOf(filter: OrderFilter, value: (parameter: unknown) => string): string[] {
  const { search, customerId, appLocationId, from, before } = filter;
  return [
    ...(search === undefined ? [] : [personContainsSql('o.search_text', search, value)]),
    ...(customerId === undefined ? [] : [`o.customer_id = ${value(customerId)}::bigint`]),
    ...(appLocationId === undefined ? [] : [`o.app_location_id = ${value(appLocationId)}::bigint`]),
    ...(from === undefined ? [] : [`o.order_date >= ${value(from)}`]),
    ...(before === undefined ? [] : [`o.order_date < ${value(before)}`]),
  ];
}
