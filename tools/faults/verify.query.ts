import { OPEN_STATUSES, statusId } from '@back-office/proforma';

/** Proformas with their orders and payments. */
export const PROFORMAS = `
  select p.id, p.number, p.order_id as "order", count(y.id)::int as payments,
    coalesce(sum(y.amount) filter (where y.amount > 0 and y.status = 'settled'), 0)::int as received,
    p.warehouse_confirmed_at is not null as "isConfirmed", p.canceled_at is not null as "isCanceled"
  from proforma_orders p
  left join payments y on y.app_id = p.app_id and (y.proforma_order_id = p.id or y.order_id = p.order_id)
  where p.app_id = $1 group by p.app_id, p.id`;

export const COUNTED_PIECES = `
  select coalesce(sum(s.on_hand), 0)::bigint as "onHand"
  from stocks s join product_variants v on v.app_id = s.app_id and v.id = s.product_variant_id
  where s.app_id = $1 and v.code = $2`;

export const COUNTED_CUSTOMERS = 'select count(*)::int as count from customers where app_id = $1';

/** Orders of other systems. */
export const COUNTED_ORDERS =
  'select count(*)::int as count from orders where app_id = $1 and proforma_order_id is null';

/** Counts the refunds that the payment service has refused. */
export const REFUSED_REFUNDS = `select count(*)::int as count from payments where status = 'refund_failed'`;

/** Counts transactions that are idle for 400 ms, which is longer than any decision of the service takes. */
export const OPEN_TRANSACTIONS = `
  select count(*)::int as count from pg_stat_activity
  where datname = current_database() and state = 'idle in transaction' and state_change < now() - interval '400 ms'`;

/** Counts the statements that wait for a lock on table $1. */
export const LOCK_WAITERS = `
  select count(*)::int as count from pg_locks
  where not granted and relation = $1::regclass
    and database = (select oid from pg_database where datname = current_database())`;

/** A backend of the database, preferably a busy one. */
export const BACKEND_PID = `
  select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
  order by (state = 'idle')::int, pid limit 1`;

export const REFUNDED_AMOUNT = `
  select coalesce(-sum(amount), 0)::bigint as amount from payments where refund_of is not null and status = 'refunded'`;

export const OVERSOLD = `
  select v.code, s.on_hand, s.reserved
  from stocks s join product_variants v on v.app_id = s.app_id and v.id = s.product_variant_id
  where s.reserved > s.on_hand`;

/** Number of consent changes and last state of each channel, for app $1. */
export const CONSENTS = `
  select channel, count(*)::int as changes, (array_agg(to_state order by step desc))[1] as state
  from customer_consent_changes where app_id = $1 group by channel`;

export const OVERPAID = `
  select id, paid, end_sales from proforma_orders where paid > end_sales and status_id in (${OPEN_STATUSES.map(statusId).join(', ')})`;

export const PENDING_WORK = `
  select (select count(*) from payments where status = 'pending' and amount < 0)
    + (select count(*) from cdn_files where processing = 'pending' and state <> 'receiving')
    + (select count(*) from webhook_deliveries where status = 'pending')
    + (select count(*) from events v join webhook_endpoints e on e.app_id = v.app_id where v.position > e.position)
    + (select count(*) from unplaced_events u join webhook_endpoints e on e.app_id = u.app_id) as pending`;

export const END_LEASES = 'update idempotency_keys set leased_until = now() where status is null';

/** Makes pending refunds, jobs and webhook deliveries due. */
export const MAKE_DUE = [
  `update payments set next_attempt_at = now() where status = 'pending' and amount < 0`,
  `select graphile_worker.reschedule_jobs(array_agg(id), run_at => now()) from graphile_worker.jobs
   where locked_by is null and run_at > now() having count(*) > 0`,
  `update webhook_deliveries set next_attempt_at = now() where status = 'pending' and next_attempt_at > now()`,
  'update webhook_endpoints set retry_at = null where retry_at > now()',
];

/** Inserts the receipt of an interrupted upload whose content has the key $2. */
export const INTERRUPTED_UPLOAD = `
  insert into cdn_files (app_id, state, content, last_modified, inserted_at) values ($1, 'receiving', $2, now(), now())`;

/** Events of app $1 after position $2, each with the subject that the API shows. */
export const DELIVERED_EVENTS = `
  select id::text, concat_ws('/', type, record_id, warehouse_id) as subject from events
  where app_id = $1 and position > $2 order by id`;

export const ENDPOINT_POSITION = 'select position from webhook_endpoints where app_id = $1';
