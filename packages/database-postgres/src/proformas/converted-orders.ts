import { newParts } from '@back-office/kernel';
import {
  CANCELED_ID,
  DEFAULT_ORDER_COLUMNS,
  PAYABLE_IDS,
  PAYMENT_STATUSES,
  paymentStatusOf,
  statusIdIn,
} from '@back-office/orders';
import {
  convertedItems,
  convertedOrder,
  debtOf,
  isAllRefunded,
  paidAmountOf,
  type NewOrder,
  type OrderState,
  type Proforma,
} from '@back-office/proforma';
import { randomInt } from 'node:crypto';
import { among } from '../lists/list-conditions.js';
import type { Sql } from '../connection/sql.js';
import { ORDER_ITEMS, ORDERS } from '../tables/orders.js';

const ORDER_COLUMNS = ORDERS.columns.except('app_id', 'id', 'shipped_at', 'search_text');
// Lists the columns of an `Order` without its items and payments, because a prepared `select *` fails after a column is
// added.
export const ORDER_ROW_COLUMNS = ORDERS.columns.except('app_id', 'search_text');
const ITEM_COLUMNS = ORDER_ITEMS.columns.except('app_id', 'id', 'order_id');

/** CTEs that insert an order: $1 app, $2 order, $3 items. The CTE `made` returns its columns, and `item` its items. */
export const INSERT_ORDER = `
  made as (
    insert into orders (app_id, ${ORDER_COLUMNS.list})
    select $1, ${ORDER_COLUMNS.list} from json_to_record($2) as r (${ORDER_COLUMNS.typedList})
    returning ${ORDER_ROW_COLUMNS.list}
  ), item as (
    insert into order_items (app_id, order_id, ${ITEM_COLUMNS.list})
    select $1, made.id, ${ITEM_COLUMNS.of('r')} from made, json_to_recordset($3) as r (${ITEM_COLUMNS.typedList}) returning *
  ), sold as (
    insert into product_sales (app_id, product_id, quantity)
    select $1, product_id, sum(qty) from item group by product_id order by product_id
    on conflict (app_id, product_id) do update set quantity = product_sales.quantity + excluded.quantity
  )`;

const INSERT_CONVERTED_ORDER = `
  with ${INSERT_ORDER}, moved as (
    update payments y set order_id = made.id from made where y.app_id = $1 and y.proforma_order_id = $4
  )
  select id, data_part, time_part from made`;

export const IS_PAYABLE = `o.order_status_id in (${PAYABLE_IDS.order.join(', ')})
  and o.payment_status_id in (${PAYABLE_IDS.payment.join(', ')})`;

export const IS_CANCELED = `o.order_status_id = ${CANCELED_ID}`;

const UPDATE_ORDERS = `
  with settled as (
    select * from json_to_recordset($2) as r (id bigint, paid bigint, debt bigint, payment_status_id smallint)
  )
  update orders o set paid = r.paid, debt = r.debt, payment_status_id = r.payment_status_id, updated_at = $3
  from settled r where o.app_id = $1 and ${among('o.id', 'settled')} and o.id = r.id
  returning o.id, ${IS_CANCELED} as "isCanceled", ${IS_PAYABLE} as "isPayable"`;

/** Inserts the order of a converted proforma, and moves the payments of the proforma to it. */
export async function insertOrder(sql: Sql, appId: number, proforma: Proforma): Promise<NewOrder> {
  const parts = newParts(proforma.convertedAt as Date, randomInt);
  const order = { ...DEFAULT_ORDER_COLUMNS, ...convertedOrder(proforma, parts), ...paymentColumns(proforma) };
  const items = convertedItems(proforma).map((item, position) => ({ position, ...item }));
  const values = [appId, JSON.stringify(order), JSON.stringify(items), proforma.id];
  const [insertedRow] = await sql.rows<NewOrder>(INSERT_CONVERTED_ORDER, values);
  return insertedRow as NewOrder;
}

/** Writes paid amount, debt and payment status to the orders of converted proformas. */
export function updateOrders(
  sql: Sql,
  appId: number,
  proformas: readonly Proforma[],
  now: Date,
): Promise<OrderState[]> {
  const rows = proformas.map((proforma) => ({ id: proforma.orderId, ...paymentColumns(proforma) }));
  return sql.rows<OrderState>(UPDATE_ORDERS, [appId, JSON.stringify(rows), now]);
}

function paymentColumns({ endSales, payments }: Proforma) {
  const paidAmount = paidAmountOf(payments);
  const status = paymentStatusOf(paidAmount, endSales, isAllRefunded(payments));
  return {
    paid: paidAmount,
    debt: debtOf({ endSales, payments }),
    payment_status_id: statusIdIn(PAYMENT_STATUSES, status),
  };
}
