import {
  comparisonSql,
  eventsOfSql,
  lastEventSql,
  NO_PART,
  OLDEST_EVENTS,
  oneEventSql,
  someEventSql,
  type Changes,
} from './event-comparison.js';
import type { Invariant } from './invariant.js';

const changesSql = (noun: string, table: string, at: string, where = 'true'): Changes => `
  select app_id, id, ${NO_PART}, ${at} as at, format('${noun} %s', id) as label from ${table} where ${where}`;

const alertsSql = (time: 'insertedAt' | 'resolvedAt'): Changes => `
  select p.app_id, p.id, a.index - 1 as part, (a.alert ->> '${time}')::timestamptz as at,
    format('alert %s of proforma %s', a.index - 1, p.id) as label
  from proforma_orders p cross join lateral jsonb_array_elements(p.alerts) with ordinality as a (alert, index)
  where p.alerts_count > 0 and a.alert ->> '${time}' is not null`;

const refundsSql = (status: 'refunded' | 'refund_failed'): Changes => `
  select app_id, proforma_order_id as id, id as part, inserted_at as at, format('refund %s', id) as label
  from payments where amount < 0 and kind <> 'voucher' and proforma_order_id is not null and status = '${status}'`;

/** Leaves out orders that another system sent, since they may have had their state from the beginning. */
const soldOrdersSql = (where: string): Changes =>
  changesSql('order', 'orders', 'inserted_at', `proforma_order_id is not null and ${where}`);

const PROFORMA_INVARIANTS: readonly Invariant[] = [
  {
    name: 'Every new proforma has one event',
    sql: oneEventSql('proforma.created', changesSql('proforma', 'proforma_orders', 'inserted_at')),
  },
  {
    name: 'Every paid proforma has an event',
    sql: someEventSql('proforma.paid', changesSql('proforma', 'proforma_orders', 'inserted_at', 'status_id = 3')),
  },
  {
    name: 'Every payment of a proforma has an event',
    sql: `
      select y.app_id, format('payment %s', y.id) as breach
      from payments y
      join (${OLDEST_EVENTS}) as oldest
        on oldest.app_id = y.app_id and y.inserted_at > oldest.at
      join proforma_orders p on p.app_id = y.app_id and p.id = y.proforma_order_id
      left join (${eventsOfSql(['proforma.payment_received'])}) as e on e.app_id = p.app_id and e.id = p.id
      left join (${eventsOfSql(['order.payment_received'])}) as o on o.app_id = p.app_id and o.id = p.order_id
      where y.amount > 0 and y.kind <> 'voucher' and y.status = 'settled'
        and coalesce(e.at, o.at) is null`,
  },
  {
    name: 'Every proforma that the warehouse confirmed has an event',
    sql: lastEventSql(
      ['proforma.confirmed'],
      changesSql('proforma', 'proforma_orders', 'warehouse_confirmed_at', 'warehouse_confirmed_at is not null'),
    ),
  },
  {
    name: 'Every converted proforma has one event',
    sql: oneEventSql(
      'proforma.converted',
      changesSql('proforma', 'proforma_orders', 'converted_at', 'converted_at is not null'),
    ),
  },
  {
    name: 'Every cancelled proforma has one event',
    sql: oneEventSql('proforma.canceled', changesSql('proforma', 'proforma_orders', 'canceled_at', 'status_id = 7')),
  },
  {
    name: 'Every expired proforma has one event',
    sql: oneEventSql('proforma.expired', changesSql('proforma', 'proforma_orders', 'canceled_at', 'status_id = 8')),
  },
  {
    name: 'Every alert of a proforma has one event',
    sql: oneEventSql('proforma.alert_raised', alertsSql('insertedAt')),
  },
  {
    name: 'Every resolved alert of a proforma has one event',
    sql: oneEventSql('proforma.alert_resolved', alertsSql('resolvedAt')),
  },
  { name: 'Every paid refund has one event', sql: oneEventSql('refund.succeeded', refundsSql('refunded')) },
  { name: 'Every failed refund has an event', sql: someEventSql('refund.failed', refundsSql('refund_failed')) },
  {
    name: 'Every spent voucher has an event',
    sql: someEventSql('voucher.used', changesSql('voucher', 'vouchers', 'inserted_at', 'spent > 0')),
  },
];

const ORDER_INVARIANTS: readonly Invariant[] = [
  {
    name: 'Every new order has one event',
    sql: oneEventSql('order.created', changesSql('order', 'orders', 'inserted_at')),
  },
  {
    name: 'Every shipped order has an event',
    sql: someEventSql('order.shipped', soldOrdersSql('shipped_at is not null')),
  },
  {
    name: 'Every delivered order has an event',
    sql: someEventSql('order.delivered', soldOrdersSql('delivery_status_id = 3')),
  },
  {
    name: 'Every cancelled order has an event',
    sql: someEventSql('order.canceled', soldOrdersSql('order_status_id = 3')),
  },
];

const CATALOGUE_INVARIANTS: readonly Invariant[] = [
  {
    name: 'The last movement of each variant in each warehouse has an event',
    sql: lastEventSql(
      ['stock.changed'],
      `select l.app_id, l.product_variant_id as id, m.warehouse_id as part, max(m.booked_at) as at,
         format('variant %s in warehouse %s', l.product_variant_id, m.warehouse_id) as label
       from stock_movement_lines l join stock_movements m on m.app_id = l.app_id and m.id = l.movement_id
       group by 1, 2, 3`,
    ),
  },
  {
    name: 'Every new product has one event',
    sql: oneEventSql('product.created', changesSql('product', 'products', 'inserted_at')),
  },
  {
    name: 'The last change of every product has an event',
    sql: lastEventSql(['product.created', 'product.updated'], changesSql('product', 'products', 'updated_at')),
  },
];

const CUSTOMER_INVARIANTS: readonly Invariant[] = [
  {
    name: 'Every new customer has one event',
    sql: oneEventSql('customer.created', changesSql('customer', 'customers', 'inserted_at')),
  },
  {
    name: 'The last booking of points of every customer has an event',
    sql: lastEventSql(
      ['customer.updated'],
      `select app_id, customer_id as id, ${NO_PART}, max(coalesce(taken_back_at, inserted_at)) as at,
         format('customer %s', customer_id) as label
       from loyalty_bookings group by 1, 2`,
    ),
  },
  {
    name: 'The last change of the consents of every customer has an event',
    sql: lastEventSql(
      ['consent.changed'],
      `select app_id, customer_id as id, ${NO_PART}, max(changed_at) as at, format('customer %s', customer_id) as label
       from customer_consent_changes group by 1, 2`,
    ),
  },
];

const FILE_INVARIANTS: readonly Invariant[] = [
  {
    name: 'Every new file has one event',
    sql: oneEventSql('file.created', changesSql('file', 'cdn_files', 'inserted_at', `state <> 'receiving'`)),
  },
  {
    name: 'Every further version of a file has an event',
    sql: `
      select r.app_id, format('file %s: version %s, %s events', r.id, r.version, coalesce(e.count, 0)) as breach
      ${comparisonSql(
        ['file.replaced'],
        `select app_id, id, ${NO_PART}, inserted_at as at, version from cdn_files where state <> 'receiving'`,
      )}
      where coalesce(e.count, 0) <> r.version - 1`,
  },
  {
    name: 'The last change of every file has an event',
    sql: lastEventSql(
      ['file.created', 'file.updated', 'file.replaced', 'file.moved', 'file.restored'],
      changesSql('file', 'cdn_files', 'last_modified', `state = 'active'`),
    ),
  },
  {
    name: 'Every file in Trash has an event',
    sql: lastEventSql(['file.trashed'], changesSql('file', 'cdn_files', 'deleted_at', `state = 'trashed'`)),
  },
  {
    name: 'Every file whose processing failed has an event',
    sql: someEventSql('file.processed', changesSql('file', 'cdn_files', 'inserted_at', `processing = 'failed'`)),
  },
  {
    name: 'Every purged file has one event',
    sql: `
      select e.app_id, format('file %s', e.record_id) as breach
      from events e left join cdn_files f on f.app_id = e.app_id and f.id = e.record_id
      where e.type like 'file.%' and f.id is null
      group by e.app_id, e.record_id having count(*) filter (where e.type = 'file.purged') <> 1`,
  },
];

const FEED_INVARIANTS: readonly Invariant[] = [
  {
    name: 'Every endpoint that was switched off has an event',
    sql: someEventSql(
      'webhook_endpoint.switched_off',
      changesSql('endpoint', 'webhook_endpoints', 'inserted_at', `status = 'switched_off'`),
    ),
  },
  {
    name: 'The positions of events have no gap',
    sql: `
      select f.app_id, format('%s of %s events', coalesce(e.count, 0), f.last_position - f.purged_position) as breach
      from event_feeds f
      left join (
        select app_id, count(*) as count from events where position is not null group by 1
      ) as e on e.app_id = f.app_id
      where coalesce(e.count, 0) <> f.last_position - f.purged_position`,
  },
];

export const EVENT_INVARIANTS: readonly Invariant[] = [
  ...PROFORMA_INVARIANTS,
  ...ORDER_INVARIANTS,
  ...CATALOGUE_INVARIANTS,
  ...CUSTOMER_INVARIANTS,
  ...FILE_INVARIANTS,
  ...FEED_INVARIANTS,
];
