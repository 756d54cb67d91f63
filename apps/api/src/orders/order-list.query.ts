import { currencyNumber, sortingOf, type Page } from '@back-office/kernel';
import { DELIVERY_STATUSES, ORDER_STATUSES, PAYMENT_STATUSES } from '@back-office/orders';
import { among } from '../database/among.js';
import type { Database } from '../database/database.js';
import { dateTimeSql, moneySql, nameSql } from '../database/json-sql.js';
import { personContains } from '../database/search-text.js';
import type { AppContext } from '../http/app-context.js';
import type { OrderFilter } from './order-filter.js';
import { placeholders } from '../database/placeholders.js';

const DECIMALS = '$4';
const MONEY = ['sales', 'discount', 'net_sales', 'vat', 'end_sales', 'paid', 'debt'];
const NEWEST = 'o.inserted_at desc, o.id desc';

/** What a list may be sorted by. Orders that lack the value go last, whichever the direction. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
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
// Only where there may be no value: an index gives its rows in the usual order of nulls.
const MAY_LACK = ['invoice_number', 'customer_last_name', 'customer_first_name'];

/** `field`, `field asc` or `field desc` as SQL; anything else sorts newest first. */
export function orderOrder(orderBy: unknown): string {
  const sorting = sortingOf(orderBy, Object.keys(COLUMNS));
  if (sorting === undefined) return NEWEST;
  const columns = (COLUMNS[sorting.field] ?? []).map(
    (column) => `o.${column} ${sorting.direction}${MAY_LACK.includes(column) ? ' nulls last' : ''}`,
  );
  return [...columns, 'o.id desc'].join(', ');
}

/** The ids of the page first, where possible from an index alone, then its rows. */
const listOf = (conditions: readonly string[], order: string): string => `
  with page as (
    select o.id from orders o where ${['o.app_id = $1', ...conditions].join(' and ')}
    order by ${order} offset $2 limit $3
  )
  select coalesce(json_agg(row), '[]')::text as data from (
    select o.id, o.data_part, o.time_part, o.order_number, ${dateTimeSql('o.order_date')} as order_date,
      o.invoice_number, o.external_ref,
      o.order_status_id, ${nameSql('o.order_status_id', ORDER_STATUSES)} as order_status,
      o.payment_status_id, ${nameSql('o.payment_status_id', PAYMENT_STATUSES)} as payment_status,
      o.delivery_status_id, ${nameSql('o.delivery_status_id', DELIVERY_STATUSES)} as delivery_status,
      o.customer_id, o.customer_email, o.customer_first_name, o.customer_last_name, o.customer_phone,
      o.app_location_id, ${MONEY.map((column) => `${moneySql(`o.${column}`, DECIMALS)} as ${column}`).join(', ')},
      o.market_id, $5::int as currency_id, o.sales_channel_id, o.sales_channel, o.proforma_order_id, o.proforma_number,
      o.comment, o.tags, ${dateTimeSql('o.inserted_at')} as inserted_at, ${dateTimeSql('o.updated_at')} as updated_at
    from orders o where o.app_id = $1 and ${among('o.id', 'page')} order by ${order}
  ) as row`;

export interface OrderListAsked {
  readonly app: Pick<AppContext, 'id' | 'decimals' | 'currency'>;
  readonly filter: OrderFilter;
  readonly orderBy: unknown;
  readonly page: Page;
}

/** The statement that answers a list with one row: its page as JSON text. */
export function orderListStatement({ app, filter, orderBy, page }: OrderListAsked) {
  const values: unknown[] = [app.id, page.offset, page.limit, app.decimals, currencyNumber(app.currency)];
  const value = placeholders(values);
  return { text: listOf(conditionsOf(filter, value), orderOrder(orderBy)), values };
}

export async function orderListJson(database: Database, asked: OrderListAsked): Promise<string> {
  const { text, values } = orderListStatement(asked);
  const [row] = await database.rows<{ data: string }>(text, values);
  return row?.data ?? '[]';
}

function conditionsOf(filter: OrderFilter, value: (one: unknown) => string): string[] {
  const { search, customerId, appLocationId, from, before } = filter;
  return [
    ...(search === undefined ? [] : [personContains('o.search_text', search, value)]),
    ...(customerId === undefined ? [] : [`o.customer_id = ${value(customerId)}::bigint`]),
    ...(appLocationId === undefined ? [] : [`o.app_location_id = ${value(appLocationId)}::bigint`]),
    ...(from === undefined ? [] : [`o.order_date >= ${value(from)}`]),
    ...(before === undefined ? [] : [`o.order_date < ${value(before)}`]),
  ];
}
