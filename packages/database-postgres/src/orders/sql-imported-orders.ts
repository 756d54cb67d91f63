import { isRefusal, newParts, withStoredForms, type Clock, type Refusal } from '@back-office/kernel';
import { matcherOf, MATCHING } from '@back-office/matching';
import {
  importedItemColumns,
  importEntries,
  importedOrderColumns,
  ORDER_ALREADY_EXISTS,
  priceImport,
  type ImportedItem,
  type ImportedOrder,
  type ImportedOrders,
  type ReferencedRecords,
  type PricedImport,
} from '@back-office/orders';
import { orderNumber } from '@back-office/proforma';
import { randomInt } from 'node:crypto';
import { checkCurrency, CURRENCY_OF_APP } from '../apps/app-currency.js';
import type { Transaction } from '../connection/transaction.js';
import { customerCondition } from '../customers/customer-condition.js';
import { eventRows, eventsSql } from '../connection/event-statements.js';
import { violates } from '../connection/failures.js';
import { placeholders } from '../lists/placeholders.js';
import type { Postgres } from '../connection/postgres.js';
import { PAYMENTS } from '../tables/payments.js';
import { INSERT_ORDER } from '../proformas/converted-orders.js';

const referencedRecordsStatement = (customer: string): string => `
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
  ) as methods,
  exists (select from orders where app_id = $1 and external_ref = any($7::text[])) as "isDuplicate"`;

const PAYMENT_COLUMNS = PAYMENTS.columns.pick('amount', 'method', 'payment_method_id', 'kind');

const INSERT_IMPORTED_ORDER = `with ${INSERT_ORDER}, paid as (
    insert into payments (app_id, order_id, ${PAYMENT_COLUMNS.list}, status, paid_at, inserted_at)
    select $1, made.id, ${PAYMENT_COLUMNS.of('r')}, 'settled', $5, $5
    from made, json_to_recordset($4) as r (ordinal int, ${PAYMENT_COLUMNS.typedList}) order by r.ordinal
  ), ${eventsSql('$5', '$6', 'made')} select id from made`;

const MAX_ATTEMPTS = 5;

export type NumberGenerator = (year: number) => string;

export class SqlImportedOrders implements ImportedOrders {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
    private readonly drawNumber: NumberGenerator = (year) => orderNumber(year, randomInt),
  ) {}

  async add(appId: number, order: ImportedOrder): Promise<{ readonly id: number } | Refusal> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.addOnce(appId, order);
      } catch (error) {
        if (violates(error, 'orders_external_ref_key')) return ORDER_ALREADY_EXISTS;
        if (!violates(error, 'orders_order_number_key')) throw error;
        if (order.orderNumber !== null) return ORDER_ALREADY_EXISTS;
        if (attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  private addOnce(appId: number, order: ImportedOrder): Promise<{ readonly id: number } | Refusal> {
    const now = this.clock.now();
    const number = order.orderNumber ?? this.drawNumber(now.getUTCFullYear());
    return this.database.transaction((transaction) => addOrder(transaction, appId, order, number, now));
  }
}

async function addOrder(transaction: Transaction, appId: number, order: ImportedOrder, number: string, now: Date) {
  const records = await findReferencedRecords(transaction, appId, order);
  checkCurrency(records.currency, order.currency);
  const matcher = matcherOf(MATCHING['POST /int/orders'].variant, records.variants);
  const pricedImport = priceImport(order, records, (item) => matcher.find(item));
  if (isRefusal(pricedImport)) return pricedImport;
  // The constraint does not find a reference that was stored with its spaces.
  if (records.isDuplicate) return ORDER_ALREADY_EXISTS;
  transaction.record(appId, now, { entries: importEntries(number, pricedImport) });
  const [insertedRow] = await transaction.runLast<{ id: number }>(INSERT_IMPORTED_ORDER, [
    appId,
    JSON.stringify({
      ...importedOrderColumns(order, records, pricedImport, { parts: newParts(now, randomInt), now }),
      order_number: number,
    }),
    JSON.stringify(pricedImport.lines.map((line, position) => ({ ...importedItemColumns(line), position }))),
    JSON.stringify(pricedImport.payments.map(paymentColumns)),
    now,
    eventRows([{ type: 'order.created', recordId: null }]),
  ]);
  return { id: (insertedRow as { id: number }).id };
}

interface FoundRecords extends ReferencedRecords {
  readonly isDuplicate: boolean;
}

async function findReferencedRecords(
  transaction: Transaction,
  appId: number,
  order: ImportedOrder,
): Promise<FoundRecords> {
  const { customer, locationCode, items, payments } = order;
  const itemValues = (field: 'code' | 'barcode' | 'external_ref') =>
    items.flatMap((item: ImportedItem) => item[field] ?? []);
  const methodIds = payments.map(({ methodId }) => methodId);
  const values: unknown[] = [
    appId,
    locationCode,
    itemValues('code'),
    itemValues('barcode'),
    itemValues('external_ref'),
    methodIds,
    withStoredForms([order.externalRef]),
  ];
  const customerSql = customer === null ? 'false' : customerCondition(customer, placeholders(values));
  const [records] = await transaction.rows<FoundRecords>(referencedRecordsStatement(customerSql), values);
  return records as FoundRecords;
}

function paymentColumns({ method, amount }: PricedImport['payments'][number], ordinal: number): object {
  return { ordinal, amount, method: method.name, payment_method_id: method.id, kind: method.kind };
}
