import type { CustomerFilter, CustomerQueries, PresentedCustomer } from '@back-office/customers';
import type { ListedPage, Page, Sorting } from '@back-office/kernel';
import { among } from '../lists/list-conditions.js';
import { listedPage } from '../lists/listed-page.js';
import type { Postgres } from '../connection/postgres.js';
import { dateTimeSql } from '../lists/json-sql.js';
import { personContainsSql } from '../lists/search-text.js';
import { pageBounds, type PageBounds } from '../lists/page-bounds.js';
import { placeholders } from '../lists/placeholders.js';
import { afterSql, nameKey, orderSql, pageCte, positionSql, type SortKey } from '../lists/sort-keys.js';
import { CUSTOMERS } from '../tables/customers.js';

const LISTED_COLUMNS = CUSTOMERS.columns.except('app_id', 'search_text', 'inserted_at', 'updated_at');
const BY_NAME: readonly SortKey[] = [
  { ...nameKey('c.first_name', 'c.last_name'), direction: 'asc' },
  { sql: 'c.id', type: 'bigint', direction: 'asc' },
];

const listSql = (conditions: readonly string[], keys: readonly SortKey[], bounds: PageBounds): string => `
  with ${pageCte(`
    select c.id from customers c where ${['c.app_id = $1', ...conditions].join(' and ')}
    order by ${orderSql(keys)} ${bounds.clause}`)}
  select (
    select coalesce(json_agg(row), '[]')::text from (
      select ${LISTED_COLUMNS.of('c')},
        ${dateTimeSql('c.inserted_at')} as inserted_at, ${dateTimeSql('c.updated_at')} as updated_at
      from customers c where c.app_id = $1 and ${among('c.id', 'page')} order by ${orderSql(keys)}
    ) as row
  ) as data, (
    select ${positionSql(keys)} from customers c
    where c.app_id = $1 and c.id = (select id from page where ordinal = ${bounds.limit})
  ) as "end"`;

export function customerListStatement(
  appId: number,
  { search, externalRef, updatedAfter }: CustomerFilter,
  page: Page,
  sorting?: Sorting,
) {
  const values: unknown[] = [appId];
  const value = placeholders(values);
  const keys = sorting ? byChange(sorting) : BY_NAME;
  const conditions = [
    ...(externalRef === undefined ? [] : [`c.external_ref = ${value(externalRef)}`]),
    ...(search === undefined ? [] : [personContainsSql('c', 'phone', search, value)]),
    ...(updatedAfter === undefined ? [] : [`c.updated_at >= ${value(updatedAfter)}`]),
    ...(page.after === undefined ? [] : [afterSql(keys, page.after, value)]),
  ];
  return { text: listSql(conditions, keys, pageBounds(page, value)), values };
}

function byChange({ direction }: Sorting): readonly SortKey[] {
  return [
    { sql: 'c.updated_at', type: 'timestamptz', direction },
    { sql: 'c.id', type: 'bigint', direction },
  ];
}

const FIND_CUSTOMERS = `
  select ${LISTED_COLUMNS.of('c')},
    ${dateTimeSql('c.inserted_at')} as inserted_at, ${dateTimeSql('c.updated_at')} as updated_at
  from customers c where c.app_id = $1 and c.id = any($2::bigint[])`;

export class SqlCustomerQueries implements CustomerQueries {
  constructor(private readonly postgres: Postgres) {}

  findAll(appId: number, ids: readonly number[]): Promise<PresentedCustomer[]> {
    return this.postgres.rows<PresentedCustomer>(FIND_CUSTOMERS, [appId, ids]);
  }

  async list(appId: number, filter: CustomerFilter, page: Page, sorting?: Sorting): Promise<ListedPage> {
    return listedPage(this.postgres, customerListStatement(appId, filter, page, sorting));
  }
}
