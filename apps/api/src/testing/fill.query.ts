import { statusId } from '@back-office/proforma';
import type pg from 'pg';

const BATCH_SIZE = 100_000;

/** Inserts one-line proformas a minute apart, in every status that needs no order. The newest comes last. */
const INSERT_PROFORMAS = `
  with number as (
    select n, (array[1, 1, 1, 3, 3, 4, 7, 7, 8, 8])[n % 10 + 1] as status_id, (n % 900 + 100) * 100::bigint as amount,
      $4::timestamptz - (($3::bigint - n) * interval '1 minute') as at
    from generate_series($2::bigint, $2::bigint + ${BATCH_SIZE} - 1) as n where n < $3
  ), evaluation as (
    insert into order_processings (app_id, buyer, items, fees, sales, discount, net_sales, vat, end_sales, currency,
      market_id, sales_channel_id, sales_channel, expires_at, consumed_at, inserted_at)
    select $1, '{}', '[]', '[]', amount, 0, amount, 0, amount, 'RSD', n, 1, 'bench', at, at, at from number order by n
    returning id, market_id as n
  )
  insert into proforma_orders (app_id, number, status_id, order_processing_id, customer_email, customer_first_name,
    customer_last_name, market_id, currency, sales_channel_id, sales_channel, fees, sales, discount, net_sales, vat,
    end_sales, original_end_sales, paid, debt, tags, processing_date, expires_at, due_at, canceled_at, inserted_at, updated_at)
  select $1, 'P-2026-' || upper(lpad(to_hex(n), 6, '0')), status_id, evaluation.id, 'c' || n || '@example.com',
    (array['Ana', 'Marko', 'Jelena', 'Nikola'])[n % 4 + 1], (array['Jović', 'Ilić', 'Popović'])[n % 3 + 1] || n % 5000,
    1, 'RSD', 1, 'web', '[]', amount, 0, amount, 0, amount, amount,
    case status_id when 3 then amount else 0 end, case status_id when 3 then 0 else amount end, '{bench}',
    at, at + interval '72 hours', null, case when status_id in (${statusId('canceled')}, ${statusId('expired')}) then at end, at, at
  from number join evaluation using (n) order by n`;

const INSERT_CATALOGUE = `
  with product as (
    insert into products (app_id, code, name, search_name, search_all, slug, price, vat_rate, lowest_price, active, inserted_at, updated_at)
    select $1, 'P' || n, 'Product ' || n, 'product ' || n, 'product ' || n || ' p' || n, 'product-' || n, 10000, 2000, 10000, true, now(), now()
    from generate_series(1, $2::int) as n returning id, code
  ), variant as (
    insert into product_variants (app_id, product_id, code, inserted_at, updated_at)
    select $1, id, code, now(), now() from product returning id
  ), warehouse as (
    insert into warehouses (app_id, code, name, address_line_1, city, postcode, market_id, sellable, inserted_at, updated_at)
    select $1, code, 'Warehouse', 'Put 1', 'Beograd', '11000', 1, true, now(), now() from unnest($3::text[]) as code
    returning id
  )
  insert into stocks (app_id, product_variant_id, warehouse_id, on_hand, updated_at)
  select $1, variant.id, warehouse.id, 500000000, now() from variant, warehouse`;

/** Inserts lines without reservations for all proformas of an app. */
const INSERT_LINES = `
  with variant as (
    select id, product_id, code, row_number() over (order by id) as place
    from product_variants where app_id = $1
  )
  insert into proforma_items (app_id, proforma_order_id, position, product_id, product_variant_id, code, name, qty, price,
    vat_rate, sales, discount, warehouse_id)
  select $1, p.id, n, v.product_id, v.id, v.code, 'Product', 1, 10000, 2000, 10000, 0,
    (select min(id) from warehouses where app_id = $1)
  from proforma_orders p cross join generate_series(0, $2::int - 1) as n
  join variant v on v.place = (p.id * 7 + n * 31) % (select count(*) from variant) + 1
  where p.app_id = $1`;

export async function fillProformas(client: pg.Client, appId: number, count: number, now: Date): Promise<void> {
  for (let firstNumber = 0; firstNumber < count; firstNumber += BATCH_SIZE) {
    await client.query(INSERT_PROFORMAS, [appId, firstNumber, count, now]);
  }
}

/** Creates products `P1`, `P2` … with enough stock for a run. */
export async function fillCatalogue(
  client: pg.Client,
  appId: number,
  variants: number,
  warehouses: readonly string[] = ['MAIN'],
): Promise<void> {
  await client.query(INSERT_CATALOGUE, [appId, variants, warehouses]);
}

/** Adds lines to the proformas of an app. The app must have a catalogue. */
export async function fillLines(client: pg.Client, appId: number, linesOfEach: number): Promise<void> {
  await client.query(INSERT_LINES, [appId, linesOfEach]);
}
