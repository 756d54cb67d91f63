import { RECORD_USAGES } from '../media/index.js';

// Without row locks: whoever writes products has waited for the turn of its app.
export const FIND_PRODUCTS = `
  select id, code, external_ref, slug, name, description, price, vat_rate, active from products
  where app_id = $1
    and (id = any($2::bigint[]) or code = any($3::text[]) or external_ref = any($4::text[]) or slug = any($5::text[]))
  order by id`;

export const FIND_VARIANTS = `
  select id, product_id, code, barcode, external_ref, name, price, vat_rate from product_variants
  where app_id = $1 and (code = any($2::text[]) or barcode = any($3::text[]) or external_ref = any($4::text[]))
  order by id`;

const PRODUCT = `
  (place int, id bigint, code text, slug text, name text, search_name text, description text, price bigint, vat_rate int,
    active bool, lowest_price bigint, search_codes text)`;

// What follows from a product's variants comes with it, so that each row and its indexes are written once.
export const UPDATE_PRODUCTS = `
  with wanted as (
    select row.*, concat_ws(' ', row.search_name, lower(row.code), v.codes) as search_all,
      case when v.least is null then row.price when v.inherits then least(v.least, row.price) else v.least end as lowest
    from json_to_recordset($2) as row ${PRODUCT}
    left join (
      select product_id, min(price) as least, bool_or(price is null) as inherits,
        string_agg(concat_ws(' ', lower(code), lower(barcode)), ' ' order by id) as codes
      from product_variants where app_id = $1 and product_id = any($4::bigint[]) group by product_id
    ) as v on v.product_id = row.id
  )
  update products p
  set code = w.code, slug = w.slug, name = w.name, search_name = w.search_name, description = w.description,
    price = w.price, vat_rate = w.vat_rate, active = w.active, lowest_price = w.lowest, search_all = w.search_all,
    updated_at = $3
  from wanted w
  where p.app_id = $1 and p.id = w.id and p.id = any($4::bigint[])`;

export const INSERT_PRODUCTS = `
  insert into products (app_id, code, slug, name, search_name, description, price, vat_rate, active, lowest_price,
    search_all, inserted_at, updated_at)
  select $1, code, slug, name, search_name, description, price, vat_rate, active, lowest_price,
    concat_ws(' ', search_name, lower(search_codes)), $3, $3
  from json_to_recordset($2) as row ${PRODUCT} order by place
  returning id, code`;

const VARIANT = `
  (place int, id bigint, product_id bigint, code text, barcode text, external_ref text, name text, price bigint, vat_rate int)`;

export const UPDATE_VARIANTS = `
  update product_variants v
  set code = row.code, barcode = row.barcode, external_ref = row.external_ref, name = row.name, price = row.price,
      vat_rate = row.vat_rate, updated_at = $3
  from json_to_recordset($2) as row ${VARIANT}
  where v.app_id = $1 and v.id = row.id and v.id = any($4::bigint[])`;

export const INSERT_VARIANTS = `
  insert into product_variants
    (app_id, product_id, code, barcode, external_ref, name, price, vat_rate, inserted_at, updated_at)
  select $1, product_id, code, barcode, external_ref, name, price, vat_rate, $3, $3
  from json_to_recordset($2) as row ${VARIANT} order by place
  returning id, code`;

export const ADD_IMAGES = `
  with image as (
    select * from json_to_recordset($2)
      as row (place int, product_id bigint, variant_id bigint, image_url text, alt text, key text)
  ), images as (
    insert into product_images (app_id, product_id, product_variant_id, image_url, alt, inserted_at)
    select $1, product_id, variant_id, image_url, alt, $3 from image order by place
  ), usages as (
    ${RECORD_USAGES}
    select $1, key, case when variant_id is null then 'product' else 'product_variant' end,
      coalesce(variant_id, product_id)::text, 'images', null, image_url, $3
    from image where key is not null order by place
  )
  select`;
