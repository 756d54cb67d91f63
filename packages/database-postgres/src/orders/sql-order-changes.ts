import { failedRows, type BulkOptions, type Clock } from '@back-office/kernel';
import {
  orderEntries,
  orderEvents,
  planOrderChanges,
  DELIVERY_STATUSES,
  ORDER_STATUSES,
  PAYMENT_STATUSES,
  statusIdIn,
  type ChangeableOrder,
  type ChangedOrders,
  type OnHand,
  type OrderChanges,
  type OrderPlan,
  type ParsedChange,
  type ReservedPieces,
} from '@back-office/orders';
import { refundEffectsOf } from '@back-office/proforma';
import { beginBulk } from '../connection/bulk.js';
import type { Transaction } from '../connection/transaction.js';
import type { Postgres } from '../connection/postgres.js';
import { executeEffects } from '../proformas/execute-effects.js';
import { lockBenefitsOf, lockProformasOf } from '../proformas/order-refunds.js';
import { bookEndedReservationsSql, LOCK_ON_HAND } from '../stock/ended-reservations.js';

const LOCK_ORDERS = `
  select id, data_part as "dataPart", time_part as "timePart", order_number as number,
    order_status_id, payment_status_id, delivery_status_id, invoice_number as "invoiceNumber", tracking,
    shipped_at is not null as "hasShipped", paid = 0 as "isUnpaid",
    proforma_order_id is not null or paid = 0 as "isRefundable"
  from orders where app_id = $1 and id = any($2::bigint[]) order by id for update`;

// Locks no rows, because reservations of locked orders cannot change.
const FIND_RESERVATIONS = `
  select i.order_id, r.proforma_item_id as "proformaItemId", r.product_variant_id as "variantId",
    r.warehouse_id as "warehouseId", r.qty
  from order_items i
  join stock_reservations r on r.app_id = $1 and r.proforma_item_id = i.proforma_item_id
  where i.app_id = $1 and i.order_id = any($2::bigint[])`;

const SAVE_ORDERS = `
  with saved as (
    update orders o
    set order_status_id = r.order_status_id, payment_status_id = r.payment_status_id,
      delivery_status_id = r.delivery_status_id, invoice_number = r.invoice_number, tracking = r.tracking,
      shipped_at = case when r.has_left then coalesce(o.shipped_at, $5) end, updated_at = $5
    from json_to_recordset($2) as r
      (id bigint, order_status_id smallint, payment_status_id smallint, delivery_status_id smallint, invoice_number text,
        tracking jsonb, has_left boolean)
    where o.app_id = $1 and o.id = r.id
  ), unsold as (
    select product_id, sum(qty) as qty from order_items
    where app_id = $1 and order_id = any($3::bigint[]) group by product_id order by product_id
  ), counted as (
    update product_sales s set quantity = s.quantity - unsold.qty from unsold
    where s.app_id = $1 and s.product_id = unsold.product_id
  ), ended as (
    select * from json_to_recordset($4) as r
      (proforma_item_id bigint, variant_id bigint, warehouse_id bigint, qty bigint, kind text, reference text)
  ), ${bookEndedReservationsSql('ended', '$1', '$5::timestamptz')}
  select 1`;

export class SqlOrderChanges implements OrderChanges {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  change(
    appId: number,
    changes: readonly ParsedChange[],
    { explain = false, dryRun = false }: BulkOptions,
  ): Promise<ChangedOrders> {
    const work = (transaction: Transaction): Promise<ChangedOrders> =>
      this.updateAll(transaction, appId, changes, explain);
    return this.database.transaction(work, { dryRun });
  }

  private async updateAll(
    transaction: Transaction,
    appId: number,
    changes: readonly ParsedChange[],
    explain: boolean,
  ): Promise<ChangedOrders> {
    await beginBulk(transaction, changes.length);
    const proformas = await lockProformasOf(transaction, appId, {
      refunded: changes.flatMap((change) => (typeof change !== 'string' && change.refund ? [change.id] : [])),
      canceled: changes.flatMap((change) =>
        typeof change !== 'string' && change.status === 'canceled' ? [change.id] : [],
      ),
    });
    const orders = await lockOrders(transaction, appId, changes);
    await lockBenefitsOf(transaction, appId, proformas);
    const onHand = await lockStock(transaction, appId, orders);
    const plan = planOrderChanges(changes, { orders, onHand });
    const now = this.clock.now();
    if (plan.orders.length > 0) {
      await saveOrders(transaction, appId, plan, now);
      transaction.record(appId, now, {
        entries: orderEntries(orders, plan.orders),
        events: orderEvents(orders, plan),
      });
    }
    const refundableIds = new Set<number | null>(plan.refundedIds);
    const refundedProformas = proformas.filter(({ orderId }) => refundableIds.has(orderId));
    const refunds = refundEffectsOf(refundedProformas, now);
    const dueRefunds = await executeEffects(refunds, transaction, appId, { now, isPartOfCall: true });
    return { dueRefunds, failed: failedRows(plan.outcomes), explain: explain ? plan.explain() : undefined };
  }
}

interface OrderRow extends Omit<ChangeableOrder, 'status' | 'paymentStatus' | 'deliveryStatus' | 'reservedPieces'> {
  readonly order_status_id: number;
  readonly payment_status_id: number;
  readonly delivery_status_id: number;
}

function statusName<Name extends string>(names: readonly Name[], id: number): Name {
  return names[id - 1] as Name;
}

async function lockOrders(
  transaction: Transaction,
  appId: number,
  changes: readonly ParsedChange[],
): Promise<ChangeableOrder[]> {
  transaction.locks('order');
  const ids = [...new Set(changes.flatMap((change) => (typeof change === 'string' ? [] : [change.id])))];
  const orders = await transaction.rows<OrderRow>(LOCK_ORDERS, [appId, ids]);
  const orderIds = orders.map((order) => order.id);
  const reservations = await transaction.rows<ReservedPieces & { order_id: number }>(FIND_RESERVATIONS, [
    appId,
    orderIds,
  ]);
  const byOrder = new Map(orderIds.map((id) => [id, [] as ReservedPieces[]]));
  for (const { order_id: orderId, ...pieces } of reservations) byOrder.get(orderId)?.push(pieces);
  return orders.map(
    ({ order_status_id: status, payment_status_id: payment, delivery_status_id: delivery, ...order }) => ({
      ...order,
      status: statusName(ORDER_STATUSES, status),
      paymentStatus: statusName(PAYMENT_STATUSES, payment),
      deliveryStatus: statusName(DELIVERY_STATUSES, delivery),
      reservedPieces: byOrder.get(order.id) ?? [],
    }),
  );
}

async function lockStock(transaction: Transaction, appId: number, orders: readonly ChangeableOrder[]): Promise<OnHand> {
  transaction.locks('stock');
  const pieces = orders.flatMap(({ reservedPieces }) => reservedPieces);
  const rows = await transaction.rows<{ variant_id: number; warehouse_id: number; on_hand: number }>(LOCK_ON_HAND, [
    appId,
    pieces.map(({ variantId }) => variantId),
    pieces.map(({ warehouseId }) => warehouseId),
  ]);
  const onHand = new Map(rows.map((row) => [`${row.variant_id}/${row.warehouse_id}`, row.on_hand]));
  return (variantId, warehouseId) => onHand.get(`${variantId}/${warehouseId}`) ?? 0;
}

async function saveOrders(
  transaction: Transaction,
  appId: number,
  { orders, canceledIds, endedReservations }: OrderPlan,
  now: Date,
): Promise<void> {
  const rows = orders.map((order) => ({
    id: order.id,
    order_status_id: statusIdIn(ORDER_STATUSES, order.status),
    payment_status_id: statusIdIn(PAYMENT_STATUSES, order.paymentStatus),
    delivery_status_id: statusIdIn(DELIVERY_STATUSES, order.deliveryStatus),
    invoice_number: order.invoiceNumber,
    tracking: order.tracking,
    has_left: order.hasShipped,
  }));
  const endedRows = endedReservations.map(({ kind, reference, proformaItemId, variantId, warehouseId, qty }) => ({
    kind,
    reference,
    proforma_item_id: proformaItemId,
    variant_id: variantId,
    warehouse_id: warehouseId,
    qty,
  }));
  await transaction.rows(SAVE_ORDERS, [appId, JSON.stringify(rows), canceledIds, JSON.stringify(endedRows), now]);
}
