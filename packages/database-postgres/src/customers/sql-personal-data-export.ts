import type { ExportedApp, PersonalDataQueries } from '@back-office/customers';
import { DELIVERY_STATUSES, ORDER_STATUSES, PAYMENT_STATUSES } from '@back-office/orders';
import { STATUSES } from '@back-office/proforma';
import { mobileInfoSql } from '../devices/mobile-info-columns.js';
import { dateTimeSql, moneySql, nameSql } from '../lists/json-sql.js';
import type { Postgres } from '../connection/postgres.js';

const MAX_ROWS_PER_PART = 200;

const timeFieldSql = (column: string): string => `'${column.replace(/^.*\./, '')}', ${dateTimeSql(column)}`;
const fieldsSql = (alias: string, columns: readonly string[]): string =>
  columns.map((column) => `'${column}', ${alias}.${column}`).join(', ');
const amountFieldSql = (column: string, name = column.replace(/^.*\./, '')): string =>
  `'${name}', ${moneySql(column, '$5')}`;

const CUSTOMER_FIELDS = ['id', 'data_part', 'time_part', 'external_ref', 'email', 'first_name', 'last_name', 'phone'];
const CONTACT = ['customer_email', 'customer_first_name', 'customer_last_name', 'customer_phone'];
const TERMS = ['currency', 'delivery', 'comment', 'tags'];
const SESSION_FIELDS = ['id', 'language', 'device_uuid', 'device_type', 'device_vendor'];
const DEVICE_FIELDS = ['id', 'uuid', 'notification_channel_id', 'device_type', 'device_vendor'];

const itemsOf = (table: string, owner: string): string => `'items', (
  select coalesce(json_agg(json_build_object(${fieldsSql('i', ['code', 'name', 'qty'])},
    ${amountFieldSql('i.price')}, ${amountFieldSql('i.sales')}, ${amountFieldSql('i.discount')}) order by i.position), '[]')
  from ${table} i where i.app_id = $1 and i.${owner} = t.id)`;
const paymentsOf = (condition: string): string => `'payments', (
  select coalesce(json_agg(json_build_object(${amountFieldSql('p.amount')}, ${fieldsSql('p', ['method', 'status', 'reference', 'external_ref', 'payer'])},
    ${timeFieldSql('p.paid_at')}) order by p.id), '[]')
  from payments p where p.app_id = $1 and ${condition})`;

/** Fields of each section, without secrets such as messaging tokens. */
const SECTIONS: readonly (readonly [name: string, table: string, fields: string])[] = [
  ['cards', 'cards t', fieldsSql('t', ['id', 'barcode', 'external_ref'])],
  [
    'vouchers',
    'vouchers t',
    `${fieldsSql('t', ['id', 'code', 'active'])}, ${amountFieldSql('t.amount')}, ${amountFieldSql('t.spent')},
     ${timeFieldSql('t.valid_from')}, ${timeFieldSql('t.valid_until')}, ${timeFieldSql('t.inserted_at')}`,
  ],
  [
    'loyalty_bookings',
    '(select b.*, b.order_id as id from loyalty_bookings b where b.app_id = $1) t',
    `${fieldsSql('t', ['order_id', 'points'])}, ${timeFieldSql('t.inserted_at')}, ${timeFieldSql('t.taken_back_at')}`,
  ],
  [
    'consent_changes',
    'customer_consent_changes t',
    `${fieldsSql('t', ['channel', 'from_state', 'to_state', 'source'])}, ${timeFieldSql('t.changed_at')}`,
  ],
  [
    'devices',
    'notification_devices t',
    `${fieldsSql('t', DEVICE_FIELDS)}, 'mobile_info', ${mobileInfoSql('t')}, ${timeFieldSql('t.inserted_at')}, ${timeFieldSql('t.updated_at')}`,
  ],
  [
    'sessions',
    'access_tokens t',
    `${fieldsSql('t', SESSION_FIELDS)}, 'mobile_info', ${mobileInfoSql('t')}, ${timeFieldSql('t.inserted_at')}, ${timeFieldSql('t.expires_at')}, ${timeFieldSql('t.revoked_at')}`,
  ],
  [
    'visits',
    'customer_attendances t',
    `${fieldsSql('t', ['id', 'app_location_id', 'latitude', 'longitude', 'accuracy', 'distance_m'])}, ${timeFieldSql('t.inserted_at')}`,
  ],
  [
    'evaluations',
    'order_processings t',
    `'id', t.id, 'customer_email', t.buyer ->> 'email', 'customer_first_name', t.buyer ->> 'firstName',
     'customer_last_name', t.buyer ->> 'lastName', 'customer_phone', t.buyer ->> 'phone', ${fieldsSql('t', TERMS)},
     ${amountFieldSql('t.end_sales')}, ${timeFieldSql('t.inserted_at')}`,
  ],
  [
    'proforma_orders',
    'proforma_orders t',
    `${fieldsSql('t', ['id', 'number', ...CONTACT, ...TERMS, 'cancel_reason'])},
     'status', ${nameSql('t.status_id', STATUSES)}, ${amountFieldSql('t.end_sales')}, ${amountFieldSql('t.paid')},
     ${timeFieldSql('t.inserted_at')}, ${itemsOf('proforma_items', 'proforma_order_id')},
     ${paymentsOf('p.proforma_order_id = t.id')}`,
  ],
  [
    'orders',
    'orders t',
    `${fieldsSql('t', ['id', 'order_number', 'invoice_number', 'external_ref', 'proforma_number', 'tracking', ...CONTACT, ...TERMS])},
     'order_status', ${nameSql('t.order_status_id', ORDER_STATUSES)},
     'payment_status', ${nameSql('t.payment_status_id', PAYMENT_STATUSES)},
     'delivery_status', ${nameSql('t.delivery_status_id', DELIVERY_STATUSES)},
     ${amountFieldSql('t.end_sales')}, ${amountFieldSql('t.paid')}, ${timeFieldSql('t.order_date')}, ${timeFieldSql('t.inserted_at')},
     ${itemsOf('order_items', 'order_id')}, ${paymentsOf('p.order_id = t.id and p.proforma_order_id is null')}`,
  ],
];

const FIND_CUSTOMER = `
  select json_build_object(${fieldsSql('t', [...CUSTOMER_FIELDS, 'viber_subscribed', 'preferred_notification_channel_id'])},
    'loyalty_points', t.loyalty_points, ${timeFieldSql('t.inserted_at')}, ${timeFieldSql('t.updated_at')})::text as data
  from customers t where t.app_id = $1 and t.id = $2`;

const partSql = (table: string, fields: string): string => `
  select t.id, json_build_object(${fields})::text as data, $5::int as decimals from ${table}
  where t.app_id = $1 and t.customer_id = $2 and t.id > $3 order by t.id limit $4`;

export class SqlPersonalDataExport implements PersonalDataQueries {
  constructor(private readonly database: Postgres) {}

  async *export({ id: appId, decimals }: ExportedApp, customerId: number): AsyncGenerator<string> {
    const [customer] = await this.database.rows<{ data: string }>(FIND_CUSTOMER, [appId, customerId]);
    yield `{"customer":${customer?.data ?? 'null'}`;
    for (const [name, table, fields] of SECTIONS) {
      yield `,"${name}":[`;
      const statement = partSql(table, fields);
      let separator = '';
      for (let lastId = 0; ;) {
        const values = [appId, customerId, lastId, MAX_ROWS_PER_PART, decimals];
        const rows = await this.database.rows<{ id: number; data: string }>(statement, values);
        if (rows.length > 0) yield separator + rows.map(({ data }) => data).join(',');
        separator = ',';
        if (rows.length < MAX_ROWS_PER_PART) break;
        lastId = rows.at(-1)?.id ?? 0;
      }
      yield ']';
    }
    yield '}';
  }
}
