/**
 * The statements of the bare server: what an engineer would write for one call, on the service's tables, without business
 * rules, tokens and ledger. $1 is the app.
 */
export const FLOOR_STATEMENTS: Readonly<Record<string, string>> = {
  evaluate: `
    with changed as (
      insert into order_processings (app_id, buyer, items, fees, sales, discount, net_sales, vat, end_sales, currency,
        market_id, sales_channel_id, sales_channel, expires_at, inserted_at)
      select $1, '{"email": "ana@example.com"}', jsonb_agg(jsonb_build_object('variantId', v.id, 'productId', p.id,
          'code', v.code, 'name', p.name, 'qty', 1, 'price', p.price)), '[]',
        sum(p.price), 0, sum(p.price), 0, sum(p.price), 'RSD', 1, 1, 'web', now() + interval '1 day', now()
      from product_variants v join products p on p.app_id = $1 and p.id = v.product_id
      where v.app_id = $1 and v.code = any($2::text[]) returning *
    )
    select id from changed`,
  create: `
    with evaluation as (
      update order_processings set consumed_at = now() where app_id = $1 and id = $2 and consumed_at is null returning *
    ), changed as (
      insert into proforma_orders (app_id, number, status_id, order_processing_id, customer_email, market_id, currency,
        sales_channel_id, sales_channel, fees, sales, discount, net_sales, vat, end_sales, original_end_sales, debt,
        processing_date, expires_at, due_at, inserted_at, updated_at)
      select $1, $3, 1, id, buyer ->> 'email', 1, 'RSD', 1, 'web', '[]', sales, 0, sales, 0, sales, sales, sales,
        now(), now() + interval '3 days', now() + interval '3 days', now(), now() from evaluation returning *
    ), line as (
      select changed.id as proforma_id, l.place, (l.item ->> 'variantId')::bigint as variant_id, l.item
      from changed, evaluation, jsonb_array_elements(evaluation.items) with ordinality as l (item, place)
    ), place as (
      update stocks s set reserved = reserved + 1, updated_at = now() from line
      where s.app_id = $1 and s.id = (
        select id from stocks where app_id = $1 and product_variant_id = line.variant_id and on_hand - reserved >= 1
        order by warehouse_id limit 1
      ) returning s.product_variant_id as variant_id, s.warehouse_id
    ), item as (
      insert into proforma_items (app_id, proforma_order_id, position, product_id, product_variant_id, code, name, qty,
        price, vat_rate, sales, discount, warehouse_id)
      select $1, proforma_id, place, (item ->> 'productId')::bigint, variant_id, item ->> 'code', item ->> 'name', 1,
        (item ->> 'price')::bigint, 2000, (item ->> 'price')::bigint, 0, warehouse_id from line join place using (variant_id)
      returning *
    ), reservation as (
      insert into stock_reservations (app_id, proforma_item_id, product_variant_id, warehouse_id, qty, inserted_at, updated_at)
      select $1, id, product_variant_id, warehouse_id, 1, now(), now() from item
    )
    select id from changed`,
  pay: `
    with payment as (
      insert into payments (app_id, proforma_order_id, amount, method, kind, status, paid_at, inserted_at)
      select $1, id, debt, 'Cash', 'cash', 'settled', now(), now() from proforma_orders where app_id = $1 and id = $2
      returning *
    ), changed as (
      update proforma_orders p set status_id = 3, paid = paid + amount, debt = 0, updated_at = now() from payment
      where p.app_id = $1 and p.id = $2 returning p.*
    )
    select id from changed`,
  confirm: `
    with item as (
      update proforma_items set qty_confirmed = qty where app_id = $1 and proforma_order_id = $2 returning *
    ), changed as (
      update proforma_orders set status_id = 4, warehouse_confirmed_at = now(), updated_at = now()
      where app_id = $1 and id = $2 returning *
    )
    select id from changed`,
  convert: `
    with made as (
      insert into orders (app_id, data_part, time_part, order_number, order_date, payment_status_id, customer_email,
        market_id, currency, sales_channel_id, sales_channel, fees, sales, discount, net_sales, vat, end_sales, paid,
        debt, proforma_order_id, proforma_number, inserted_at, updated_at)
      select $1, 1, 1, 'O-' || number, now(), 3, customer_email, 1, 'RSD', 1, 'web', '[]', sales, 0, net_sales, vat,
        end_sales, paid, debt, id, number, now(), now() from proforma_orders where app_id = $1 and id = $2 returning *
    ), item as (
      insert into order_items (app_id, order_id, position, proforma_item_id, product_id, product_variant_id, code, name,
        qty, price, vat_rate, sales, discount, warehouse_id)
      select $1, made.id, i.position, i.id, i.product_id, i.product_variant_id, i.code, i.name, i.qty, i.price, i.vat_rate,
        i.sales, 0, i.warehouse_id from made, proforma_items i where i.app_id = $1 and i.proforma_order_id = $2 returning *
    ), moved as (
      update payments y set order_id = made.id from made where y.app_id = $1 and y.proforma_order_id = $2 returning y.*
    ), changed as (
      update proforma_orders set status_id = 6, order_id = made.id, converted_at = now(), due_at = null, updated_at = now()
      from made where proforma_orders.app_id = $1 and proforma_orders.id = $2 returning made.*
    )
    select id from changed`,
  firstPage: `
    select coalesce(json_agg(row), '[]')::text as data from (
      select id, number, status_id, customer_id, customer_email, customer_first_name, customer_last_name, currency,
        sales, discount, net_sales, vat, end_sales, paid, debt, order_id, tags, processing_date, expires_at,
        canceled_at, inserted_at, updated_at
      from proforma_orders where app_id = $1 order by inserted_at desc, id desc limit 30
    ) as row`,
};
