import type { Page } from '@back-office/kernel';
import { among } from '../database/among.js';
import type { Database } from '../database/database.js';
import { dateTimeSql } from '../database/json-sql.js';
import { personContains } from '../database/search-text.js';
import { placeholders } from '../database/placeholders.js';

export interface CustomerFilter {
  readonly search: string | undefined;
  readonly externalRef: string | undefined;
}

const ORDER = 'c.first_name, c.last_name, c.id';

/** The ids of the page first, then its rows. */
const listOf = (conditions: readonly string[]): string => `
  with page as (
    select c.id from customers c where ${['c.app_id = $1', ...conditions].join(' and ')}
    order by ${ORDER} offset $2 limit $3
  )
  select coalesce(json_agg(row), '[]')::text as data from (
    select c.id, c.data_part, c.time_part, c.external_ref, c.email, c.first_name, c.last_name, c.phone,
      c.viber_subscribed, c.preferred_notification_channel_id, c.loyalty_points,
      ${dateTimeSql('c.inserted_at')} as inserted_at, ${dateTimeSql('c.updated_at')} as updated_at
    from customers c where c.app_id = $1 and ${among('c.id', 'page')} order by ${ORDER}
  ) as row`;

/** The statement that answers a list with one row: its page, by first name, as JSON text. */
export function customerListStatement(appId: number, { search, externalRef }: CustomerFilter, { offset, limit }: Page) {
  const values: unknown[] = [appId, offset, limit];
  const value = placeholders(values);
  const conditions = [
    ...(externalRef === undefined ? [] : [`c.external_ref = ${value(externalRef)}`]),
    ...(search === undefined ? [] : [personContains('c.search_text', search, value)]),
  ];
  return { text: listOf(conditions), values };
}

export async function customerListJson(
  database: Database,
  appId: number,
  filter: CustomerFilter,
  page: Page,
): Promise<string> {
  const { text, values } = customerListStatement(appId, filter, page);
  const [row] = await database.rows<{ data: string }>(text, values);
  return row?.data ?? '[]';
}
