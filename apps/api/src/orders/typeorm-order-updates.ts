import type { Clock } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import {
  changeOrders,
  DELIVERY_STATUSES,
  ORDER_STATUSES,
  PAYMENT_STATUSES,
  type ChangeableOrder,
  type OnHand,
  type OrderEffects,
  type ReadChange,
  type ReservedPieces,
} from '@back-office/orders';
import { beginBulk, type BulkOptions } from '../database/bulk.js';
import type { Database, Transaction } from '../database/database.js';
import { WriteOnce } from '../database/write-once.js';
import { bookDepartures, LOCK_ON_HAND } from '../stock/index.js';
import type { DueRefunds, OrderRefunds } from './order-refunds.js';
import { explainChanges } from './order-change-rows.js';

const LOCK = `
  select id, data_part as "dataPart", time_part as "timePart", order_number as number,
    order_status_id, payment_status_id, delivery_status_id, invoice_number as "invoiceNumber",
    shipped_at is not null as "hasLeft", proforma_order_id is not null or paid = 0 as "isRefundable"
  from orders where app_id = $1 and id = any($2::bigint[]) order by id for update`;

// The orders are locked, so their reservations stand still.
const RESERVED = `
  select i.order_id, r.proforma_item_id as "proformaItemId", r.product_variant_id as "variantId",
    r.warehouse_id as "warehouseId", r.qty
  from order_items i
  join stock_reservations r on r.app_id = $1 and r.proforma_item_id = i.proforma_item_id
  where i.app_id = $1 and i.order_id = any($2::bigint[])`;

const SAVE = `
  with saved as (
    update orders o
    set order_status_id = r.order_status_id, payment_status_id = r.payment_status_id,
      delivery_status_id = r.delivery_status_id, invoice_number = r.invoice_number,
      shipped_at = case when r.has_left then coalesce(o.shipped_at, $5) end, updated_at = $5
    from json_to_recordset($2) as r
      (id bigint, order_status_id smallint, payment_status_id smallint, delivery_status_id smallint, invoice_number text,
        has_left boolean)
    where o.app_id = $1 and o.id = r.id
  ), unsold as (
    select product_id, sum(qty) as qty from order_items
    where app_id = $1 and order_id = any($3::bigint[]) group by product_id order by product_id
  ), counted as (
    update product_sales s set quantity = s.quantity - unsold.qty from unsold
    where s.app_id = $1 and s.product_id = unsold.product_id
  ), departure as (
    select * from json_to_recordset($4) as r
      (proforma_item_id bigint, variant_id bigint, warehouse_id bigint, qty bigint, kind text, reference text)
  ), ${bookDepartures('departure', '$1', '$5::timestamptz')}
  select 1`;

export interface UpdatedOrders {
  readonly failed: OrderEffects['failed'];
  readonly explain: Explanations | undefined;
}

interface Updated extends UpdatedOrders {
  readonly due: readonly DueRefunds[];
}

/** Changes of orders in bulk, with what they mean for stock and money. */
export class TypeOrmOrderUpdates {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly refunds: OrderRefunds,
  ) {}

  /** Updates what can be updated and answers the rest as failed; a row that failed already arrives as its key. */
  async update(
    appId: number,
    changes: readonly ReadChange[],
    { explain = false, dryRun = false }: BulkOptions = {},
  ): Promise<UpdatedOrders> {
    const work = (transaction: Transaction): Promise<Updated> => this.updateAll(transaction, appId, changes, explain);
    const { due, ...updated } = await this.database.transaction(work, { rehearsal: dryRun });
    // What an earlier run of the call has written, the worker has asked for by now.
    if (!dryRun && !WriteOnce.isResumed()) await this.refunds.payOut(appId, due);
    return updated;
  }

  private async updateAll(
    transaction: Transaction,
    appId: number,
    changes: readonly ReadChange[],
    explain: boolean,
  ): Promise<Updated> {
    await beginBulk(transaction, changes.length);
    const refunding = changes.flatMap((change) => (typeof change !== 'string' && change.refund ? [change.id] : []));
    const proformas = refunding.length > 0 ? await this.refunds.lock(transaction, appId, refunding) : [];
    const found = await lockOrders(transaction, appId, changes);
    if (proformas.length > 0) await this.refunds.lockBenefits(transaction, appId, proformas);
    const onHand = await lockStock(transaction, appId, found);
    const effects = changeOrders(changes, found, onHand);
    if (effects.orders.length > 0) await save(transaction, appId, effects, this.clock.now());
    const refunded = new Set<number | null>(effects.refunded);
    const paid = proformas.filter(({ orderId }) => refunded.has(orderId));
    const due = paid.length > 0 ? await this.refunds.giveBack(transaction, appId, paid) : [];
    return { due, failed: effects.failed, explain: explain ? explainChanges(changes, found) : undefined };
  }
}

interface OrderRow extends Omit<ChangeableOrder, 'status' | 'paymentStatus' | 'deliveryStatus' | 'reserved'> {
  readonly order_status_id: number;
  readonly payment_status_id: number;
  readonly delivery_status_id: number;
}

function named<Name extends string>(names: readonly Name[], id: number): Name {
  return names[id - 1] as Name;
}

async function lockOrders(
  transaction: Transaction,
  appId: number,
  changes: readonly ReadChange[],
): Promise<ChangeableOrder[]> {
  transaction.locks('order');
  const ids = [...new Set(changes.flatMap((change) => (typeof change === 'string' ? [] : [change.id])))];
  const orders = await transaction.rows<OrderRow>(LOCK, [appId, ids]);
  const found = orders.map((order) => order.id);
  const reserved = await transaction.rows<ReservedPieces & { order_id: number }>(RESERVED, [appId, found]);
  const byOrder = new Map(found.map((id) => [id, [] as ReservedPieces[]]));
  for (const { order_id: orderId, ...pieces } of reserved) byOrder.get(orderId)?.push(pieces);
  return orders.map(
    ({ order_status_id: status, payment_status_id: payment, delivery_status_id: delivery, ...order }) => ({
      ...order,
      status: named(ORDER_STATUSES, status),
      paymentStatus: named(PAYMENT_STATUSES, payment),
      deliveryStatus: named(DELIVERY_STATUSES, delivery),
      reserved: byOrder.get(order.id) ?? [],
    }),
  );
}

async function lockStock(transaction: Transaction, appId: number, orders: readonly ChangeableOrder[]): Promise<OnHand> {
  transaction.locks('stock');
  const places = orders.flatMap(({ reserved }) => reserved);
  const rows = await transaction.rows<{ variant_id: number; warehouse_id: number; on_hand: number }>(LOCK_ON_HAND, [
    appId,
    places.map((place) => place.variantId),
    places.map((place) => place.warehouseId),
  ]);
  const onHand = new Map(rows.map((row) => [`${row.variant_id}/${row.warehouse_id}`, row.on_hand]));
  return (variantId, warehouseId) => onHand.get(`${variantId}/${warehouseId}`) ?? 0;
}

async function save(
  transaction: Transaction,
  appId: number,
  { orders, canceled, departures }: OrderEffects,
  now: Date,
): Promise<void> {
  const rows = orders.map((order) => ({
    id: order.id,
    order_status_id: ORDER_STATUSES.indexOf(order.status) + 1,
    payment_status_id: PAYMENT_STATUSES.indexOf(order.paymentStatus) + 1,
    delivery_status_id: DELIVERY_STATUSES.indexOf(order.deliveryStatus) + 1,
    invoice_number: order.invoiceNumber,
    has_left: order.hasLeft,
  }));
  const leaving = departures.map(({ kind, reference, proformaItemId, variantId, warehouseId, qty }) => ({
    kind,
    reference,
    proforma_item_id: proformaItemId,
    variant_id: variantId,
    warehouse_id: warehouseId,
    qty,
  }));
  await transaction.rows(SAVE, [appId, JSON.stringify(rows), canceled, JSON.stringify(leaving), now]);
}
