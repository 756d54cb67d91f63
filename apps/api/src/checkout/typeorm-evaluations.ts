import { addHours, isRefusal, refuse, type Clock, type Refusal } from '@back-office/kernel';
import type {
  Address,
  Buyer,
  EvaluatedLine,
  EvaluatedVoucher,
  Evaluation,
  EvaluationFacts,
  FeeLine,
  OfferedVoucher,
  Offers,
  PricedBasket,
  PromisedVoucher,
  Promotion,
  PromotionRule,
  Shipment,
  StockRow,
} from '@back-office/proforma';
import { checkCurrency } from '../apps/index.js';
import type { CustomerName } from '../customers/index.js';
import type { Database, Sql, Transaction, Writing } from '../database/database.js';
import { EXISTS_ANYWHERE, FIND, INSERT, LOCK_FACTS, lookUpStatement } from './evaluation-statements.query.js';
import { priceItems, type BasketItem, type CatalogueVariant } from './evaluation.js';

const LIFETIME_HOURS = 24;

export interface EvaluationRow {
  readonly id: number;
  readonly buyer: Buyer;
  readonly delivery: Address | null;
  readonly items: readonly EvaluatedLine[];
  readonly fees: readonly FeeLine[];
  readonly promotions: readonly Promotion[];
  readonly vouchers: readonly EvaluatedVoucher[];
  readonly sales: number;
  readonly discount: number;
  readonly net_sales: number;
  readonly vat: number;
  readonly end_sales: number;
  readonly currency: string;
  readonly shipment_method_code: string | null;
  readonly pickup_point_code: string | null;
  readonly market_id: number;
  readonly sales_channel_id: number;
  readonly sales_channel: string;
  readonly comment: string | null;
  readonly tags: readonly string[];
  readonly expires_at: Date;
  readonly consumed_at: Date | null;
}

export interface Basket {
  readonly items: readonly BasketItem[];
  readonly customer: CustomerName | null;
  readonly guest: Buyer;
  readonly delivery: Address | null;
  readonly warehouseCode: string | null;
  readonly shipmentMethodCode: string | null;
  readonly pickupPointCode: string | null;
  readonly coupons: readonly string[];
  readonly vouchers: readonly string[];
  readonly currency: string;
  readonly marketId: number;
  readonly salesChannelId: number;
  readonly salesChannel: string;
  readonly comment: string | null;
  readonly tags: readonly string[];
}

interface LookedUp {
  readonly currency: string;
  readonly variants: readonly CatalogueVariant[];
  readonly customer: Buyer | null;
  readonly warehouse_id: number | null;
  readonly shipment: Shipment | null;
  readonly rules: readonly (Omit<PromotionRule, 'validFrom' | 'validUntil'> & {
    readonly validFrom: string | null;
    readonly validUntil: string | null;
  })[];
  readonly vouchers: readonly OfferedVoucher[];
}

export class TypeOrmEvaluations {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Prices the basket with the catalogue as it is and keeps the result for 24 hours. Nothing is reserved. */
  evaluate(appId: number, basket: Basket): Promise<EvaluationRow | Refusal> {
    return this.database.write((sql) => evaluate(sql, appId, basket, this.clock.now()));
  }

  async find(appId: number, id: number): Promise<EvaluationRow | undefined> {
    const [row] = await this.database.rows<EvaluationRow>(FIND, [appId, id]);
    return row;
  }
}

async function evaluate(sql: Writing, appId: number, basket: Basket, now: Date): Promise<EvaluationRow | Refusal> {
  const looked = await lookUp(sql, appId, basket, now);
  checkCurrency(looked.currency, basket.currency);
  const { customer, shipment, warehouse_id: warehouseId } = looked;
  if (basket.customer !== null && customer === null) return refuse('API.Customers.NotFound');
  if (basket.warehouseCode !== null && warehouseId === null) return refuse('API.Warehouses.NotFound');
  if (basket.shipmentMethodCode !== null && shipment === null) return refuse('API.ShipmentMethods.NotFound');
  const priced = priceItems(basket.items, looked.variants, offersOf(basket, looked, now));
  if (isRefusal(priced)) return priced;
  const row = { ...rowOf(basket, priced), buyer: customer ?? basket.guest, customer_id: customer?.id ?? null };
  const times = { inserted_at: now, expires_at: addHours(now, LIFETIME_HOURS) };
  const columns = { ...row, ...times, warehouse_id: warehouseId };
  const [inserted] = await sql.last<{ id: number }>(INSERT, [appId, JSON.stringify(columns)]);
  return { ...columns, id: (inserted as { id: number }).id, consumed_at: null };
}

async function lookUp(sql: Sql, appId: number, { items, ...basket }: Basket, now: Date): Promise<LookedUp> {
  const named = {
    ...basket,
    codes: items.flatMap((item) => item.code ?? []),
    barcodes: items.flatMap((item) => item.barcode ?? []),
    externalRefs: items.flatMap((item) => item.external_ref ?? []),
    variantIds: items.flatMap((item) => item.product_variant_id ?? []),
  };
  const { text, values } = lookUpStatement(appId, named, now);
  const [found] = await sql.rows<LookedUp>(text, values);
  return found as LookedUp;
}

function offersOf({ coupons, vouchers }: Basket, { rules, shipment, vouchers: found }: LookedUp, now: Date): Offers {
  const byCode = new Map(found.map((voucher) => [voucher.code, voucher]));
  return {
    coupons,
    shipment,
    now,
    rules: rules.map((rule) => ({ ...rule, validFrom: dateOf(rule.validFrom), validUntil: dateOf(rule.validUntil) })),
    vouchers: vouchers.map((code) => byCode.get(code) ?? { id: 0, code, available: 0 }),
  };
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

function rowOf(basket: Basket, { lines, fees, promotions, vouchers, totals }: PricedBasket) {
  return {
    delivery: basket.delivery,
    items: lines,
    fees,
    promotions,
    vouchers,
    sales: totals.sales,
    discount: totals.discount,
    net_sales: totals.netSales,
    vat: totals.vat,
    end_sales: totals.endSales,
    currency: basket.currency,
    shipment_method_code: basket.shipmentMethodCode,
    pickup_point_code: basket.pickupPointCode,
    market_id: basket.marketId,
    sales_channel_id: basket.salesChannelId,
    sales_channel: basket.salesChannel,
    comment: basket.comment,
    tags: basket.tags,
  };
}

interface LockedRow extends EvaluationRow {
  readonly stock: readonly StockRow[];
  readonly vouchers_now: readonly PromisedVoucher[];
  readonly pickup_point: Evaluation['pickupPoint'];
}

/** The locked facts from which a proforma is made. The evaluation is locked first, its vouchers and its stock after it. */
export async function findEvaluationFacts(
  transaction: Transaction,
  appId: number,
  evaluationId: number,
  now: Date,
): Promise<EvaluationFacts> {
  transaction.locks('evaluation');
  transaction.locks('voucher');
  transaction.locks('stock');
  const [row] = await transaction.rows<LockedRow>(LOCK_FACTS, [appId, evaluationId, now]);
  if (row) return { evaluation: evaluationOf(row), stock: row.stock };
  const elsewhere = await transaction.rows(EXISTS_ANYWHERE, [evaluationId]);
  return { evaluation: elsewhere.length > 0 ? 'of another app' : undefined, stock: [] };
}

function evaluationOf(row: LockedRow): Evaluation {
  return {
    id: row.id,
    used: row.consumed_at !== null,
    expiresAt: row.expires_at,
    buyer: row.buyer,
    delivery: row.delivery,
    pickupPoint: row.pickup_point,
    promotions: row.promotions,
    vouchers: row.vouchers_now,
    lines: row.items,
    fees: row.fees,
    totals: {
      sales: row.sales,
      discount: row.discount,
      netSales: row.net_sales,
      vat: row.vat,
      endSales: row.end_sales,
    },
    currency: row.currency,
    shipmentMethodCode: row.shipment_method_code,
    pickupPointCode: row.pickup_point_code,
    marketId: row.market_id,
    salesChannelId: row.sales_channel_id,
    salesChannel: row.sales_channel,
    comment: row.comment,
    tags: row.tags,
  };
}
