import {
  EVALUATION_LIFETIME_HOURS,
  frozenBasket,
  offerOf,
  type Basket,
  type EvaluatedBasket,
  type EvaluationQueries,
  type Evaluations,
} from '@back-office/checkout';
import { addHours, isRefusal, refuse, type Buyer, type Clock, type Refusal } from '@back-office/kernel';
import {
  priceItems,
  requestVouchers,
  type CatalogueVariant,
  type Evaluation,
  type EvaluationFacts,
  type Offers,
  type PromisedVoucher,
  type PromotionRule,
  type RequestedVoucher,
  type ShipmentOffer,
  type StockRow,
} from '@back-office/proforma';
import { checkCurrency } from '../apps/app-currency.js';
import type { Sql } from '../connection/sql.js';
import type { Transaction, WritingSql } from '../connection/transaction.js';
import type { Postgres } from '../connection/postgres.js';
import {
  EXISTS_ANYWHERE,
  FIND_EVALUATION,
  FIND_UNUSED,
  INSERT_EVALUATION,
  LOCK_FACTS,
  REMOVE_UNUSED,
  lookUpStatement,
} from './evaluation-statements.js';

interface BasketRecords {
  readonly currency: string;
  readonly variants: readonly CatalogueVariant[];
  readonly customer: Buyer | null;
  readonly warehouse_id: number | null;
  readonly shipment: ShipmentOffer | null;
  readonly rules: readonly (Omit<PromotionRule, 'validFrom' | 'validUntil'> & {
    readonly validFrom: string | null;
    readonly validUntil: string | null;
  })[];
  readonly vouchers: readonly RequestedVoucher[];
}

export class SqlEvaluations implements Evaluations, EvaluationQueries {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  evaluate(appId: number, basket: Basket): Promise<EvaluatedBasket | Refusal> {
    return this.database.write((sql) => evaluate(sql, appId, basket, this.clock.now()));
  }

  async removeUnused(): Promise<boolean> {
    const unusedByApp = await this.database.rows<{ appId: number; ids: readonly number[] }>(FIND_UNUSED, [
      this.clock.now(),
    ]);
    let isAnyRemoved = false;
    for (const { appId, ids } of unusedByApp) {
      const removed = await this.database.rows(REMOVE_UNUSED, [appId, ids]);
      isAnyRemoved ||= removed.length > 0;
    }
    return isAnyRemoved;
  }

  async find(appId: number, id: number): Promise<EvaluatedBasket | undefined> {
    const [row] = await this.database.rows<EvaluatedBasket>(FIND_EVALUATION, [appId, id]);
    return row;
  }
}

async function evaluate(sql: WritingSql, appId: number, basket: Basket, now: Date): Promise<EvaluatedBasket | Refusal> {
  const records = await findBasketRecords(sql, appId, basket, now);
  checkCurrency(records.currency, basket.currency);
  const { customer, shipment, warehouse_id: warehouseId } = records;
  if (basket.customer !== null && customer === null) return refuse('API.Customers.NotFound');
  if (basket.warehouseCode !== null && warehouseId === null) return refuse('API.Warehouses.NotFound');
  if (basket.shipmentMethodCode !== null && shipment === null) return refuse('API.ShipmentMethods.NotFound');
  const pricedBasket = priceItems(basket.items, records.variants, offersOf(basket, records, now));
  if (isRefusal(pricedBasket)) return pricedBasket;
  const columns = {
    buyer: customer ?? basket.guest,
    ...frozenBasket(basket, pricedBasket),
    customer_id: customer?.id ?? null,
    warehouse_id: warehouseId,
    inserted_at: now,
    expires_at: addHours(now, EVALUATION_LIFETIME_HOURS),
  };
  const [insertedRow] = await sql.runLast<{ id: number }>(INSERT_EVALUATION, [appId, JSON.stringify(columns)]);
  return { id: (insertedRow as { id: number }).id, ...columns, consumed_at: null };
}

async function findBasketRecords(
  sql: Sql,
  appId: number,
  { items, ...basket }: Basket,
  now: Date,
): Promise<BasketRecords> {
  const identifiers = {
    codes: items.flatMap((item) => item.code ?? []),
    ...basket,
    barcodes: items.flatMap((item) => item.barcode ?? []),
    externalRefs: items.flatMap((item) => item.external_ref ?? []),
    variantIds: items.flatMap((item) => item.product_variant_id ?? []),
  };
  const { text, values } = lookUpStatement(appId, identifiers, now);
  const [records] = await sql.rows<BasketRecords>(text, values);
  return records as BasketRecords;
}

function offersOf(
  { coupons, vouchers }: Basket,
  { rules, shipment, vouchers: foundVouchers }: BasketRecords,
  now: Date,
): Offers {
  return {
    coupons,
    shipment,
    now,
    rules: rules.map((rule) => ({
      ...rule,
      validFrom: parseDate(rule.validFrom),
      validUntil: parseDate(rule.validUntil),
    })),
    vouchers: requestVouchers(vouchers, foundVouchers),
  };
}

function parseDate(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

interface LockedRow extends EvaluatedBasket {
  readonly stock: readonly StockRow[];
  readonly vouchers_now: readonly PromisedVoucher[];
  readonly pickup_point: Evaluation['pickupPoint'];
}

/** Returns `undefined` if the app has no such evaluation. */
export async function findEvaluationFacts(
  transaction: Transaction,
  appId: number,
  evaluationId: number,
  now: Date,
): Promise<EvaluationFacts | undefined> {
  transaction.locks('evaluation');
  transaction.locks('voucher');
  transaction.locks('stock');
  const [row] = await transaction.rows<LockedRow>(LOCK_FACTS, [appId, evaluationId, now]);
  if (row === undefined) return undefined;
  const { stock, vouchers_now: vouchers, pickup_point: pickupPoint } = row;
  return { evaluation: { vouchers, ...offerOf(row), pickupPoint }, stock };
}

export async function existsInAnyApp(database: Postgres, evaluationId: number): Promise<boolean> {
  return (await database.rows(EXISTS_ANYWHERE, [evaluationId])).length > 0;
}
