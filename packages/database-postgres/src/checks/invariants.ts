import { CANCELED_ID } from '@back-office/orders';
import { statusId } from '@back-office/proforma';
import { EXPIRING_IDS, OPEN_IDS } from '../proformas/status-ids.js';
import { EVENT_INVARIANTS } from './event-invariants.js';
import type { Invariant } from './invariant.js';

const ON_HAND_KINDS = "('adjust', 'reconcile', 'ship')";
const RESERVED_KINDS = "('reserve', 'release', 'ship')";

const stockDifferencesSql = (column: 'on_hand' | 'reserved', sums: string): string => `
  select app_id, format('variant %s in warehouse %s: ${column} %s, but %s', product_variant_id, warehouse_id,
    coalesce(s.${column}, 0), coalesce(t.qty, 0)) as breach
  from stocks s full join (${sums}) as t using (app_id, product_variant_id, warehouse_id)
  where coalesce(s.${column}, 0) <> coalesce(t.qty, 0)`;

const movementSumsSql = (kinds: string): string => `
  select l.app_id, l.product_variant_id, m.warehouse_id, sum(l.qty) as qty
  from stock_movement_lines l join stock_movements m on m.app_id = l.app_id and m.id = l.movement_id
  where m.kind in ${kinds} group by 1, 2, 3`;

// An open proforma reserves the confirmed quantity of a line, or the full quantity before the confirmation. An order
// keeps the reservation until the order is shipped or canceled.
const EXPECTED_RESERVATIONS = `
  select i.app_id, i.id, i.product_variant_id, i.warehouse_id, coalesce(i.qty_confirmed, i.qty) as qty
  from proforma_items i join proforma_orders p on p.app_id = i.app_id and p.id = i.proforma_order_id
  left join orders o on o.app_id = p.app_id and o.id = p.order_id
  where coalesce(i.qty_confirmed, i.qty) > 0
    and (p.status_id in (${OPEN_IDS}) or (p.status_id = ${statusId('converted')} and o.shipped_at is null and o.order_status_id <> ${CANCELED_ID}))`;

const PAID_AMOUNTS = `
  select app_id, proforma_order_id, order_id, sum(amount) filter (where status in ('settled', 'refunded')) as paid
  from payments group by 1, 2, 3`;

const RECORD_INVARIANTS: readonly Invariant[] = [
  {
    name: 'Reserved stock equals the sum of its reservations',
    sql: stockDifferencesSql(
      'reserved',
      'select app_id, product_variant_id, warehouse_id, sum(qty) as qty from stock_reservations group by 1, 2, 3',
    ),
  },
  {
    name: 'Reserved stock equals the sum of its movements',
    sql: stockDifferencesSql('reserved', movementSumsSql(RESERVED_KINDS)),
  },
  {
    name: 'Stock on hand equals the sum of its movements',
    sql: stockDifferencesSql('on_hand', movementSumsSql(ON_HAND_KINDS)),
  },
  {
    name: 'Exactly the lines of open proformas and unshipped orders are reserved',
    sql: `
      select app_id, format('line %s: %s held, %s reserved', id, coalesce(h.qty, 0), coalesce(r.qty, 0)) as breach
      from (${EXPECTED_RESERVATIONS}) as h
      full join (select app_id, proforma_item_id as id, product_variant_id, warehouse_id, qty from stock_reservations) as r
        using (app_id, id, product_variant_id, warehouse_id)
      where coalesce(h.qty, 0) <> coalesce(r.qty, 0)`,
  },
  {
    name: 'The totals of a proforma equal the sum of its lines and fees',
    sql: `
      select p.app_id, format('proforma %s: %s less %s, but %s less %s', p.id, p.sales, p.discount,
        i.sales + f.sales, i.discount + f.discount) as breach
      from proforma_orders p
      join (
        select app_id, proforma_order_id as id, sum(sales) as sales, sum(discount) as discount,
          bool_or(coalesce(qty_confirmed, qty) > 0) as is_something
        from proforma_items group by 1, 2
      ) as i on i.app_id = p.app_id and i.id = p.id
      cross join lateral (
        select coalesce(sum((fee ->> 'sales')::bigint), 0) as sales,
          coalesce(sum((fee ->> 'discount')::bigint), 0) as discount
        from jsonb_array_elements(p.fees) as fee where i.is_something
      ) as f
      where (p.sales, p.discount) <> (i.sales + f.sales, i.discount + f.discount)`,
  },
  {
    name: 'The paid amount of a proforma equals its payments less refunds',
    sql: `
      select p.app_id, format('proforma %s: %s paid, but %s', p.id, p.paid, coalesce(y.paid, 0)) as breach
      from proforma_orders p left join (${PAID_AMOUNTS}) as y on y.app_id = p.app_id and y.proforma_order_id = p.id and y.order_id is null
      where p.status_id <> ${statusId('converted')} and p.paid <> coalesce(y.paid, 0)`,
  },
  {
    name: 'The paid amount of an order equals its payments less refunds',
    sql: `
      select o.app_id, format('order %s: %s paid, but %s', o.id, o.paid, coalesce(y.paid, 0)) as breach
      from orders o
      left join (select app_id, order_id, sum(paid) as paid from (${PAID_AMOUNTS}) as each group by 1, 2) as y
        on y.app_id = o.app_id and y.order_id = o.id
      where o.paid <> greatest(coalesce(y.paid, 0), 0)`,
  },
  {
    name: 'No refund exceeds its payment',
    sql: `
      select y.app_id, format('payment %s of %s: %s given back', y.id, y.amount, r.given) as breach
      from payments y
      join (
        select app_id, refund_of, -sum(amount) as given from payments
        where refund_of is not null and status not in ('refund_failed', 'failed') group by 1, 2
      ) as r on r.app_id = y.app_id and r.refund_of = y.id
      where r.given > case when y.status = 'settled' then y.amount else 0 end`,
  },
  {
    name: 'Every failed refund has an alert, at most one of them open',
    sql: `
      with failed as (
        select y.app_id, coalesce(y.proforma_order_id, o.proforma_order_id) as proforma_id, y.id
        from payments y left join orders o on o.app_id = y.app_id and o.id = y.order_id
        where y.status = 'refund_failed'
      ), alert as (
        select p.app_id, p.id as proforma_id, (a.alert -> 'details' ->> 'payment_id')::bigint as id,
          a.alert ->> 'resolvedAt' is null as is_open
        from proforma_orders p, jsonb_array_elements(p.alerts) as a (alert)
        where a.alert ->> 'kind' in ('refund_failed', 'expiry_refund_failed')
      )
      select f.app_id, format('refund %s of proforma %s: %s alerts', f.id, f.proforma_id, count(a.id)) as breach
      from failed f left join alert a on a.app_id = f.app_id and a.proforma_id = f.proforma_id and a.id = f.id
      group by f.app_id, f.id, f.proforma_id
      having count(a.id) = 0 or count(*) filter (where a.is_open) > 1`,
  },
  {
    name: 'Every evaluation is used at most once, and marked when used',
    sql: `
      select e.app_id, format('evaluation %s: %s proformas, consumed %s', e.id, count(p.id), e.consumed_at) as breach
      from order_processings e left join proforma_orders p on p.app_id = e.app_id and p.order_processing_id = e.id
      group by e.app_id, e.id having count(p.id) <> case when e.consumed_at is null then 0 else 1 end`,
  },
  {
    name: 'Every converted proforma has one order, and vice versa',
    sql: `
      select app_id, format('proforma %s, order %s', proforma_id, order_id) as breach
      from (select app_id, id as proforma_id, order_id from proforma_orders where status_id = ${statusId('converted')}) as p
      full join (
        select app_id, proforma_order_id as proforma_id, id as order_id from orders where proforma_order_id is not null
      ) as o using (app_id, proforma_id, order_id)
      where p.app_id is null or o.app_id is null`,
  },
  {
    name: 'Every pending refund has a next attempt',
    sql: `
      select app_id, format('refund %s waits without a next try', id) as breach
      from payments where status = 'pending' and amount < 0 and next_attempt_at is null`,
  },
  {
    name: 'No proforma is overdue for more than an hour',
    sql: `
      select app_id, format('proforma %s is due since %s', id, due) as breach
      from (
        select app_id, id, due_at as due from proforma_orders
        union all
        select p.app_id, p.id, p.expires_at from proforma_orders p join app_settings a on a.app_id = p.app_id
        where p.due_at is null and p.status_id in (${EXPIRING_IDS}) and a.settings @> '{"proforma": {"expire_paid": true}}'
      ) as each
      where due < $1::timestamptz - interval '1 hour'`,
    isTimed: true,
  },
  {
    name: 'Only open proformas hold vouchers, and payments equal what is spent',
    sql: `
      select v.app_id, format('voucher %s: held by %s, %s spent, but %s', v.id, v.held_by, v.spent, coalesce(s.spent, 0)) as breach
      from vouchers v
      left join proforma_orders p on p.app_id = v.app_id and p.id = v.held_by
      left join (
        select app_id, voucher_id, sum(amount) as spent from payments
        where voucher_id is not null and order_id is not null and status in ('settled', 'refunded') group by 1, 2
      ) as s on s.app_id = v.app_id and s.voucher_id = v.id
      where (v.held_by is not null and p.status_id not in (${OPEN_IDS})) or v.spent <> coalesce(s.spent, 0)`,
  },
  {
    name: 'The lowest price of a product is that of its variants',
    sql: `
      select p.app_id, format('product %s: %s, but %s', p.id, coalesce(p.lowest_price::text, 'none'),
        coalesce(v.lowest::text, 'none')) as breach
      from products p
      left join (
        select v.app_id, v.product_id, min(coalesce(v.price, p.price)) as lowest
        from product_variants v join products p on p.app_id = v.app_id and p.id = v.product_id group by 1, 2
      ) as v on v.app_id = p.app_id and v.product_id = p.id
      where p.lowest_price is distinct from case when v.product_id is null then p.price else v.lowest end`,
  },
  {
    name: 'The search text of a product has its name and all codes',
    sql: `
      select p.app_id, format('product %s', p.id) as breach
      from products p
      left join (
        select app_id, product_id, string_agg(nullif(concat_ws(' ', lower(code), lower(barcode)), ''), ' ' order by id) as codes
        from product_variants group by 1, 2
      ) as v on v.app_id = p.app_id and v.product_id = p.id
      where p.search_all <> concat_ws(' ', p.search_name, lower(p.code), lower(p.barcode), v.codes)`,
  },
  {
    name: 'Points of a customer equal the bookings',
    sql: `
      select c.app_id, format('customer %s: %s points, but %s', c.id, c.loyalty_points, coalesce(b.points, 0)) as breach
      from customers c
      left join (
        select app_id, customer_id, sum(points) as points from loyalty_bookings where taken_back_at is null group by 1, 2
      ) as b
        on b.app_id = c.app_id and b.customer_id = c.id
      where c.loyalty_points <> coalesce(b.points, 0)`,
  },
  {
    name: 'No change of a consent switch is missing',
    sql: `
      select app_id, format('%s of customer %s: %s changes up to step %s', channel, customer_id, count(*), max(step)) as breach
      from customer_consent_changes group by app_id, customer_id, channel having count(*) <> max(step)`,
  },
  {
    name: 'Every file is in an existing folder',
    sql: `
      select f.app_id, format('file %s in %s', f.id, f.folder) as breach
      from cdn_files f left join cdn_folders d on d.app_id = f.app_id and d.path = f.folder
      where f.state = 'active' and f.folder <> '' and d.id is null`,
  },
  {
    name: 'Every folder is in an existing folder',
    sql: `
      select d.app_id, format('folder %s', d.path) as breach
      from cdn_folders d left join cdn_folders up on up.app_id = d.app_id and up.path = d.parent
      where d.parent <> '' and up.id is null`,
  },
];

export const INVARIANTS: readonly Invariant[] = [...RECORD_INVARIANTS, ...EVENT_INVARIANTS];

export const LIBRARY_CONTENTS = `
  select app_id as "appId", content, size from cdn_files where state <> 'receiving'
  union all select app_id, original, null from cdn_files where state <> 'receiving' and original is not null
  union all select app_id, content, size from cdn_renditions
  union all select app_id, content, size from cdn_pdf_pages
  union all select app_id, content, size from cdn_file_versions
  union all select app_id, original, null from cdn_file_versions where original is not null`;

export const STILL_REFERENCED = `select * from (${LIBRARY_CONTENTS}) as each where content = any($1)`;

export function breachesSql(sql: string, limit: number): string {
  return `select app_id as "appId", breach, count(*) over () as total from (${sql}) as broken limit ${limit}`;
}
