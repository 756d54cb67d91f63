import { OPEN_IDS } from '../proformas/status-ids.js';

export const LOCK_EVALUATIONS = `
  select id from order_processings where app_id = $1 and customer_id = $2 order by id for update`;
export const LOCK_PROFORMAS = `
  select id, inserted_at as "insertedAt", status_id in (${OPEN_IDS}) as "isOpen" from proforma_orders
  where app_id = $1 and customer_id = $2 order by id for update`;
export const LOCK_ORDERS = `
  select id, inserted_at as "insertedAt" from orders where app_id = $1 and customer_id = $2 order by id for update`;
export const LOCK_CUSTOMER = `
  select id, email, first_name, last_name, phone from customers where app_id = $1 and id = $2 for update`;
export const LOCK_CARDS = `select id from cards where app_id = $1 and customer_id = $2 order by id for update`;

export const FIND_FIRST_ERASURE = `
  select min(at) as at from audit_log where app_id = $1 and action = 'customer.erase' and subject_id = $2`;

export const FIND_PENDING_PAYMENTS = `
  select 1 from payments where app_id = $1 and status = 'pending'
    and (proforma_order_id = any($2::bigint[]) or order_id = any($3::bigint[])) limit 1`;

export const REMOVE_EVALUATIONS = `
  delete from order_processings where app_id = $1 and id = any($2::bigint[]) and consumed_at is null`;

export const BLANK_EVALUATIONS = `
  update order_processings set delivery = null, comment = null, tags = '{}',
    buyer = buyer || '{"email": null, "firstName": null, "lastName": null, "phone": null}'
  where app_id = $1 and id = any($2::bigint[])`;

// Condition that a text contains one of the customer's texts ($4). Other free texts are kept, because most of them are
// numbers of other systems.
const containsAny = (text: string): string =>
  `exists (select from unnest($4::text[]) as personal where position(personal in lower(${text})) > 0)`;
const withoutReferences = (list: string, path: string): string => `
  coalesce((
    select jsonb_agg(case when ${containsAny(`entry #>> '${path}'`)} then jsonb_set(entry, '${path}', 'null')
      else entry end order by position)
    from jsonb_array_elements(${list}) with ordinality as entries (entry, position)
  ), ${list})`;

const withoutPayers = (list: string): string => `
  coalesce((
    select jsonb_agg(entry || '{"payer": null}' order by position)
    from jsonb_array_elements(${list}) with ordinality as entries (entry, position)
  ), ${list})`;

export const BLANK_PROFORMAS = `
  update proforma_orders set customer_email = null, customer_first_name = null, customer_last_name = null,
    customer_phone = null, delivery = null, comment = null, tags = '{}', cancel_reason = null,
    alerts = ${withoutReferences('alerts', '{details,reference}')},
    payments_at_conversion = ${withoutPayers(withoutReferences('payments_at_conversion', '{reference}'))},
    version = version + 1, updated_at = $3
  where app_id = $1 and id = any($2::bigint[])`;

export const BLANK_ORDERS = `
  update orders set customer_email = null, customer_first_name = null, customer_last_name = null,
    customer_phone = null, delivery = null, comment = null, tags = '{}', tracking = '[]',
    external_ref = case when ${containsAny('external_ref')} then null else external_ref end, updated_at = $3
  where app_id = $1 and id = any($2::bigint[])`;

export const BLANK_PAYMENTS = `
  update payments set payer = null, reference = case when ${containsAny('reference')} then null else reference end
  where app_id = $1 and (proforma_order_id = any($2::bigint[]) or order_id = any($3::bigint[]))
    and (payer is not null or ${containsAny('reference')})`;

export const RELEASE_CARDS = `
  update cards set customer_id = null, external_ref = null, updated_at = $3 where app_id = $1 and id = any($2::bigint[])`;

export const BLANK_CUSTOMER_ROW = `
  update customers set email = $4, external_ref = null, first_name = '', last_name = '', phone = null,
    viber_subscribed = false, preferred_notification_channel_id = null, updated_at = $3
  where app_id = $1 and id = $2 and email <> $4`;

export const REMOVE_VISITS = 'delete from customer_attendances where app_id = $1 and customer_id = $2';
export const REMOVE_DEVICES = 'delete from notification_devices where app_id = $1 and customer_id = $2';

// A statement of its own: beside another table, a cluster would remove the sessions from only one copy of the table.
export const REMOVE_SESSIONS = `
  delete from access_tokens where app_id = $1 and customer_id = $2 and kind = 'session' returning id`;

export const REMOVE_ANSWERS_OF_SESSIONS =
  'delete from idempotency_keys where app_id = $1 and access_token_id = any($2::bigint[])';

export const ERASE_ANSWERS = `
  update idempotency_keys set status = $3, headers = '{}', body = convert_to($4, 'UTF8'), outcome = null
  where app_id = $1 and exists (
    select from unnest($2::text[]) as mark
    where position(convert_to(mark, 'UTF8') in coalesce(body, outcome)) > 0
  )`;
