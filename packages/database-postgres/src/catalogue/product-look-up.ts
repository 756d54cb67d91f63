import { PRODUCT_FIELDS, type LookUp, type ProductLookUp } from '@back-office/catalogue';
import type { Postgres } from '../connection/postgres.js';
import { dateTimeSql, moneySql } from '../lists/json-sql.js';
import { outerApp } from '../connection/outer-app.js';

export const LOOK_UP_IDS: Readonly<Record<LookUp, (value: string) => string>> = {
  id: (value) => `select id from products where app_id = $1 and id = ${value}::bigint`,
  slug: (value) => `select id from products where app_id = $1 and slug = ${value}`,
  code: (value) => `select id from (
      select id, 1 as kind, (code = ${value}) as exact from products
      where app_id = $1 and lower(btrim(code)) = lower(btrim(${value}))
      union all
      select product_id, 2, (code = ${value}) from product_variants
      where app_id = $1 and lower(code) = lower(btrim(${value}))
    ) as candidate order by exact desc, kind, id`,
  barcode: (value) => `select id from (
      select product_id as id, 1 as kind, (barcode = ${value}) as exact from product_variants
      where app_id = $1 and lower(barcode) = lower(btrim(${value}))
      union all
      select id, 2, (barcode = ${value}) from products where app_id = $1 and lower(barcode) = lower(btrim(${value}))
    ) as candidate order by kind, exact desc, id`,
};

const imagesSql = (condition: string): string => `(
    select coalesce(json_agg(json_build_object('image_url', i.image_url, 'alt', i.alt) order by i.id), '[]')
    from product_images i where ${condition}
  )`;

const IMAGES = imagesSql(`i.app_id = ${outerApp('p')} and i.product_id = p.id and i.product_variant_id is null`);
const VARIANT_IMAGES = imagesSql(`i.app_id = ${outerApp('v')} and i.product_variant_id = v.id`);

const ATTRIBUTES = `(
    select coalesce(json_agg(json_build_object(
      'external_ref', d.external_ref, 'code', d.code, 'name', d.name, 'value', a.value
    ) order by d.id), '[]')
    from product_attributes a
    join product_attribute_defs d on d.app_id = ${outerApp('p')} and d.id = a.product_attribute_def_id
    where a.app_id = ${outerApp('p')} and a.product_id = p.id
  )`;

const VARIANTS = (decimals: string): string => `(
    select coalesce(json_agg(json_build_object(
      'id', v.id, 'code', v.code, 'barcode', v.barcode, 'external_ref', v.external_ref, 'name', v.name,
      'price', ${moneySql('coalesce(v.price, p.price)', decimals)}, 'images', ${VARIANT_IMAGES},
      'stock', (
        select json_build_object(
          'on_hand', coalesce(sum(on_hand), 0), 'reserved', coalesce(sum(reserved), 0),
          'available', coalesce(sum(greatest(on_hand - reserved, 0)) filter (where w.sellable), 0)
        ) from stocks k join warehouses w on w.app_id = ${outerApp('v')} and w.id = k.warehouse_id
        where k.app_id = ${outerApp('v')} and k.product_variant_id = v.id
      )
    ) order by v.id), '[]')
    from product_variants v where v.app_id = ${outerApp('p')} and v.product_id = p.id
  )`;

export function productJson(decimals: string): string {
  const computedFields: Partial<Record<(typeof PRODUCT_FIELDS)[number], string>> = {
    vat_rate: 'trim_scale(p.vat_rate / 100.0)',
    price: moneySql('p.price', decimals),
    lowest_price: moneySql('p.lowest_price', decimals),
    sales_quantity: `coalesce((select quantity from product_sales s where s.app_id = ${outerApp('p')} and s.product_id = p.id), 0)`,
    images: IMAGES,
    attributes: ATTRIBUTES,
    variants: VARIANTS(decimals),
    inserted_at: dateTimeSql('p.inserted_at'),
    updated_at: dateTimeSql('p.updated_at'),
  };
  const jsonFields = PRODUCT_FIELDS.map((name) => `'${name}', ${computedFields[name] ?? `p.${name}`}`);
  return `json_build_object(${jsonFields.join(', ')})`;
}

const findProductSql = (by: LookUp): string => `
  select ${productJson('$3')}::text as data from products p
  where p.app_id = $1 and p.id = (${LOOK_UP_IDS[by]('$2')} limit 1)`;

const FIND_PRODUCT: Readonly<Record<LookUp, string>> = {
  id: findProductSql('id'),
  slug: findProductSql('slug'),
  code: findProductSql('code'),
  barcode: findProductSql('barcode'),
};

export function productLookUpStatement(appId: number, decimals: number, { by, value }: ProductLookUp) {
  return { text: FIND_PRODUCT[by], values: [appId, value, decimals] };
}

export async function findProductJson(
  database: Postgres,
  appId: number,
  decimals: number,
  lookUp: ProductLookUp,
): Promise<string | undefined> {
  const { text, values } = productLookUpStatement(appId, decimals, lookUp);
  const [row] = await database.rows<{ data: string }>(text, values);
  return row?.data;
}

const FIND_PRODUCTS_BY_ID = `
  select p.id, ${productJson('$3')} as data from products p where p.app_id = $1 and p.id = any($2::bigint[])`;

export async function findProducts(
  database: Postgres,
  appId: number,
  decimals: number,
  ids: readonly number[],
): Promise<Map<number, object>> {
  const rows = await database.rows<{ id: number; data: object }>(FIND_PRODUCTS_BY_ID, [appId, ids, decimals]);
  return new Map(rows.map(({ id, data }) => [id, data]));
}
