import { newParts } from '@back-office/kernel';
import { debtOf, paidOf, type Proforma, type ProformaLine } from '@back-office/proforma';
import { randomInt } from 'node:crypto';
import { among } from '../database/among.js';
import type { Database, Sql } from '../database/database.js';
import { CANCELED, OPEN, PAYABLE, paymentStatusId, PENDING, REFUNDED, type OrderRow } from './order.js';

const ITEM = `
  position int, proforma_item_id bigint, product_id bigint, product_variant_id bigint, code text, barcode text,
  name text, qty bigint, price bigint, vat_rate int, sales bigint, discount bigint, promotions jsonb,
  warehouse_id bigint, warehouse_code text`;
const ORDER = `
  data_part smallint, time_part int, order_number text, order_date timestamptz, order_status_id smallint,
  payment_status_id smallint, delivery_status_id smallint, customer_id bigint, customer_email text,
  customer_first_name text, customer_last_name text, customer_phone text, delivery jsonb, shipment_method_code text,
  pickup_point_code text, market_id int, currency text, sales_channel_id int, sales_channel text, fees jsonb,
  sales bigint, discount bigint, net_sales bigint, vat bigint, end_sales bigint, paid bigint, debt bigint,
  proforma_order_id bigint, proforma_number text, external_ref text, app_location_id bigint, tags text[], comment text,
  inserted_at timestamptz, updated_at timestamptz`;
const namesOf = (columns: string): string => columns.replaceAll(/(\w+) [\w[\]]+/g, '$1');

/**
 * Stores an order ($2) with its items ($3) and counts these as sold, from $1 the app; `payments` is the part of the
 * statement that gives the order, `made`, its payments.
 */
export const insertStatement = (payments: string): string => `
  with made as (
    insert into orders (app_id, ${namesOf(ORDER)})
    select $1, ${namesOf(ORDER)} from json_to_record($2) as r (${ORDER}) returning id
  ), item as (
    insert into order_items (app_id, order_id, ${namesOf(ITEM)})
    select $1, made.id, ${namesOf(ITEM)} from made, json_to_recordset($3) as r (${ITEM}) returning product_id, qty
  ), sold as (
    insert into product_sales (app_id, product_id, quantity)
    select $1, product_id, sum(qty) from item group by product_id order by product_id
    on conflict (app_id, product_id) do update set quantity = product_sales.quantity + excluded.quantity
  ), ${payments}
  select id from made`;

const INSERT = insertStatement(`moved as (
    update payments set order_id = made.id from made where app_id = $1 and proforma_order_id = $4
  )`);

/** Whether the order `o` still waits for money: it is open, and unpaid or paid in part. */
export const IS_PAYABLE = `o.order_status_id = ${OPEN} and o.payment_status_id in (${PAYABLE.join(', ')})`;

const SETTLE = `
  with settled as (
    select * from json_to_recordset($2) as r (id bigint, paid bigint, debt bigint, payment_status_id smallint)
  )
  update orders o set paid = r.paid, debt = r.debt, payment_status_id = r.payment_status_id, updated_at = $3
  from settled r where o.app_id = $1 and ${among('o.id', 'settled')} and o.id = r.id
  returning o.id, o.order_status_id = ${CANCELED} as "isCanceled", ${IS_PAYABLE} as "isPayable"`;

const FIND = `
  select o.*,
    (select json_agg(i order by i.position) from order_items i where i.app_id = $1 and i.order_id = o.id) as items,
    (select json_agg(y order by y.id) from payments y where y.app_id = $1 and y.order_id = o.id) as payments
  from orders o where o.app_id = $1 and o.id = $2`;

/** Reads orders. Their writes belong to larger transactions, see {@link insertOrder}. */
export class TypeOrmOrders {
  constructor(private readonly database: Database) {}

  async find(appId: number, id: number): Promise<OrderRow | undefined> {
    const [order] = await this.database.rows<OrderRow>(FIND, [appId, id]);
    return order;
  }

  /** The order that the id names together with its parts; with wrong parts there is none. */
  async findByParts(appId: number, id: number, dataPart: number, timePart: number): Promise<OrderRow | undefined> {
    const order = await this.find(appId, id);
    return order?.data_part === dataPart && order.time_part === timePart ? order : undefined;
  }
}

/** Stores the order of a proforma that is being converted, moves its payments over, and answers the order's id. */
export async function insertOrder(sql: Sql, appId: number, proforma: Proforma): Promise<number> {
  const lines = proforma.lines.filter((line) => line.qtyConfirmed !== 0);
  const [made] = await sql.rows<{ id: number }>(INSERT, [
    appId,
    JSON.stringify(orderColumns(proforma)),
    JSON.stringify(lines.map(itemColumns)),
    proforma.id,
  ]);
  return (made as { id: number }).id;
}

export interface SettledOrder {
  readonly id: number;
  readonly isCanceled: boolean;
  readonly isPayable: boolean;
}

/** Updates what is paid and owed of the orders of converted proformas after their payments changed. */
export function settleOrderPayments(
  sql: Sql,
  appId: number,
  proformas: readonly Proforma[],
  now: Date,
): Promise<SettledOrder[]> {
  const rows = proformas.map((proforma) => ({ id: proforma.orderId, ...paymentColumns(proforma) }));
  return sql.rows<SettledOrder>(SETTLE, [appId, JSON.stringify(rows), now]);
}

function orderColumns(proforma: Proforma): object {
  const { buyer, convertedAt } = proforma;
  const parts = newParts(convertedAt as Date, randomInt);
  return {
    data_part: buyer.dataPart ?? parts.dataPart,
    time_part: buyer.timePart ?? parts.timePart,
    order_number: proforma.converted?.orderNumber,
    order_date: convertedAt,
    order_status_id: OPEN,
    delivery_status_id: PENDING,
    customer_id: buyer.id,
    customer_email: buyer.email,
    customer_first_name: buyer.firstName,
    customer_last_name: buyer.lastName,
    customer_phone: buyer.phone,
    delivery: proforma.delivery,
    shipment_method_code: proforma.shipmentMethodCode,
    pickup_point_code: proforma.pickupPointCode,
    market_id: proforma.marketId,
    currency: proforma.currency,
    sales_channel_id: proforma.salesChannelId,
    sales_channel: proforma.salesChannel,
    fees: proforma.fees,
    sales: proforma.sales,
    discount: proforma.discount,
    net_sales: proforma.netSales,
    vat: proforma.vat,
    end_sales: proforma.endSales,
    ...paymentColumns(proforma),
    proforma_order_id: proforma.id,
    proforma_number: proforma.number,
    tags: proforma.tags,
    comment: proforma.comment,
    inserted_at: convertedAt,
    updated_at: convertedAt,
  };
}

function paymentColumns({ endSales, payments }: Proforma) {
  const paid = paidOf(payments);
  const refunded = paid === 0 && payments.some((payment) => payment.status === 'refunded');
  const status = refunded ? REFUNDED : paymentStatusId(paid, endSales);
  return { paid, debt: debtOf({ endSales, payments }), payment_status_id: status };
}

function itemColumns(line: ProformaLine, position: number): object {
  return {
    position,
    proforma_item_id: line.id,
    product_id: line.productId,
    product_variant_id: line.variantId,
    code: line.code,
    barcode: line.barcode,
    name: line.name,
    qty: line.qtyConfirmed ?? line.qty,
    price: line.price,
    vat_rate: line.vatRate,
    sales: line.sales,
    discount: line.discount,
    promotions: line.promotions,
    warehouse_id: line.warehouseId,
    warehouse_code: line.warehouseCode,
  };
}
