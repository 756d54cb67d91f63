import { isRefusal, newParts, type Clock, type Refusal } from '@back-office/kernel';
import { matcherOf, MATCHING } from '@back-office/matching';
import {
  importedItemColumns,
  importedOrderColumns,
  ORDER_ALREADY_EXISTS,
  priceImport,
  type ImportedItem,
  type ImportedOrder,
  type ImportedOrders,
  type NamedRecords,
  type PricedImport,
} from '@back-office/orders';
import { orderNumber } from '@back-office/proforma';
import { randomInt } from 'node:crypto';
import { checkCurrency, CURRENCY_OF_APP } from '../apps/app-currency.js';
import type { Transaction } from '../client-transaction.js';
import { customerCondition } from '../customers/customer-condition.js';
import { violates } from '../failures.js';
import { placeholders } from '../placeholders.js';
import type { Postgres } from '../postgres.js';
import { PAYMENTS } from '../tables/payments.js';
import { insertStatement } from './converted-orders.js';

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

const PAYMENT = PAYMENTS.columns.pick('amount', 'method', 'payment_method_id', 'kind');

const INSERT = insertStatement(`paid as (
    insert into payments (app_id, order_id, ${PAYMENT.list}, status, paid_at, inserted_at)
    select $1, made.id, ${PAYMENT.list}, 'settled', $5, $5
    from made, json_to_recordset($4) as r (ordinal int, ${PAYMENT.typed}) order by ordinal
  )`);

const MAX_ATTEMPTS = 5;

/** Draws the number of an order without one. */
export type DrawNumber = (year: number) => string;

export class SqlImportedOrders implements ImportedOrders {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
    private readonly drawNumber: DrawNumber = (year) => orderNumber(year, randomInt),
  ) {}

  /** Returns the id of the new order; refuses a taken external reference or number. */
  async add(appId: number, order: ImportedOrder): Promise<{ readonly id: number } | Refusal> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.addOnce(appId, order);
      } catch (error) {
        if (violates(error, 'orders_external_ref_key')) return ORDER_ALREADY_EXISTS;
        if (!violates(error, 'orders_order_number_key')) throw error;
        if (order.orderNumber !== null) return ORDER_ALREADY_EXISTS;
        // The drawn number was taken: draw another.
        if (attempt === MAX_ATTEMPTS) throw error;
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
  const matcher = matcherOf(MATCHING['POST /int/orders'].variant, named.variants);
  const priced = priceImport(order, named, (item) => matcher.find(item));
  if (isRefusal(priced)) return priced;
  const [made] = await transaction.last<{ id: number }>(INSERT, [
    appId,
    JSON.stringify({
      ...importedOrderColumns(order, named, priced, { parts: newParts(now, randomInt), now }),
      order_number: number,
    }),
    JSON.stringify(priced.lines.map((line, position) => ({ ...importedItemColumns(line), position }))),
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
  const condition = customer === null ? 'false' : customerCondition(customer, placeholders(values));
  const [named] = await transaction.rows<NamedRecords>(namedRecords(condition), values);
  return named as NamedRecords;
}

function paymentColumns({ method, amount }: PricedImport['payments'][number], ordinal: number): object {
  return { ordinal, amount, method: method.name, payment_method_id: method.id, kind: method.kind };
}
