import { addHours, isRefusal, refuse, type Clock, type Refusal } from '@back-office/kernel';
import type {
  Address,
  Buyer,
  EvaluatedLine,
  Evaluation,
  EvaluationFacts,
  FeeLine,
  StockRow,
} from '@back-office/proforma';
import type { Database, Sql, Transaction } from '../database/database.js';
import { priceBasket, type BasketItem, type CatalogueVariant, type PricedBasket } from './evaluation.js';

const LIFETIME_HOURS = 24;

const LOOK_UP = `
  select
    (select coalesce(json_agg(json_build_object(
      'id', v.id, 'product_id', p.id, 'code', v.code, 'barcode', v.barcode, 'external_ref', v.external_ref,
      'name', p.name, 'price', coalesce(v.price, p.price), 'vat_rate', coalesce(v.vat_rate, p.vat_rate),
      'active', p.active)), '[]')
     from product_variants v join products p on p.app_id = $1 and p.id = v.product_id
     where v.app_id = $1 and v.id in (
       select w.id from unnest($2::text[]) as n (code) join product_variants w on w.app_id = $1 and w.code = n.code
       union
       select w.id from unnest($3::text[]) as n (code) join product_variants w on w.app_id = $1 and w.barcode = n.code
       union
       select w.id from unnest($4::text[]) as n (ref) join product_variants w on w.app_id = $1 and w.external_ref = n.ref
       union select unnest($5::bigint[])
     )) as variants,
    (select json_build_object('id', c.id, 'dataPart', c.data_part, 'timePart', c.time_part, 'email', c.email,
      'firstName', c.first_name, 'lastName', c.last_name, 'phone', c.phone)
     from customers c
     where c.app_id = $1 and ((c.id = $6 and c.data_part = $7::bigint and c.time_part = $8::bigint) or c.external_ref = $9)
     limit 1) as customer,
    (select id from warehouses where app_id = $1 and code = $10 and deleted_at is null) as warehouse_id`;

const COLUMNS = `
  customer_id bigint, buyer jsonb, delivery jsonb, items jsonb, fees jsonb, sales bigint, discount bigint,
  net_sales bigint, vat bigint, end_sales bigint, currency text, warehouse_id bigint, market_id int,
  sales_channel_id int, sales_channel text, comment text, tags text[], expires_at timestamptz, inserted_at timestamptz`;
const NAMES = COLUMNS.replaceAll(/(\w+) [\w[\]]+/g, '$1');

const INSERT = `
  insert into order_processings (app_id, ${NAMES})
  select $1, ${NAMES} from json_to_record($2) as r (${COLUMNS}) returning id`;

const FIND = `select * from order_processings where app_id = $1 and id = $2`;

/**
 * Locks the evaluation, and of its variants the stock that may be used: sellable warehouses, or the one it names.
 * Rows that others have changed meanwhile arrive as they are now.
 */
const LOCK_FACTS = `
  with evaluation as materialized (
    select * from order_processings where app_id = $1 and id = $2 for update
  ), wanted as materialized (
    select distinct (line ->> 'variantId')::bigint as variant_id from evaluation, jsonb_array_elements(items) as line
  ), stock as materialized (
    select s.product_variant_id, s.warehouse_id, w.code, s.on_hand, s.reserved
    from stocks s join warehouses w on w.app_id = $1 and w.id = s.warehouse_id
    where s.app_id = $1 and s.product_variant_id in (select variant_id from wanted)
      and w.sellable and w.deleted_at is null
      and s.warehouse_id = coalesce((select warehouse_id from evaluation), s.warehouse_id)
    order by s.product_variant_id, s.warehouse_id for update of s
  )
  select evaluation.*, (
    select coalesce(json_agg(json_build_object('variantId', product_variant_id, 'warehouseId', warehouse_id,
      'warehouseCode', code, 'onHand', on_hand, 'reserved', reserved)), '[]') from stock
  ) as stock from evaluation`;

// The one look-up across apps: an evaluation of another app is told apart from one that does not exist.
const EXISTS_ANYWHERE = `select 1 from order_processings where id = $1`;

export interface EvaluationRow {
  readonly id: number;
  readonly buyer: Buyer;
  readonly delivery: Address | null;
  readonly items: readonly EvaluatedLine[];
  readonly fees: readonly FeeLine[];
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
  readonly customer: {
    readonly id?: number;
    readonly dataPart?: number;
    readonly timePart?: number;
    readonly externalRef?: string;
  } | null;
  readonly guest: Buyer;
  readonly delivery: Address | null;
  readonly warehouseCode: string | null;
  readonly currency: string;
  readonly marketId: number;
  readonly salesChannelId: number;
  readonly salesChannel: string;
  readonly comment: string | null;
  readonly tags: readonly string[];
}

interface LookedUp {
  readonly variants: readonly CatalogueVariant[];
  readonly customer: Buyer | null;
  readonly warehouse_id: number | null;
}

export class TypeOrmEvaluations {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Prices the basket with the catalogue as it is and keeps the result for 24 hours. Nothing is reserved. */
  async evaluate(appId: number, basket: Basket): Promise<EvaluationRow | Refusal> {
    const { variants, customer, warehouse_id: warehouseId } = await lookUp(this.database, appId, basket);
    if (basket.customer !== null && customer === null) return refuse('API.Customers.NotFound');
    if (basket.warehouseCode !== null && warehouseId === null) return refuse('API.Warehouses.NotFound');
    const priced = priceBasket(basket.items, variants);
    if (isRefusal(priced)) return priced;
    const now = this.clock.now();
    const row = { ...rowOf(basket, priced), buyer: customer ?? basket.guest, customer_id: customer?.id ?? null };
    const times = { inserted_at: now, expires_at: addHours(now, LIFETIME_HOURS) };
    const columns = { ...row, ...times, warehouse_id: warehouseId };
    const [inserted] = await this.database.rows<{ id: number }>(INSERT, [appId, JSON.stringify(columns)]);
    return { ...columns, id: (inserted as { id: number }).id, consumed_at: null };
  }

  async find(appId: number, id: number): Promise<EvaluationRow | undefined> {
    const [row] = await this.database.rows<EvaluationRow>(FIND, [appId, id]);
    return row;
  }
}

async function lookUp(sql: Sql, appId: number, { items, customer, warehouseCode }: Basket): Promise<LookedUp> {
  const [found] = await sql.rows<LookedUp>(LOOK_UP, [
    appId,
    items.flatMap((item) => item.code ?? []),
    items.flatMap((item) => item.barcode ?? []),
    items.flatMap((item) => item.external_ref ?? []),
    items.flatMap((item) => item.product_variant_id ?? []),
    customer?.id ?? null,
    customer?.dataPart ?? null,
    customer?.timePart ?? null,
    customer?.externalRef ?? null,
    warehouseCode,
  ]);
  return found as LookedUp;
}

function rowOf(basket: Basket, { lines, fees, totals }: PricedBasket) {
  return {
    delivery: basket.delivery,
    items: lines,
    fees,
    sales: totals.sales,
    discount: totals.discount,
    net_sales: totals.netSales,
    vat: totals.vat,
    end_sales: totals.endSales,
    currency: basket.currency,
    shipment_method_code: null,
    pickup_point_code: null,
    market_id: basket.marketId,
    sales_channel_id: basket.salesChannelId,
    sales_channel: basket.salesChannel,
    comment: basket.comment,
    tags: basket.tags,
  };
}

/** The locked facts from which a proforma is made. The evaluation is locked first, its stock after it. */
export async function findEvaluationFacts(
  transaction: Transaction,
  appId: number,
  evaluationId: number,
): Promise<EvaluationFacts> {
  transaction.locks('evaluation');
  transaction.locks('stock');
  const [row] = await transaction.rows<EvaluationRow & { stock: StockRow[] }>(LOCK_FACTS, [appId, evaluationId]);
  if (row) return { evaluation: evaluationOf(row), stock: row.stock };
  const elsewhere = await transaction.rows(EXISTS_ANYWHERE, [evaluationId]);
  return { evaluation: elsewhere.length > 0 ? 'of another app' : undefined, stock: [] };
}

function evaluationOf(row: EvaluationRow): Evaluation {
  return {
    id: row.id,
    used: row.consumed_at !== null,
    expiresAt: row.expires_at,
    buyer: row.buyer,
    delivery: row.delivery,
    pickupPoint: 'not needed',
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
