import { currencyNumber, type Page } from '@back-office/kernel';
import { FINAL_STATUSES, statusId, STATUSES } from '@back-office/proforma';
import type { Database } from '../database/database.js';
import { dateTimeSql, moneySql, nameSql } from '../database/json-sql.js';
import type { AppContext } from '../http/app-context.js';
import { STATUS_COLORS } from './proforma.js';

const DECIMALS = '$4';
const NOW = '$6::timestamptz';
const MONEY = ['sales', 'discount', 'net_sales', 'vat', 'end_sales', 'paid', 'debt'];
const TIMES = ['processing_date', 'expires_at', 'warehouse_confirmed_at', 'converted_at', 'canceled_at'];
const FINAL = `p.status_id in (${FINAL_STATUSES.map(statusId).join(', ')})`;

/** The ids of the page first, from an index alone, then its rows. */
const LIST = `
  with page as (
    select id from proforma_orders where app_id = $1 order by inserted_at desc, id desc offset $2 limit $3
  )
  select coalesce(json_agg(row), '[]')::text as data from (
    select p.id, p.number as proforma_number, p.status_id as proforma_status_id,
      ${nameSql('p.status_id', STATUSES)} as proforma_status_name,
      ${nameSql('p.status_id', STATUS_COLORS)} as proforma_status_color, ${FINAL} as proforma_status_final,
      ${[...TIMES, 'inserted_at', 'updated_at'].map((column) => `${dateTimeSql(`p.${column}`)} as ${column}`).join(', ')},
      case when ${FINAL} then 0 else greatest(0, floor(extract(epoch from p.expires_at - ${NOW})))::bigint end
        as expires_in_seconds,
      p.customer_id, p.customer_email, p.customer_first_name, p.customer_last_name,
      p.customer_id is null as anonymous,
      ${MONEY.map((column) => `${moneySql(`p.${column}`, DECIMALS)} as ${column}`).join(', ')},
      p.market_id, $5::int as currency_id, p.sales_channel_id, p.sales_channel, p.order_id,
      p.canceled_at is not null as canceled, p.cancel_reason, p.tags, p.alerts_count, p.open_alerts_count
    from page join proforma_orders p on p.app_id = $1 and p.id = page.id order by p.inserted_at desc, p.id desc
  ) as row`;

export async function proformaListJson(
  database: Database,
  app: AppContext,
  { offset, limit }: Page,
  now: Date,
): Promise<string> {
  const values = [app.id, offset, limit, app.decimals, currencyNumber(app.currency), now];
  const [row] = await database.rows<{ data: string }>(LIST, values);
  return row?.data ?? '[]';
}
