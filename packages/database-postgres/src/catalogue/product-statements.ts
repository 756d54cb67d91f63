import { FIXED_PLAN } from '../connection/prepared-statements.js';
import { RECORD_USAGES } from '../media/usages/record-usages.js';
import { PRODUCT_IMAGES, PRODUCTS, VARIANTS } from '../tables/products.js';

export const PRODUCT_COLUMNS = PRODUCTS.columns.except(
  'app_id',
  'id',
  'external_ref',
  'search_name',
  'search_all',
  'lowest_price',
  'inserted_at',
  'updated_at',
);
// Columns that `PRODUCT_COLUMNS` omits although the statements below write them.
const OTHER_COLUMNS = PRODUCTS.columns.pick('external_ref', 'search_name');
export const VARIANT_COLUMNS = VARIANTS.columns.except('app_id', 'id', 'product_id', 'inserted_at', 'updated_at');
const IMAGE_COLUMNS = PRODUCT_IMAGES.columns.pick('product_id', 'product_variant_id', 'image_url', 'alt');

// Locks no rows, because callers first send the bulk lock of the app's products.
export const FIND_PRODUCTS = `
  select id, external_ref, ${PRODUCT_COLUMNS.list} from products
  where app_id = $1
    and (id = any($2::bigint[]) or code = any($3::text[]) or external_ref = any($4::text[])
      or slug = any($5::text[]) or barcode = any($6::text[]))
  order by id`;

export const FIND_PRODUCTS_BY_SLUG = `
  select id, external_ref, ${PRODUCT_COLUMNS.list} from products
  where app_id = $1 and slug = any($2::text[])
  order by id`;

export const FIND_VARIANTS = `
  select id, product_id, ${VARIANT_COLUMNS.list} from product_variants
  where app_id = $1 and (code = any($2::text[]) or barcode = any($3::text[]) or external_ref = any($4::text[]))
  order by id`;

const PRODUCT_ROW = `
  (id bigint, ${PRODUCT_COLUMNS.typedList}, ${OTHER_COLUMNS.typedList}, lowest_price bigint, search_codes text)`;

// Updates products and, in the same write, their columns derived from variants, so that each row and its indexes are
// written only once.
export const UPDATE_PRODUCTS = `
  with wanted as (
    select row.*, concat_ws(' ', row.search_name, lower(row.code), lower(row.barcode), v.codes) as search_all,
      case when v.least is null then row.price when v.inherits then least(v.least, row.price) else v.least end as lowest
    from json_to_recordset($2) as row ${PRODUCT_ROW}
    left join (
      select product_id, min(price) as least, bool_or(price is null) as inherits,
        string_agg(nullif(concat_ws(' ', lower(code), lower(barcode)), ''), ' ' order by id) as codes
      from product_variants where app_id = $1 and product_id = any($4::bigint[]) group by product_id
    ) as v on v.product_id = row.id
  )
  update products p
  set ${PRODUCT_COLUMNS.setFrom('w')}, ${OTHER_COLUMNS.setFrom('w')}, lowest_price = w.lowest,
    search_all = w.search_all, updated_at = $3
  from wanted w
  where p.app_id = $1 and p.id = w.id and p.id = any($4::bigint[])`;

// Reserves the ids of $1 products and $2 variants, so that their inserts do not wait for each other.
export const RESERVE_IDS = `${FIXED_PLAN}
  select
    (select coalesce(json_agg(nextval('products_id_seq')), '[]') from generate_series(1, $1::int)) as products,
    (select coalesce(json_agg(nextval('product_variants_id_seq')), '[]') from generate_series(1, $2::int)) as variants`;

export const INSERT_PRODUCTS = `${FIXED_PLAN}
  insert into products (app_id, id, ${PRODUCT_COLUMNS.list}, ${OTHER_COLUMNS.list}, lowest_price, search_all, inserted_at,
    updated_at) overriding system value
  select $1, id, ${PRODUCT_COLUMNS.list}, ${OTHER_COLUMNS.list}, lowest_price, concat_ws(' ', search_name, lower(search_codes)), $3, $3
  from json_to_recordset($2) as row ${PRODUCT_ROW} order by id`;

const VARIANT_ROW = `
  (id bigint, product_id bigint, ${VARIANT_COLUMNS.typedList})`;

export const UPDATE_VARIANTS = `
  update product_variants v
  set ${VARIANT_COLUMNS.setFrom('row')}, updated_at = $3
  from json_to_recordset($2) as row ${VARIANT_ROW}
  where v.app_id = $1 and v.id = row.id and v.id = any($4::bigint[])`;

export const INSERT_VARIANTS = `${FIXED_PLAN}
  insert into product_variants (app_id, id, product_id, ${VARIANT_COLUMNS.list}, inserted_at, updated_at)
    overriding system value
  select $1, id, product_id, ${VARIANT_COLUMNS.list}, $3, $3
  from json_to_recordset($2) as row ${VARIANT_ROW} order by id`;

export const FIND_IMAGES = `
  select product_id, product_variant_id, image_url, alt from product_images
  where app_id = $1 and product_id = any($2::bigint[]) order by id`;

// Removes the images of products ($2) and variants ($3), with the usages of these images.
export const REMOVE_IMAGES = `
  with images as (
    delete from product_images where app_id = $1
      and (product_variant_id is null and product_id = any($2::bigint[]) or product_variant_id = any($3::bigint[]))
  )
  delete from cdn_usages where app_id = $1 and field = 'images'
    and (entity_type = 'product' and entity_id = any($2::bigint[]::text[])
      or entity_type = 'product_variant' and entity_id = any($3::bigint[]::text[]))`;

export const ADD_IMAGES = `
  with image as (
    select * from json_to_recordset($2) as row (ordinal int, ${IMAGE_COLUMNS.typedList}, key text)
  ), images as (
    insert into product_images (app_id, ${IMAGE_COLUMNS.list}, inserted_at)
    select $1, ${IMAGE_COLUMNS.list}, $3 from image order by ordinal
  ), usages as (
    ${RECORD_USAGES}
    select $1, key, case when product_variant_id is null then 'product' else 'product_variant' end,
      coalesce(product_variant_id, product_id)::text, 'images', null, image_url, $3
    from image where key is not null order by ordinal
  )
  select`;
