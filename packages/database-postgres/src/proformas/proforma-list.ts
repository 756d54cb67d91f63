import { currencyNumber, parseSorting } from '@back-office/kernel';
import {
  statusColor,
  STATUSES,
  PROFORMA_SORT_FIELDS,
  type ProformaQueries,
  type ProformaSortField,
  type ProformaFilter,
} from '@back-office/proforma';
import { outerApp } from '../connection/outer-app.js';
import { among } from '../lists/list-conditions.js';
import {
  amountSql,
  booleanSql,
  dateTimeSql,
  nameSql,
  objectSql,
  type JsonField,
  unitSql,
  valueSql,
} from '../lists/json-sql.js';
import { pageBounds, type PageBounds } from '../lists/page-bounds.js';
import { placeholders, type Placeholder } from '../lists/placeholders.js';
import { afterSql, nameKey, orderSql, pageCte, positionSql, type SortKey } from '../lists/sort-keys.js';
import type { Statement } from '../connection/sql.js';
import { paymentReferenceSql } from './payment-reference-sql.js';
import { FINAL_IDS, OPEN_IDS, WITHDRAWN_IDS } from './status-ids.js';

const DECIMALS_PARAMETER = '$2';
const NOW_PARAMETER = '$4::timestamptz';
const AMOUNT_COLUMNS = ['sales', 'discount', 'net_sales', 'vat', 'end_sales', 'paid'];
/** Nothing is owed to a canceled or expired proforma. */
const SHOWN_DEBT = `(case when p.status_id in (${WITHDRAWN_IDS}) then 0 else p.debt end)`;
const IS_FINAL = `p.status_id in (${FINAL_IDS})`;
const BY_ID: SortKey = { sql: 'p.id', type: 'bigint', direction: 'desc' };
const NEWEST_FIRST: readonly SortKey[] = [{ sql: 'p.inserted_at', type: 'timestamptz', direction: 'desc' }, BY_ID];

interface SortColumn extends Pick<SortKey, 'sql' | 'type' | 'mark'> {
  readonly isNullable?: boolean;
}

// Sorts `processing_date` by `inserted_at`, which has the same value.
const SORT_COLUMNS: Readonly<Record<ProformaSortField, SortColumn>> = {
  expires_at: { sql: 'p.expires_at', type: 'timestamptz' },
  end_sales: { sql: 'p.end_sales', type: 'bigint' },
  paid: { sql: 'p.paid', type: 'bigint' },
  debt: { sql: SHOWN_DEBT, type: 'bigint' },
  customer_name: { ...nameKey('p.customer_last_name', 'p.customer_first_name'), isNullable: true },
  processing_date: { sql: 'p.inserted_at', type: 'timestamptz' },
  inserted_at: { sql: 'p.inserted_at', type: 'timestamptz' },
  updated_at: { sql: 'p.updated_at', type: 'timestamptz' },
  proforma_number: { sql: 'p.number', type: 'text' },
  status: { sql: 'p.status_id', type: 'bigint' },
};

function sortKeys(orderBy: unknown): readonly SortKey[] {
  const sorting = parseSorting(orderBy, PROFORMA_SORT_FIELDS);
  if (sorting === undefined) return NEWEST_FIRST;
  const { field, direction } = sorting;
  const nulls = direction === 'asc' ? 'last' : 'first';
  const { isNullable, ...column } = SORT_COLUMNS[field];
  return [{ ...column, direction, ...(isNullable && { nulls }) }, BY_ID];
}

const SECONDS_LEFT = `case when ${IS_FINAL} then 0
  else greatest(0, floor(extract(epoch from p.expires_at - ${NOW_PARAMETER})))::bigint end`;

const field = (column: string, json: string): JsonField => [column, json];
const numberOf = (column: string) => field(column, `p.${column}`);
const valueOf = (column: string) => field(column, valueSql(`p.${column}`));
const timeOf = (column: string) => field(column, dateTimeSql(`p.${column}`));
const optionalTimeOf = (column: string) => field(column, `coalesce(${dateTimeSql(`p.${column}`)}::text, 'null')`);
const amountOf = (column: string) => field(column, amountSql(`p.${column}`, 'money.unit'));

const PROFORMA_JSON = objectSql([
  numberOf('id'),
  ['proforma_number', valueSql('p.number')],
  ['transaction_reference', valueSql(paymentReferenceSql('p.number'))],
  ['proforma_status_id', 'p.status_id'],
  ['proforma_status_name', valueSql(nameSql('p.status_id', STATUSES))],
  ['proforma_status_color', valueSql(nameSql('p.status_id', STATUSES.map(statusColor)))],
  ['proforma_status_final', booleanSql(IS_FINAL)],
  timeOf('processing_date'),
  timeOf('expires_at'),
  optionalTimeOf('warehouse_confirmed_at'),
  optionalTimeOf('converted_at'),
  optionalTimeOf('canceled_at'),
  timeOf('inserted_at'),
  timeOf('updated_at'),
  ['expires_in_seconds', SECONDS_LEFT],
  ...[
    'customer_id',
    'customer_data_part',
    'customer_time_part',
    'customer_email',
    'customer_first_name',
    'customer_last_name',
  ].map(valueOf),
  ['anonymous', booleanSql('p.customer_id is null')],
  ...AMOUNT_COLUMNS.map(amountOf),
  ['debt', amountSql(SHOWN_DEBT, 'money.unit')],
  numberOf('market_id'),
  ['currency_id', '$3::int'],
  numberOf('sales_channel_id'),
  valueOf('sales_channel'),
  valueOf('order_id'),
  ...['data_part', 'time_part'].map((part) => field(`order_${part}`, valueSql(`o.${part}`))),
  ['canceled', booleanSql('p.canceled_at is not null')],
  valueOf('cancel_reason'),
  valueOf('tags'),
  numberOf('alerts_count'),
  numberOf('open_alerts_count'),
]);

// `offset 0` computes the unit once, not for each amount.
const MONEY = `(select ${unitSql(DECIMALS_PARAMETER)} as unit offset 0) as money`;

const listSql = (page: string, keys: readonly SortKey[], bounds: PageBounds): string => `
  with ${pageCte(page)}
  select (select '[' || coalesce(string_agg(row, ','), '') || ']' from (
    select ${PROFORMA_JSON} as row from ${MONEY}, proforma_orders p
    left join lateral (
      select data_part, time_part from orders where app_id = ${outerApp('p')} and id = p.order_id limit 1
    ) as o on true
    where p.app_id = $1 and ${among('p.id', 'page')} order by ${orderSql(keys)}
  ) as rows) as data, (
    select ${positionSql(keys)} from proforma_orders p
    where p.app_id = $1 and p.id = (select id from page where ordinal = ${bounds.limit})
  ) as "end"`;

export type ProformaListQuery = Parameters<ProformaQueries['list']>;

export function proformaListStatement(...[app, filter, orderBy, page, now]: ProformaListQuery): Statement {
  const values: unknown[] = [app.id, app.decimals, currencyNumber(app.currency), now];
  const value = placeholders(values);
  const keys = sortKeys(orderBy);
  const isAfter = page.after === undefined ? [] : [afterSql(keys, page.after, value)];
  const bounds = pageBounds(page, value);
  return { text: listSql(pageOf(filter, keys, isAfter, bounds, value), keys, bounds), values };
}

function pageOf(
  filter: ProformaFilter,
  keys: readonly SortKey[],
  isAfter: readonly string[],
  bounds: PageBounds,
  value: Placeholder,
): string {
  const { statusIds, ...otherFilters } = filter;
  const order = orderSql(keys);
  const conditions = [...conditionsOf(otherFilters, value), ...isAfter];
  if (statusIds === undefined) return selectIds(conditions, order, bounds);
  const status = value(statusIds);
  if (keys !== NEWEST_FIRST || statusIds.length === 1) {
    const hasStatus =
      statusIds.length === 1 ? `p.status_id = (${status}::smallint[])[1]` : `p.status_id = any(${status}::smallint[])`;
    return selectIds([...conditions, hasStatus], order, bounds);
  }
  // Each status is a range of the index. Merging the first rows of the ranges avoids sorting all rows.
  const pageOfStatus = `
    select p.id, p.inserted_at from proforma_orders p
    where ${['p.app_id = $1', 'p.status_id = wanted.status_id', ...conditions].join(' and ')}
    order by ${order} limit ${bounds.end}`;
  return `
    select p.id from unnest(${status}::smallint[]) as wanted (status_id), lateral (${pageOfStatus}) as p
    order by ${order} ${bounds.clause}`;
}

function selectIds(conditions: readonly string[], order: string, { clause }: PageBounds): string {
  const where = ['p.app_id = $1', ...conditions].join(' and ');
  return `select p.id from proforma_orders p where ${where} order by ${order} ${clause}`;
}

function conditionsOf(filter: Omit<ProformaFilter, 'statusIds'>, value: Placeholder): string[] {
  const { numbers, expiring, hasAlerts, anonymous, customerId, from, before, updatedAfter } = filter;
  return [
    ...(numbers === undefined ? [] : [`p.number = any(${value(numbers)}::text[])`]),
    ...(expiring === undefined
      ? []
      : [
          `p.status_id in (${OPEN_IDS})`,
          `p.expires_at > ${value(expiring.after)}`,
          `p.expires_at <= ${value(expiring.until)}`,
        ]),
    ...(hasAlerts === undefined ? [] : [hasAlerts ? 'p.open_alerts_count > 0' : 'p.open_alerts_count = 0']),
    ...(anonymous === undefined ? [] : [`p.customer_id is ${anonymous ? '' : 'not '}null`]),
    ...(customerId === undefined ? [] : [`p.customer_id = ${value(customerId)}::bigint`]),
    ...(from === undefined ? [] : [`p.inserted_at >= ${value(from)}`]),
    ...(before === undefined ? [] : [`p.inserted_at < ${value(before)}`]),
    ...(updatedAfter === undefined ? [] : [`p.updated_at >= ${value(updatedAfter)}`]),
  ];
}
