import { currencyNumber, type Page } from '@back-office/kernel';
import type { Database } from '../database/database.js';
import { dateTimeSql, moneySql, nameSql } from '../database/json-sql.js';
import type { AppContext } from '../http/app-context.js';
import { DELIVERY_STATUSES, ORDER_STATUSES, PAYMENT_STATUSES } from './order.js';

const DECIMALS = '$4';
const MONEY = ['sales', 'discount', 'net_sales', 'vat', 'end_sales', 'paid', 'debt'];

/** The ids of the page first, from an index alone, then its rows. */
const LIST = `
  with page as (
    select id from orders where app_id = $1 order by inserted_at desc, id desc offset $2 limit $3
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
    from page join orders o on o.app_id = $1 and o.id = page.id order by o.inserted_at desc, o.id desc
  ) as row`;

export async function orderListJson(database: Database, app: AppContext, { offset, limit }: Page): Promise<string> {
  const values = [app.id, offset, limit, app.decimals, currencyNumber(app.currency)];
  const [row] = await database.rows<{ data: string }>(LIST, values);
  return row?.data ?? '[]';
}
