/**
 * Minimal statements for catalogue and stock calls: one statement per call, on the service's tables, without business
 * rules. They match records only by code and return only a row count. $1 is the app, $2 the rows as JSON.
 */
export const FLOOR_CATALOGUE: Readonly<Record<string, string>> = {
  created: `
    with row as (
      select * from json_to_recordset($2) as r (code text, name text, price numeric, vat_rate numeric, variants jsonb)
    ), product as (
      insert into products (app_id, code, name, search_name, search_all, slug, price, vat_rate, lowest_price, inserted_at, updated_at)
      select $1, code, name, lower(name), lower(name || ' ' || code), lower(code), price * 100, vat_rate * 100, price * 100, now(), now()
      from row returning id, code
    ), variant as (
      insert into product_variants (app_id, product_id, code, barcode, inserted_at, updated_at)
      select $1, product.id, v ->> 'code', v ->> 'barcode', now(), now()
      from product join row using (code), jsonb_array_elements(row.variants) as v
    )
    select count(*) from product`,
  updated: `
    with row as (
      select * from json_to_recordset($2) as r (code text, name text, price numeric, vat_rate numeric, variants jsonb)
    ), product as (
      update products p set name = row.name, search_name = lower(row.name), search_all = lower(row.name || ' ' || row.code),
        price = row.price * 100, vat_rate = row.vat_rate * 100, lowest_price = row.price * 100, updated_at = now()
      from row where p.app_id = $1 and p.code = row.code returning p.id
    ), variant as (
      update product_variants v set barcode = r.v ->> 'barcode', updated_at = now()
      from (select v from row, jsonb_array_elements(row.variants) as v) as r
      where v.app_id = $1 and v.code = r.v ->> 'code'
    )
    select count(*) from product`,
  stocks: `
    with row as (
      select v.id as variant_id, w.id as warehouse_id, sum(r.qty) as qty
      from json_to_recordset($2) as r (code text, warehouse_code text, qty bigint)
      join product_variants v on v.app_id = $1 and v.code = r.code
      join warehouses w on w.app_id = $1 and w.code = r.warehouse_code and w.deleted_at is null
      group by 1, 2
    ), stock as (
      insert into stocks (app_id, product_variant_id, warehouse_id, on_hand, updated_at)
      select $1, variant_id, warehouse_id, qty, now() from row order by 2, 3
      on conflict (app_id, product_variant_id, warehouse_id)
      do update set on_hand = stocks.on_hand + excluded.on_hand, updated_at = excluded.updated_at
    ), movement as (
      insert into stock_movements (app_id, warehouse_id, kind, booked_at)
      select distinct $1::bigint, warehouse_id, 'adjust', now() from row returning id, warehouse_id
    ), line as (
      insert into stock_movement_lines (app_id, movement_id, product_variant_id, qty)
      select $1, movement.id, variant_id, qty from row join movement using (warehouse_id)
    )
    select count(*) from row`,
  reconciled: `
    with row as (
      select distinct on (v.id) v.id as variant_id, w.id as warehouse_id, r.qty, s.on_hand
      from json_to_recordset($2) as r (sku text, warehouse_code text, qty bigint)
      join product_variants v on v.app_id = $1 and v.code = r.sku
      join warehouses w on w.app_id = $1 and w.code = r.warehouse_code and w.deleted_at is null
      left join stocks s on s.app_id = $1 and s.product_variant_id = v.id and s.warehouse_id = w.id
    ), stock as (
      insert into stocks (app_id, product_variant_id, warehouse_id, on_hand, updated_at)
      select $1, variant_id, warehouse_id, qty, now() from row order by 2, 3
      on conflict (app_id, product_variant_id, warehouse_id)
      do update set on_hand = excluded.on_hand, updated_at = excluded.updated_at
    ), movement as (
      insert into stock_movements (app_id, warehouse_id, kind, booked_at)
      select distinct $1::bigint, warehouse_id, 'reconcile', now() from row returning id
    ), line as (
      insert into stock_movement_lines (app_id, movement_id, product_variant_id, qty)
      select $1, movement.id, variant_id, qty - coalesce(on_hand, 0) from row, movement
      where qty <> coalesce(on_hand, 0)
    )
    select count(*) from row`,
};
