import { CANCELED_ID, DELIVERY_STATUSES, statusIdIn } from '@back-office/orders';
import { statusId } from '@back-office/proforma';
import {
  changesSql,
  eventsOfSql,
  lastEventSql,
  NO_PART,
  OLDEST_EVENTS,
  oneEventSql,
  someEventSql,
  typesOfKind,
  type Changes,
} from './event-comparison.js';
import type { Invariant } from './invariant.js';

const alertsSql = (time: 'insertedAt' | 'resolvedAt'): Changes => `
  select p.app_id, p.id, a.index - 1 as part, (a.alert ->> '${time}')::timestamptz as at,
    format('alert %s of proforma %s', a.index - 1, p.id) as label
  from proforma_orders p cross join lateral jsonb_array_elements(p.alerts) with ordinality as a (alert, index)
  where p.alerts_count > 0 and a.alert ->> '${time}' is not null`;

const refundsSql = (status: 'refunded' | 'refund_failed'): Changes => `
  select app_id, proforma_order_id as id, id as part, inserted_at as at, format('refund %s', id) as label
  from payments where amount < 0 and kind <> 'voucher' and proforma_order_id is not null and status = '${status}'`;

/** Omits imported orders, because they may have been created in their final state. */
const soldOrdersSql = (where: string): Changes =>
  changesSql('order', 'orders', 'inserted_at', `proforma_order_id is not null and ${where}`);

export const PROFORMA_INVARIANTS: readonly Invariant[] = [
  {
    name: 'Every new proforma has one event',
    sql: oneEventSql('proforma.created', changesSql('proforma', 'proforma_orders', 'inserted_at')),
  },
  {
    name: 'Every paid proforma has an event',
    sql: someEventSql(
      'proforma.paid',
      changesSql('proforma', 'proforma_orders', 'inserted_at', `status_id = ${statusId('paid')}`),
    ),
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
    sql: oneEventSql(
      'proforma.canceled',
      changesSql('proforma', 'proforma_orders', 'canceled_at', `status_id = ${statusId('canceled')}`),
    ),
  },
  {
    name: 'Every expired proforma has one event',
    sql: oneEventSql(
      'proforma.expired',
      changesSql('proforma', 'proforma_orders', 'canceled_at', `status_id = ${statusId('expired')}`),
    ),
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
  {
    name: 'Every voucher that a proforma held, or that a refund of an order gave back, has an event',
    sql: lastEventSql(
      ['voucher.updated'],
      `select y.app_id, y.voucher_id as id, ${NO_PART}, max(y.inserted_at) as at,
         format('voucher %s', y.voucher_id) as label
       from payments y join proforma_orders p on p.app_id = y.app_id and p.id = y.proforma_order_id
       where y.voucher_id is not null
         and (y.inserted_at = p.inserted_at or y.amount < 0 and y.inserted_at > p.converted_at)
       group by 1, 2`,
    ),
  },
  {
    name: 'The last change of every proforma has an event',
    sql: lastEventSql(
      typesOfKind('proforma', 'refund'),
      changesSql('proforma', 'proforma_orders', 'updated_at'),
      NO_PART,
    ),
  },
];

export const ORDER_INVARIANTS: readonly Invariant[] = [
  {
    name: 'The last change of every order has an event',
    sql: lastEventSql(typesOfKind('order'), changesSql('order', 'orders', 'updated_at')),
  },
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
    sql: someEventSql(
      'order.delivered',
      soldOrdersSql(`delivery_status_id = ${statusIdIn(DELIVERY_STATUSES, 'delivered')}`),
    ),
  },
  {
    name: 'Every cancelled order has an event',
    sql: someEventSql('order.canceled', soldOrdersSql(`order_status_id = ${CANCELED_ID}`)),
  },
  {
    name: 'The last payment of every order has an event',
    sql: lastEventSql(
      ['order.payment_received'],
      `select y.app_id, p.order_id as id, ${NO_PART}, max(y.inserted_at) as at, format('order %s', p.order_id) as label
       from payments y join proforma_orders p on p.app_id = y.app_id and p.id = y.proforma_order_id
       where y.amount > 0 and y.kind <> 'voucher' and y.status = 'settled' and y.inserted_at > p.converted_at
       group by 1, 2`,
    ),
  },
];
