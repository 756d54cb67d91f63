import { dateTimeSql, moneySql } from '@back-office/database-postgres';

const MONEY_COLUMNS = ['sales', 'discount', 'net_sales', 'vat', 'end_sales', 'paid', 'debt'];
const DECIMALS = '2';

const columnList = (names: string): string => names.split(' ').join(', ');
const moneyColumns = (names: readonly string[]): string =>
  names.map((name) => `${moneySql(name, DECIMALS)} as ${name}`).join(', ');
const timeColumns = (names: string): string =>
  names
    .split(' ')
    .map((name) => `${dateTimeSql(name)} as ${name}`)
    .join(', ');

const recordAsJson = (relation: string, columns: string): string =>
  `select row_to_json(record)::text as data from (select ${columns} from ${relation}) as record`;

const selectItems = (relation: string, extraColumns: string): string => `(
    select json_agg(item order by position) from (
      select position, id, product_id, product_variant_id, code, barcode, name, qty, ${extraColumns} trim_scale(vat_rate / 100.0) as vat_rate,
        ${moneyColumns(['price', 'sales', 'discount'])}, ${moneySql('(sales - discount)', DECIMALS)} as end_sales, promotions,
        warehouse_code
      from ${relation}
    ) as item
  ) as items`;

const selectPayments = (relation: string): string => `(
    select coalesce(json_agg(payment order by id), '[]') from (
      select id, ${moneyColumns(['amount'])}, method, payment_method_id, status, ${timeColumns('paid_at')}, refund_of from ${relation}
    ) as payment
  ) as payments`;

const proformaAsJson = (lines: string, payments: string): string =>
  recordAsJson(
    'changed',
    `${columnList('id number status_id order_processing_id customer_id customer_email customer_first_name')},
    ${columnList('customer_last_name customer_phone market_id currency sales_channel_id sales_channel order_id cancel_reason')},
    ${columnList('tags comment alerts alerts_count open_alerts_count delivery')}, fees as fee_items, ${moneyColumns(MONEY_COLUMNS)},
    ${timeColumns('processing_date expires_at warehouse_confirmed_at converted_at canceled_at inserted_at updated_at')},
    ${selectItems(lines, 'qty_confirmed,')}, ${selectPayments(payments)}`,
  );

const WHERE_PROFORMA = 'where app_id = $1 and proforma_order_id = $2';

/** The statement of one call: its writes and its answer. */
interface Step {
  readonly writes: string;
  readonly answer: string;
}

/**
 * The statements use the service's tables, without business rules and ledger. The CTE `changed` contains the changed
 * record.
 */
const STEPS: Readonly<Record<string, Step>> = {
  evaluate: {
    writes: `
    with changed as (
      insert into order_processings (app_id, buyer, items, fees, sales, discount, net_sales, vat, end_sales, currency,
        market_id, sales_channel_id, sales_channel, expires_at, inserted_at)
      select $1, '{"email": "ana@example.com"}', jsonb_agg(jsonb_build_object('variantId', v.id, 'productId', p.id,
          'code', v.code, 'name', p.name, 'qty', 1, 'price', p.price)), '[]',
        sum(p.price), 0, sum(p.price), 0, sum(p.price), 'RSD', 1, 1, 'web', now() + interval '1 day', now()
      from product_variants v join products p on p.app_id = $1 and p.id = v.product_id
      where v.app_id = $1 and v.code = any($2::text[]) returning *
    )`,
    answer: recordAsJson(
      'changed',
      `id, items, fees as fee_items, promotions, vouchers, ${moneyColumns(MONEY_COLUMNS.slice(0, 5))}, ${timeColumns('expires_at inserted_at')}`,
    ),
  },
  create: {
    writes: `
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
    )`,
    answer: proformaAsJson('item', '(select * from payments where false) as none'),
  },
  pay: {
    writes: `
    with payment as (
      insert into payments (app_id, proforma_order_id, amount, method, kind, status, paid_at, inserted_at)
      select $1, id, debt, 'Cash', 'cash', 'settled', now(), now() from proforma_orders where app_id = $1 and id = $2
      returning *
    ), changed as (
      update proforma_orders p set status_id = 3, paid = paid + amount, debt = 0, updated_at = now() from payment
      where p.app_id = $1 and p.id = $2 returning p.*
    )`,
    answer: proformaAsJson(`proforma_items ${WHERE_PROFORMA}`, 'payment'),
  },
  confirm: {
    writes: `
    with item as (
      update proforma_items set qty_confirmed = qty ${WHERE_PROFORMA} returning *
    ), changed as (
      update proforma_orders set status_id = 4, warehouse_confirmed_at = now(), updated_at = now()
      where app_id = $1 and id = $2 returning *
    )`,
    answer: proformaAsJson('item', `payments ${WHERE_PROFORMA}`),
  },
  convert: {
    writes: `
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
    )`,
    answer: recordAsJson(
      'changed',
      `${columnList('id data_part time_part order_number invoice_number external_ref order_status_id payment_status_id')},
      ${columnList('delivery_status_id customer_id customer_email customer_first_name customer_last_name customer_phone')},
      ${columnList('app_location_id market_id currency sales_channel_id sales_channel proforma_order_id proforma_number')},
      comment, tags, delivery, fees as fee_items, ${moneyColumns(MONEY_COLUMNS)}, ${timeColumns('order_date inserted_at updated_at')},
      ${selectItems('item', '')}, ${selectPayments('moved')}`,
    ),
  },
};

/**
 * Minimal lifecycle: one statement per call, limited only by the database and the driver. Each statement returns the
 * record as JSON.
 */
export const FLOOR_LIFECYCLE = buildStatements(({ writes, answer }) => writes + answer);

/** Like `FLOOR_LIFECYCLE`, but each statement returns only an id. */
export const FLOOR_LIFECYCLE_IDS = buildStatements(({ writes }) => `${writes} select id from changed`);

function buildStatements(textOf: (step: Step) => string): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(STEPS).map(([name, step]) => [name, textOf(step)]));
}
