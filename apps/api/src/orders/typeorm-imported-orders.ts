import { isRefusal, newParts, type Clock, type Refusal } from '@back-office/kernel';
import { orderNumber } from '@back-office/proforma';
import { randomInt } from 'node:crypto';
import { isCustomer } from '../customers/index.js';
import { checkCurrency, CURRENCY_OF_APP } from '../apps/index.js';
import type { Database, Transaction } from '../database/database.js';
import { violates } from '../database/failures.js';
import {
  ORDER_ALREADY_EXISTS,
  priceImport,
  type ImportedItem,
  type ImportedLine,
  type ImportedOrder,
  type NamedRecords,
  type PricedImport,
} from './imported-order.js';
import { OPEN, paymentStatusId, PENDING } from './order.js';
import { insertStatement } from './typeorm-orders.js';
import { placeholders } from '../database/placeholders.js';

const namedRecords = (customer: string): string => `
  select ${CURRENCY_OF_APP} as currency, (
    select json_build_object('id', c.id, 'data_part', c.data_part, 'time_part', c.time_part, 'email', c.email,
      'first_name', c.first_name, 'last_name', c.last_name, 'phone', c.phone)
    from customers c where c.app_id = $1 and ${customer}
  ) as customer, (
    select id from app_locations where app_id = $1 and code = $2
  ) as location_id, (
    select coalesce(json_agg(json_build_object('id', v.id, 'product_id', p.id, 'code', v.code, 'barcode', v.barcode,
      'external_ref', v.external_ref, 'name', p.name, 'price', coalesce(v.price, p.price),
      'vat_rate', coalesce(v.vat_rate, p.vat_rate))), '[]')
    from product_variants v join products p on p.app_id = $1 and p.id = v.product_id
    where v.app_id = $1 and v.id in (
      select id from product_variants where app_id = $1 and code = any($3::text[])
      union select id from product_variants where app_id = $1 and barcode = any($4::text[])
      union select id from product_variants where app_id = $1 and external_ref = any($5::text[])
    )
  ) as variants, (
    select coalesce(json_agg(json_build_object('id', id, 'name', name, 'kind', kind)), '[]')
    from payment_methods where app_id = $1 and id = any($6::bigint[])
  ) as methods`;

const INSERT = insertStatement(`paid as (
    insert into payments (app_id, order_id, amount, method, payment_method_id, kind, status, paid_at, inserted_at)
    select $1, made.id, amount, method, payment_method_id, kind, 'settled', $5, $5
    from made, json_to_recordset($4) as r
      (place int, amount bigint, method text, payment_method_id bigint, kind text) order by place
  )`);

const MOST_TRIES = 5;

/** The number of an order that came without one, in this year. */
export type DrawNumber = (year: number) => string;

/** Orders that another system has taken: it moves its own stock, so that none is touched here. */
export class TypeOrmImportedOrders {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly drawNumber: DrawNumber = (year) => orderNumber(year, randomInt),
  ) {}

  /** Answers the id of the new order; refused when the app has one with this external reference or number already. */
  async add(appId: number, order: ImportedOrder): Promise<{ readonly id: number } | Refusal> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.addOnce(appId, order);
      } catch (error) {
        if (violates(error, 'orders_external_ref_key')) return ORDER_ALREADY_EXISTS;
        if (!violates(error, 'orders_order_number_key')) throw error;
        if (order.orderNumber !== null) return ORDER_ALREADY_EXISTS;
        // A number that was drawn here says nothing about the order: another one is.
        if (attempt === MOST_TRIES) throw error;
      }
    }
  }

  private addOnce(appId: number, order: ImportedOrder): Promise<{ readonly id: number } | Refusal> {
    const now = this.clock.now();
    const number = order.orderNumber ?? this.drawNumber(now.getUTCFullYear());
    return this.database.transaction((transaction) => add(transaction, appId, order, number, now));
  }
}

async function add(transaction: Transaction, appId: number, order: ImportedOrder, number: string, now: Date) {
  const named = await findNamed(transaction, appId, order);
  checkCurrency(named.currency, order.currency);
  const priced = priceImport(order, named);
  if (isRefusal(priced)) return priced;
  const [made] = await transaction.last<{ id: number }>(INSERT, [
    appId,
    JSON.stringify({ ...orderColumns(order, named, priced, now), order_number: number }),
    JSON.stringify(priced.lines.map(itemColumns)),
    JSON.stringify(priced.payments.map(paymentColumns)),
    now,
  ]);
  return { id: (made as { id: number }).id };
}

async function findNamed(transaction: Transaction, appId: number, order: ImportedOrder): Promise<NamedRecords> {
  const { customer, locationCode, items, payments } = order;
  const valuesOf = (field: 'code' | 'barcode' | 'external_ref') =>
    items.flatMap((item: ImportedItem) => item[field] ?? []);
  const methods = payments.map(({ methodId }) => methodId);
  const values: unknown[] = [
    appId,
    locationCode,
    valuesOf('code'),
    valuesOf('barcode'),
    valuesOf('external_ref'),
    methods,
  ];
  const whose = customer === null ? 'false' : isCustomer(customer, placeholders(values));
  const [named] = await transaction.rows<NamedRecords>(namedRecords(whose), values);
  return named as NamedRecords;
}

function orderColumns(order: ImportedOrder, named: NamedRecords, { totals, paid }: PricedImport, now: Date): object {
  const { customer, location_id: locationId } = named;
  const parts = newParts(now, randomInt);
  return {
    data_part: customer?.data_part ?? parts.dataPart,
    time_part: customer?.time_part ?? parts.timePart,
    external_ref: order.externalRef,
    order_date: order.orderDate ?? now,
    order_status_id: OPEN,
    payment_status_id: paymentStatusId(paid, totals.endSales),
    delivery_status_id: PENDING,
    customer_id: customer?.id,
    customer_email: customer?.email,
    customer_first_name: customer?.first_name,
    customer_last_name: customer?.last_name,
    customer_phone: customer?.phone,
    app_location_id: locationId,
    ...DEFAULTS,
    currency: order.currency,
    sales: totals.sales,
    discount: totals.discount,
    net_sales: totals.netSales,
    vat: totals.vat,
    end_sales: totals.endSales,
    paid,
    debt: Math.max(totals.endSales - paid, 0),
    inserted_at: now,
    updated_at: now,
  };
}

const DEFAULTS = { market_id: 1, sales_channel_id: 1, sales_channel: 'web', fees: [], tags: [] };

function itemColumns({ variant, qty, price, vatRate, sales, discount }: ImportedLine, position: number): object {
  const { id, product_id: productId, code, barcode, name } = variant;
  const what = { product_id: productId, product_variant_id: id, code, barcode, name };
  return { position, ...what, qty, price, vat_rate: vatRate, sales, discount, promotions: [] };
}

function paymentColumns({ method, amount }: PricedImport['payments'][number], place: number): object {
  return { place, amount, method: method.name, payment_method_id: method.id, kind: method.kind };
}
