import { among } from '../database/among.js';
import { IS_PAYABLE } from '../orders/index.js';
import { bookReservations } from '../stock/index.js';

const LIVING = `
  status_id smallint, sales bigint, discount bigint, net_sales bigint, vat bigint, end_sales bigint, paid bigint,
  debt bigint, tags text[], comment text, alerts jsonb, alerts_count int, open_alerts_count int, due_at timestamptz,
  warehouse_confirmed_at timestamptz, converted_at timestamptz, canceled_at timestamptz, cancel_reason text,
  order_id bigint, payments_at_conversion jsonb, converted_order_number text, earned_points bigint,
  updated_at timestamptz`;
const FROZEN = `
  number text, order_processing_id bigint, customer_id bigint, customer_data_part smallint, customer_time_part int,
  customer_email text, customer_first_name text, customer_last_name text, customer_phone text, delivery jsonb,
  shipment_method_code text, pickup_point_code text, market_id int, currency text, sales_channel_id int,
  sales_channel text, fees jsonb, original_end_sales bigint, promotions jsonb, processing_date timestamptz, expires_at timestamptz,
  inserted_at timestamptz`;
const ITEM = `
  position int, product_id bigint, product_variant_id bigint, code text, barcode text, name text, qty bigint,
  qty_confirmed bigint, price bigint, vat_rate int, sales bigint, discount bigint, promotions jsonb,
  warehouse_id bigint, warehouse_code text`;
const PAYMENT = `
  id bigint, proforma_order_id bigint, order_id bigint, place int, amount bigint, method text, payment_method_id bigint,
  kind text, status text, paid_at timestamptz, refund_of bigint, refunded bigint, reference text, voucher_id bigint,
  attempts int, next_attempt_at timestamptz`;

const namesOf = (columns: string): string => columns.replaceAll(/(\w+) [\w[\]]+/g, '$1');
const assignments = (columns: string): string => namesOf(columns).replaceAll(/(\w+)/g, '$1 = r.$1');

/**
 * The proforma with its items and payments. A statement that waited for the row lock sees the row as it is now, but
 * items and payments as they were before the wait: `seen_version` tells the two apart.
 */
const load = (ids: string, lock: string): string => `
  select p.*,
    (select s.version from proforma_orders s where s.app_id = $1 and s.id = p.id) as seen_version,
    (select json_agg(i order by i.position) from proforma_items i
     where i.app_id = $1 and i.proforma_order_id = p.id) as items,
    (select ${IS_PAYABLE} from orders o where o.app_id = $1 and o.id = p.order_id) as is_order_payable,
    (select json_agg(y order by y.id) from payments y
     where y.app_id = $1 and y.proforma_order_id = p.id) as payments
  from proforma_orders p where p.app_id = $1 and p.id ${ids} order by p.id ${lock}`;

const LOCKS = { none: '', wait: 'for update of p', skip: 'for update of p skip locked' };

/** How proformas are read: as they are, locked, or locked but for those that somebody else has locked. */
export type Locking = keyof typeof LOCKS;

/** Reads the proformas of an app ($1) by their ids ($2). A list of one is planned once, a longer one for each length. */
export function loadStatement(count: number, locking: Locking): string {
  return load(count === 1 ? '= ($2::bigint[])[1]' : '= any($2::bigint[])', LOCKS[locking]);
}

/**
 * Stores a new proforma, and reserves its stock; nothing of it, and it answers no row, when one of the warehouses sells
 * no more. What was read of them before may be as old as the wait for the stock; here they are locked as the foreign
 * keys would lock them anyway, so that whoever switches one off comes before or after.
 */
export const INSERT = `
  with selling as materialized (
    select id from warehouses
    where app_id = $1 and id = any(array(select warehouse_id from json_to_recordset($3) as line (warehouse_id bigint)))
      and sellable and deleted_at is null
    order by id for key share
  ), made as (
    insert into proforma_orders (app_id, ${namesOf(FROZEN)}, ${namesOf(LIVING)})
    select $1, ${namesOf(FROZEN)}, ${namesOf(LIVING)} from json_to_record($2) as r (${FROZEN}, ${LIVING})
    where not exists (
      select 1 from json_to_recordset($3) as line (warehouse_id bigint)
      where line.warehouse_id not in (select id from selling)
    )
    returning id, number
  ), item as (
    insert into proforma_items (app_id, proforma_order_id, ${namesOf(ITEM)})
    select $1, made.id, ${namesOf(ITEM)} from made, json_to_recordset($3) as r (${ITEM})
    returning id, position, product_variant_id, warehouse_id, qty
  ), change as (
    select item.id as line_id, product_variant_id as variant_id, warehouse_id, qty, qty as delta, made.number as reference
    from item, made
  ), used as (
    update order_processings e set consumed_at = $4 from made where e.app_id = $1 and e.id = $5
  ), payment as (
    insert into payments (app_id, proforma_order_id, amount, method, kind, status, paid_at, refunded, voucher_id, inserted_at)
    select $1, made.id, amount, method, kind, status, paid_at, 0, voucher_id, $4
    from made, json_to_recordset($6) as r (${PAYMENT}) order by place
    returning id, voucher_id
  ), held as (
    update vouchers v set held_by = made.id, updated_at = $4 from made, payment
    where v.app_id = $1 and ${among('v.id', 'payment', 'voucher_id')} and v.id = payment.voucher_id
  ), ${bookReservations('change', '$1', '$4')}
  select made.id, (select json_agg(item.id order by item.position) from item) as items,
    (select coalesce(json_agg(payment.id order by payment.id), '[]') from payment) as payments from made`;

/** Which parts of the proformas change beside their own rows. */
export interface ChangedParts {
  readonly lines: boolean;
  readonly payments: boolean;
  readonly stock: boolean;
}

/**
 * Stores changed proformas, and only what else has changed: every table that a statement names costs its start-up,
 * also when there is nothing to write. $1 app, $2 proformas, $3 now; then lines, payments and reservations, those that
 * there are.
 */
export function saveStatement({ lines, payments, stock }: ChangedParts): string {
  let last = 3;
  const next = (): string => `$${(last += 1)}`;
  const parts = [
    `living as (
      select * from json_to_recordset($2) as r (id bigint, ${LIVING})
    ), saved as (
      update proforma_orders p set version = p.version + 1, ${assignments(LIVING)}
      from living r where p.app_id = $1 and ${among('p.id', 'living')} and p.id = r.id
    )`,
    ...(lines ? [savedLines(next())] : []),
    ...(payments ? [savedPayments(next())] : []),
    ...(stock ? [savedReservations(next())] : []),
  ];
  const result = payments
    ? 'select id from added order by id'
    : 'select null::bigint as id where $3::timestamptz is null';
  return `with ${parts.join(', ')} ${result}`;
}

const savedLines = (rows: string): string => `
  line as (
    select * from json_to_recordset(${rows}) as r (id bigint, ${ITEM})
  ), item as (
    update proforma_items i
    set qty_confirmed = r.qty_confirmed, sales = r.sales, discount = r.discount, promotions = r.promotions,
      warehouse_id = r.warehouse_id, warehouse_code = r.warehouse_code
    from line r where i.app_id = $1 and ${among('i.id', 'line')} and i.id = r.id
  )`;

const savedPayments = (rows: string): string => `
  payment as (
    select * from json_to_recordset(${rows}) as r (${PAYMENT})
  ), paid as (
    update payments y set status = r.status, paid_at = r.paid_at, refunded = r.refunded, reference = r.reference,
      attempts = case when y.status = 'pending' then y.attempts else r.attempts end,
      next_attempt_at = case when r.status = 'pending' then coalesce(y.next_attempt_at, r.next_attempt_at) end
    from payment r where y.app_id = $1 and ${among('y.id', 'payment')} and y.id = r.id
  ), added as (
    insert into payments (app_id, proforma_order_id, order_id, amount, method, payment_method_id, kind, status, paid_at,
      refund_of, refunded, reference, voucher_id, attempts, next_attempt_at, inserted_at)
    select $1, proforma_order_id, order_id, amount, method, payment_method_id, kind, status, paid_at, refund_of,
      refunded, reference, voucher_id, attempts, next_attempt_at, $3
    from payment where id = 0 order by place
    returning id
  )`;

const savedReservations = (rows: string): string => `
  change as (
    select "lineId" as line_id, "variantId" as variant_id, "warehouseId" as warehouse_id, qty, delta, reference
    from json_to_recordset(${rows})
      as r ("lineId" bigint, "variantId" bigint, "warehouseId" bigint, qty bigint, delta bigint, reference text)
  ), ${bookReservations('change', '$1', '$3::timestamptz')}`;

/**
 * Due since $1: $2 of an app and $3 in all. Paid ones are looked at once, for their alert; where the app lets them
 * expire as well, they are due again. Apps are taken from their warehouses, without which there is no proforma: a
 * cluster refuses a limit for each row of `apps`, which every node has whole.
 */
export const DUE = `
  /* across apps: proformas that are due */
  select due."appId", due.id, (
    select count(*) from proforma_items i where i.app_id = due."appId" and i.proforma_order_id = due.id
  ) as lines
  from (
    select seller.app_id as "appId", p.id, p.due_at,
      row_number() over (partition by seller.app_id order by p.due_at, p.id) as turn
    from (select distinct app_id from warehouses) seller join apps a on a.id = seller.app_id, lateral (
      (select id, due_at from proforma_orders
       where app_id = seller.app_id and due_at is not null and due_at <= $1 order by due_at limit $2)
      union all
      (select id, expires_at from proforma_orders
       where a.settings @> '{"proforma": {"expire_paid": true}}' and app_id = seller.app_id and due_at is null
         and status_id <= 5 and expires_at <= $1
       order by expires_at limit $2)
    ) p
  ) due where turn <= $2 order by turn, due_at limit $3`;
