import { DEFAULT_EVALUATION_RETENTION_DAYS } from '@back-office/apps';
import type { CustomerIdentifier } from '@back-office/kernel';
import { anyOf } from '../lists/list-conditions.js';
import { CURRENCY_OF_APP } from '../apps/app-currency.js';
import { customerCondition } from '../customers/customer-condition.js';
import { looseCodeSql, trimSql } from '../migrations/0035-loose-voucher-codes.js';
import { placeholders } from '../lists/placeholders.js';
import { EVALUATIONS } from '../tables/evaluations.js';

const availableAmountSql = (customerId: string, now: string): string => `
  case when v.active and v.held_by is null and (v.customer_id is null or v.customer_id = ${customerId})
      and coalesce(v.valid_from <= ${now}, true) and coalesce(v.valid_until >= ${now}, true)
    then v.amount - v.spent else 0 end`;

export interface BasketIds {
  readonly codes: readonly string[];
  readonly barcodes: readonly string[];
  readonly externalRefs: readonly string[];
  readonly variantIds: readonly number[];
  readonly customer: CustomerIdentifier | null;
  readonly warehouseCode: string | null;
  readonly shipmentMethodCode: string | null;
  readonly coupons: readonly string[];
  readonly vouchers: readonly string[];
}

/** Omits tables that the basket does not need, because every table makes the statement slower. */
export function lookUpStatement(appId: number, basket: BasketIds, now: Date): { text: string; values: unknown[] } {
  const values: unknown[] = [appId];
  const value = placeholders(values);
  const list = (items: readonly unknown[], type: string): string => `${value(items)}::${type}[]`;
  const moment = value(now);
  const { codes, barcodes, externalRefs, variantIds, customer, warehouseCode, shipmentMethodCode, vouchers } = basket;
  const variantConditions = [
    ...(codes.length > 0 ? [`v.code = ${anyOf(list(codes, 'text'))}`] : []),
    ...(barcodes.length > 0 ? [`v.barcode = ${anyOf(list(barcodes, 'text'))}`] : []),
    ...(externalRefs.length > 0 ? [`v.external_ref = ${anyOf(list(externalRefs, 'text'))}`] : []),
    ...(variantIds.length > 0 ? [`v.id = ${anyOf(list(variantIds, 'bigint'))}`] : []),
  ];
  const text = `
  with customer as (
    select c.id, json_build_object('id', c.id, 'dataPart', c.data_part, 'timePart', c.time_part, 'email', c.email,
      'firstName', c.first_name, 'lastName', c.last_name, 'phone', c.phone) as buyer
    from customers c where c.app_id = $1 and ${customer === null ? 'false' : customerCondition(customer, value)}
  ), variant as materialized (
    select v.id, v.product_id, v.code, v.barcode, v.external_ref, v.price, v.vat_rate
    from product_variants v where v.app_id = $1 and (${variantConditions.join(' or ') || 'false'})
  )
  select ${CURRENCY_OF_APP} as currency,
    (select coalesce(json_agg(json_build_object(
      'id', v.id, 'productId', p.id, 'code', v.code, 'barcode', v.barcode, 'external_ref', v.external_ref,
      'name', p.name, 'price', coalesce(v.price, p.price), 'vatRate', coalesce(v.vat_rate, p.vat_rate),
      'active', p.active)), '[]')
     from variant v join products p on p.app_id = $1 and p.id = v.product_id) as variants,
    (select buyer from customer) as customer,
    ${warehouseCode === null ? 'null' : warehouseSql(value(warehouseCode))} as warehouse_id,
    ${shipmentMethodCode === null ? 'null' : shipmentSql(value(shipmentMethodCode))} as shipment,
    (select coalesce(json_agg(json_build_object('code', code, 'name', name, 'kind', kind, 'value', value,
      'buyQty', coalesce(buy_qty, 0), 'getQty', coalesce(get_qty, 0), 'variantCodes', ${CONCERNED_CODES},
      'minQty', min_qty, 'minAmount', min_amount, 'couponCode', coupon_code, 'validFrom', valid_from,
      'validUntil', valid_until, 'priority', priority, 'active', active)), '[]')
     from promotions where app_id = $1 and active and coalesce(valid_from <= ${moment}, true)
       and coalesce(valid_until >= ${moment}, true)
       and (coupon_code is null or ${hasLooseCode('coupon_code', list(basket.coupons, 'text'))})) as rules,
    ${vouchers.length === 0 ? "'[]'::json" : vouchersSql(list(vouchers, 'text'), moment)} as vouchers`;
  return { text, values };
}

/**
 * Codes of the promotion that are in the basket. If there are none, returns its first code, because an empty list would
 * mean every variant.
 */
const CONCERNED_CODES = `
      case when cardinality(variant_codes) = 0 then '[]' else coalesce(
        (select json_agg(listed.code) from (select ${trimSql('sent')} as code from unnest(variant_codes) as sent) listed
         where listed.code in (select code from variant)),
        to_json(variant_codes[1:1])) end`;
const warehouseSql = (code: string): string =>
  `(select id from warehouses where app_id = $1 and code = ${code} and deleted_at is null)`;
const shipmentSql = (code: string): string => `
    (select json_build_object('name', name, 'price', price, 'vatRate', vat_rate, 'freeFrom', free_from)
     from shipment_methods where app_id = $1 and code = ${code})`;
const vouchersSql = (codes: string, now: string): string => `
    (select coalesce(json_agg(json_build_object('id', v.id, 'code', v.code,
      'available', ${availableAmountSql('(select id from customer)', now)})), '[]')
     from vouchers v where v.app_id = $1 and ${hasLooseCode('v.code', codes)})`;
/** Includes exact matches. */
const hasLooseCode = (column: string, codes: string): string =>
  `${looseCodeSql(column)} = any(array(select ${looseCodeSql('sent')} from unnest(${codes}) as sent))`;

const INSERTED_COLUMNS = EVALUATIONS.columns.except('app_id', 'id', 'consumed_at');

export const INSERT_EVALUATION = `
  insert into order_processings (app_id, ${INSERTED_COLUMNS.list})
  select $1, ${INSERTED_COLUMNS.list} from json_to_record($2) as r (${INSERTED_COLUMNS.typedList}) returning id`;

export const FIND_EVALUATION = `select * from order_processings where app_id = $1 and id = $2`;

const REMOVED_AT_ONCE = 5_000;

export const FIND_UNUSED = `
  /* across apps: evaluations that became no proforma */
  select "appId", array_agg(id) as ids from (
    select e.app_id as "appId", e.id from app_settings a join order_processings e on e.app_id = a.app_id
      and e.consumed_at is null and e.inserted_at < $1::timestamptz - make_interval(
        days => coalesce((a.settings -> 'evaluation' ->> 'retention_days')::int, ${DEFAULT_EVALUATION_RETENTION_DAYS}))
    limit ${REMOVED_AT_ONCE}
  ) as unused group by "appId"`;

export const REMOVE_UNUSED = `
  with removed as (
    select id from order_processings
    where app_id = $1 and id = any($2) and consumed_at is null order by id for update skip locked
  )
  delete from order_processings where app_id = $1 and id in (select id from removed) returning id`;

export const LOCK_FACTS = `
  with evaluation as materialized (
    select * from order_processings where app_id = $1 and id = $2 for update
  ), wanted as materialized (
    select distinct (line ->> 'variantId')::bigint as variant_id from evaluation, jsonb_array_elements(items) as line
  ), voucher as materialized (
    select v.id, v.code, ${availableAmountSql('(select customer_id from evaluation)', '$3')} as available,
      (offered.voucher ->> 'amount')::bigint as amount, offered.ordinal
    from evaluation, jsonb_array_elements(evaluation.vouchers) with ordinality as offered (voucher, ordinal)
    join vouchers v on v.app_id = $1 and v.id = (offered.voucher ->> 'id')::bigint
    order by v.id for update of v
  ), stock as materialized (
    select s.product_variant_id, s.warehouse_id, w.code, s.on_hand, s.reserved
    from stocks s join warehouses w on w.app_id = $1 and w.id = s.warehouse_id
    where s.app_id = $1 and s.product_variant_id in (select variant_id from wanted)
      and w.sellable and w.deleted_at is null
      and s.warehouse_id = coalesce((select warehouse_id from evaluation), s.warehouse_id)
      and (select count(*) from voucher) >= 0 -- locks vouchers before stock
    order by s.product_variant_id, s.warehouse_id for update of s
  )
  select evaluation.*, (
    select coalesce(json_agg(json_build_object('variantId', product_variant_id, 'warehouseId', warehouse_id,
      'warehouseCode', code, 'onHand', on_hand, 'reserved', reserved)), '[]') from stock
  ) as stock, (
    select coalesce(json_agg(json_build_object('id', id, 'code', code, 'available', available, 'amount', amount)
      order by ordinal), '[]')
    from voucher
  ) as vouchers_now, coalesce((
    select case
      when evaluation.pickup_point_code is null then case when m.requires_pickup_point then 'missing' else 'not needed' end
      when not m.requires_pickup_point and m.pickup_points = '[]' then 'not needed'
      when exists (select 1 from jsonb_array_elements(m.pickup_points) as p
        where p ->> 'code' = evaluation.pickup_point_code and (p ->> 'available')::boolean) then 'available'
      else 'unavailable' end
    from shipment_methods m where m.app_id = $1 and m.code = evaluation.shipment_method_code
  ), 'not needed') as pickup_point from evaluation`;

// Distinguishes an evaluation of another app from one that does not exist. While a node of a cluster is down, the
// evaluations of its apps do not exist.
export const EXISTS_ANYWHERE = `
  /* across apps: evaluations of another app */
  select 1 from order_processings where id = $1`;
