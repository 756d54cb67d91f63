import { FLOOR_CATALOGUE } from './catalogue-floor.query.js';
import { FLOOR_LIFECYCLE_IDS } from './floor-statements.query.js';

/**
 * The statements of a bare server for a shop: what an engineer would write for one call, without any statement of the
 * service. $1 is the app.
 */
export const SHOP_FLOOR: Readonly<Record<string, string>> = {
  ...FLOOR_LIFECYCLE_IDS,
  lookUp: `
    select p.id, p.code, p.name, p.price, p.vat_rate, p.updated_at, v.id as variant_id, v.barcode,
      (select json_agg(json_build_object('warehouse_id', warehouse_id, 'on_hand', on_hand, 'reserved', reserved))
        from stocks s where s.app_id = $1 and s.product_variant_id = v.id) as stock
    from product_variants v join products p on p.app_id = v.app_id and p.id = v.product_id
    where v.app_id = $1 and v.code = $2`,
  firstPage: `
    select coalesce(json_agg(row), '[]')::text as data from (
      select id, number, status_id, customer_id, customer_email, customer_first_name, customer_last_name, currency,
        sales, discount, net_sales, vat, end_sales, paid, debt, order_id, tags, processing_date, expires_at,
        canceled_at, inserted_at, updated_at
      from proforma_orders where app_id = $1 order by inserted_at desc, id desc limit 30
    ) as row`,
  created: FLOOR_CATALOGUE['created'] ?? '',
  updated: FLOOR_CATALOGUE['updated'] ?? '',
  stocks: FLOOR_CATALOGUE['stocks'] ?? '',
};
