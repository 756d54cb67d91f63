import { eventsSql } from '../connection/event-statements.js';
import { among } from '../lists/list-conditions.js';
import { EXPIRING_IDS } from './status-ids.js';
import { IS_CANCELED, IS_PAYABLE } from './converted-orders.js';
import { bookReservationsSql } from '../stock/reservations.js';
import { PAYMENTS } from '../tables/payments.js';
import { PROFORMA_COLUMNS, PROFORMA_ITEMS } from '../tables/proformas.js';

const { frozen: FROZEN_COLUMNS, changing: CHANGING_COLUMNS } = PROFORMA_COLUMNS;
const ITEM_COLUMNS = PROFORMA_ITEMS.columns.except('app_id', 'id', 'proforma_order_id');
const PAYMENT_COLUMNS = PAYMENTS.columns.except('app_id', 'inserted_at');
const INSERTED_PAYMENT_COLUMNS = PAYMENT_COLUMNS.except('id');
const VOUCHER_PAYMENT_COLUMNS = PAYMENT_COLUMNS.pick('amount', 'method', 'kind', 'status', 'paid_at', 'voucher_id');
const CHANGING_ITEM_COLUMNS = ITEM_COLUMNS.pick(
  'qty_confirmed',
  'sales',
  'discount',
  'promotions',
  'warehouse_id',
  'warehouse_code',
);
const CHANGING_PAYMENT_COLUMNS = PAYMENT_COLUMNS.pick('amount', 'status', 'paid_at', 'refunded', 'reference');

/**
 * If the statement waited for the row lock, the row is current, but its items and payments were read before the wait.
 * Then `version` differs from `seen_version`.
 */
const selectProformas = (ids: string, lock: string): string => `
  select p.*,
    (select s.version from proforma_orders s where s.app_id = $1 and s.id = p.id) as seen_version,
    (select json_agg(i order by i.position) from proforma_items i
     where i.app_id = $1 and i.proforma_order_id = p.id) as items,
    (select json_build_object('isOrderPayable', ${IS_PAYABLE}, 'isOrderCanceled', ${IS_CANCELED},
        'orderParts', json_build_object('dataPart', o.data_part, 'timePart', o.time_part))
     from orders o where o.app_id = $1 and o.id = p.order_id) as "order",
    (select json_agg(y order by y.id) from payments y
     where y.app_id = $1 and y.proforma_order_id = p.id) as payments
  from proforma_orders p where p.app_id = $1 and p.id ${ids} order by p.id ${lock}`;

const LOCK_CLAUSES = { none: '', wait: 'for update of p', skip: 'for update of p skip locked' };

export type LockMode = keyof typeof LOCK_CLAUSES;

/** A single id gets its own statement text, so that PostgreSQL keeps a generic plan for it. */
export function loadStatement(count: number, lockMode: LockMode): string {
  return selectProformas(count === 1 ? '= ($2::bigint[])[1]' : '= any($2::bigint[])', LOCK_CLAUSES[lockMode]);
}

const INSERTED_CHANGING_COLUMNS = CHANGING_COLUMNS.names.map((name) =>
  name === 'fees' ? feesWithIds('r.fees') : name,
);

/** Fees take their ids from the series of the items. */
function feesWithIds(fees: string): string {
  return `(
    select coalesce(jsonb_agg(fee || jsonb_build_object('id', nextval('proforma_items_id_seq')) order by position), '[]')
    from jsonb_array_elements(${fees}) with ordinality as entries (fee, position)
  )`;
}

/**
 * Writes and returns nothing when a warehouse is no longer sellable. It may have been switched off while the call
 * waited for the stock, so the statement locks and checks it again. This lock violates the lock order but cannot
 * deadlock; see `SHARE_WAREHOUSES`.
 */
export const INSERT_PROFORMA = `
  with selling as materialized (
    select id from warehouses
    where app_id = $1 and id = any(array(select warehouse_id from json_to_recordset($3) as line (warehouse_id bigint)))
      and sellable and deleted_at is null
    order by id for key share
  ), made as (
    insert into proforma_orders (app_id, ${FROZEN_COLUMNS.list}, ${CHANGING_COLUMNS.list})
    select $1, ${FROZEN_COLUMNS.list}, ${INSERTED_CHANGING_COLUMNS.join(', ')} from json_to_record($2) as r (${FROZEN_COLUMNS.typedList}, ${CHANGING_COLUMNS.typedList})
    where not exists (
      select 1 from json_to_recordset($3) as line (warehouse_id bigint)
      where line.warehouse_id not in (select id from selling)
    )
    returning id, number, fees
  ), item as (
    insert into proforma_items (app_id, proforma_order_id, ${ITEM_COLUMNS.list})
    select $1, made.id, ${ITEM_COLUMNS.list} from made, json_to_recordset($3) as r (${ITEM_COLUMNS.typedList})
    returning id, position, product_variant_id, warehouse_id, qty
  ), change as (
    select item.id as line_id, product_variant_id as variant_id, warehouse_id, qty, qty as delta, made.number as reference
    from item, made
  ), used as (
    update order_processings e set consumed_at = $4 from made where e.app_id = $1 and e.id = $5
  ), payment as (
    insert into payments (app_id, proforma_order_id, ${VOUCHER_PAYMENT_COLUMNS.list}, refunded, inserted_at)
    select $1, made.id, ${VOUCHER_PAYMENT_COLUMNS.list}, 0, $4
    from made, json_to_recordset($6) as r (ordinal int, ${VOUCHER_PAYMENT_COLUMNS.typedList}) order by ordinal
    returning id, voucher_id
  ), held as (
    update vouchers v set held_by = made.id, updated_at = $4 from made, payment
    where v.app_id = $1 and ${among('v.id', 'payment', 'voucher_id')} and v.id = payment.voucher_id
  ), ${eventsSql('$4', '$7', 'made')}, ${bookReservationsSql('change', '$1', '$4')}
  select made.id, made.fees, (select json_agg(item.id order by item.position) from item) as items,
    (select coalesce(json_agg(payment.id order by payment.id), '[]') from payment) as payments from made`;

export interface ChangedParts {
  readonly lines: boolean;
  readonly payments: boolean;
  readonly stock: boolean;
  readonly events: boolean;
}

/**
 * Stores changed proformas: $1 app, $2 proformas, $3 now, then changed lines, payments, reservations and events. Omits
 * unchanged parts, because every table makes the statement slower. Every change of a proforma increases its version.
 */
export function saveStatement({ lines, payments, stock, events }: ChangedParts): string {
  let lastParameter = 3;
  const nextParameter = (): string => `$${(lastParameter += 1)}`;
  const partSql = [
    ...(lines ? [saveLinesSql(nextParameter())] : []),
    ...(payments ? [savePaymentsSql(nextParameter())] : []),
    ...(stock ? [saveReservationsSql(nextParameter())] : []),
    ...(events ? [eventsSql('$3::timestamptz', nextParameter())] : []),
  ];
  const saved = `living as (
      select * from json_to_recordset($2) as r (id bigint, ${CHANGING_COLUMNS.typedList})
    ), saved as (
      update proforma_orders p set version = p.version + 1, ${CHANGING_COLUMNS.setFrom('r')}
      from living r where p.app_id = $1 and ${among('p.id', 'living')} and p.id = r.id
    )`;
  const addedIds = payments ? "(select coalesce(json_agg(id order by id), '[]') from added)" : "'[]'::json";
  return `with ${[saved, ...partSql].join(', ')}
    select ${addedIds} as "addedPayments" where $3::timestamptz is not null`;
}

const saveLinesSql = (rows: string): string => `
  line as (
    select * from json_to_recordset(${rows}) as r (id bigint, ${ITEM_COLUMNS.typedList})
  ), item as (
    update proforma_items i
    set ${CHANGING_ITEM_COLUMNS.setFrom('r')}
    from line r where i.app_id = $1 and ${among('i.id', 'line')} and i.id = r.id
  )`;

const savePaymentsSql = (rows: string): string => `
  payment as (
    select * from json_to_recordset(${rows}) as r (ordinal int, ${PAYMENT_COLUMNS.typedList})
  ), paid as (
    update payments y set ${CHANGING_PAYMENT_COLUMNS.setFrom('r')},
      attempts = case when y.status = 'pending' then y.attempts else r.attempts end,
      next_attempt_at = case when r.status = 'pending' then coalesce(y.next_attempt_at, r.next_attempt_at) end
    from payment r where y.app_id = $1 and ${among('y.id', 'payment')} and y.id = r.id
  ), added as (
    insert into payments (app_id, ${INSERTED_PAYMENT_COLUMNS.list}, inserted_at)
    select $1, ${INSERTED_PAYMENT_COLUMNS.list}, $3
    from payment where id = 0 order by ordinal
    returning id
  )`;

const saveReservationsSql = (rows: string): string => `
  change as (
    select "lineId" as line_id, "variantId" as variant_id, "warehouseId" as warehouse_id, qty, delta, reference
    from json_to_recordset(${rows})
      as r ("lineId" bigint, "variantId" bigint, "warehouseId" bigint, qty bigint, delta bigint, reference text)
  ), ${bookReservationsSql('change', '$1', '$3::timestamptz')}`;

// Parameters: $1 now, $2 maximum per app, $3 maximum overall.
export const FIND_DUE_PROFORMAS = `
  /* across apps: due proformas */
  select due."appId", due.id, (
    select count(*) from proforma_items i where i.app_id = due."appId" and i.proforma_order_id = due.id
  ) as lines
  from (
    select seller.app_id as "appId", p.id, p.due_at,
      row_number() over (partition by seller.app_id order by p.due_at, p.id) as turn
    from app_settings seller, lateral (
      (select id, due_at from proforma_orders
       where app_id = seller.app_id and due_at is not null and due_at <= $1 order by due_at limit $2)
      union all
      (select id, expires_at from proforma_orders
       where seller.settings @> '{"proforma": {"expire_paid": true}}' and app_id = seller.app_id and due_at is null
         and status_id in (${EXPIRING_IDS}) and expires_at <= $1
       order by expires_at limit $2)
    ) p
  ) due where turn <= $2 order by turn, due_at limit $3`;
