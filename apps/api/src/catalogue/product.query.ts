import type { Database } from '../database/database.js';
import { dateTimeSql, moneySql } from '../database/json-sql.js';

/** What a look-up may name a product by. `code` and `barcode` ignore case and surrounding spaces. */
export type LookUp = 'code' | 'barcode' | 'slug' | 'id';

/** An exact code goes before one that differs in case, a product's before a variant's. */
const PRODUCT_ID_BY: Readonly<Record<LookUp, string>> = {
  id: 'select id from products where app_id = $1 and id = $2::bigint',
  slug: 'select id from products where app_id = $1 and slug = $2',
  code: `select id from (
      select id, 1 as kind, (code = $2) as exact from products
      where app_id = $1 and lower(btrim(code)) = lower(btrim($2))
      union all
      select product_id, 2, (code = $2) from product_variants where app_id = $1 and lower(code) = lower(btrim($2))
    ) as candidate order by exact desc, kind, id limit 1`,
  barcode: `select product_id as id from product_variants
    where app_id = $1 and lower(barcode) = lower(btrim($2)) order by (barcode = $2) desc, product_id limit 1`,
};

const MONEY = (column: string) => moneySql(column, '$3');

const PRODUCT_JSON = `json_build_object(
  'id', p.id, 'code', p.code, 'name', p.name, 'slug', p.slug, 'description', p.description,
  'vat_rate', trim_scale(p.vat_rate / 100.0), 'price', ${MONEY('p.price')}, 'lowest_price', ${MONEY('p.lowest_price')},
  'active', p.active,
  'sales_quantity', coalesce((select quantity from product_sales s where s.app_id = $1 and s.product_id = p.id), 0),
  'images', (
    select coalesce(json_agg(json_build_object('image_url', i.image_url, 'alt', i.alt) order by i.id), '[]')
    from product_images i where i.app_id = $1 and i.product_id = p.id
  ),
  'variants', (
    select coalesce(json_agg(json_build_object(
      'id', v.id, 'code', v.code, 'barcode', v.barcode, 'external_ref', v.external_ref, 'name', v.name,
      'price', ${MONEY('coalesce(v.price, p.price)')},
      'stock', (
        select json_build_object(
          'on_hand', coalesce(sum(on_hand), 0), 'reserved', coalesce(sum(reserved), 0),
          'available', coalesce(sum(greatest(on_hand - reserved, 0)) filter (where w.sellable), 0)
        ) from stocks k join warehouses w on w.app_id = $1 and w.id = k.warehouse_id
        where k.app_id = $1 and k.product_variant_id = v.id
      )
    ) order by v.id), '[]')
    from product_variants v where v.app_id = $1 and v.product_id = p.id
  ),
  'inserted_at', ${dateTimeSql('p.inserted_at')}, 'updated_at', ${dateTimeSql('p.updated_at')}
)`;

/** One product as JSON text; `undefined` when the look-up finds none. */
export async function findProductJson(
  database: Database,
  appId: number,
  decimals: number,
  by: LookUp,
  value: string,
): Promise<string | undefined> {
  const [found] = await database.rows<{ product: string }>(
    `select ${PRODUCT_JSON}::text as product from products p where p.app_id = $1 and p.id = (${PRODUCT_ID_BY[by]})`,
    [appId, value, decimals],
  );
  return found?.product;
}
