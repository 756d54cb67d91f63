import type { CustomerFilter, CustomerQueries } from '@back-office/customers';
import type { Page } from '@back-office/kernel';
import { among } from '../list-conditions.js';
import type { Postgres } from '../postgres.js';
import { dateTimeSql } from '../json-sql.js';
import { personContainsSql } from '../search-text.js';
import { placeholders } from '../placeholders.js';
import { CUSTOMERS } from '../tables/customers.js';

const LISTED_COLUMNS = CUSTOMERS.columns.except('app_id', 'search_text', 'inserted_at', 'updated_at');
const ORDER = 'c.first_name, c.last_name, c.id';

const listSql = (conditions: readonly string[]): string => `
  with page as (
    select c.id from customers c where ${['c.app_id = $1', ...conditions].join(' and ')}
    order by ${ORDER} offset $2 limit $3
  )
  select coalesce(json_agg(row), '[]')::text as data from (
    select ${LISTED_COLUMNS.of('c')},
      ${dateTimeSql('c.inserted_at')} as inserted_at, ${dateTimeSql('c.updated_at')} as updated_at
    from customers c where c.app_id = $1 and ${among('c.id', 'page')} order by ${ORDER}
  ) as row`;

export function customerListStatement(appId: number, { search, externalRef }: CustomerFilter, { offset, limit }: Page) {
  const values: unknown[] = [appId, offset, limit];
  const value = placeholders(values);
  const conditions = [
    ...(externalRef === undefined ? [] : [`c.external_ref = ${value(externalRef)}`]),
    ...(search === undefined ? [] : [personContainsSql('c.search_text', search, value)]),
  ];
  return { text: listSql(conditions), values };
}

export class SqlCustomerQueries implements CustomerQueries {
  constructor(private readonly postgres: Postgres) {}

  async list(appId: number, filter: CustomerFilter, page: Page): Promise<string> {
    const { text, values } = customerListStatement(appId, filter, page);
    const [row] = await this.postgres.rows<{ data: string }>(text, values);
    return row?.data ?? '[]';
  }
}
