import type { Clock } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import { beginBulk, type BulkOptions } from '../database/bulk.js';
import type { Database, Transaction } from '../database/database.js';
import { WriteOnce } from '../database/write-once.js';
import { bookDepartures, LOCK_ON_HAND } from '../stock/index.js';
import type { DueRefunds, OrderRefunds } from './order-refunds.js';
import {
  explainUpdates,
  planUpdates,
  type OnHand,
  type OrderUpdates,
  type OrderWish,
  type ReservedPieces,
  type UpdatableOrder,
} from './order-updates.js';

const LOCK = `
  select id, data_part, time_part, order_number, order_status_id, payment_status_id, delivery_status_id, invoice_number,
    shipped_at is not null as has_left, proforma_order_id is not null or paid = 0 as is_refundable
  from orders where app_id = $1 and id = any($2::bigint[]) order by id for update`;

// The orders are locked, so their reservations stand still.
const RESERVED = `
  select i.order_id, r.proforma_item_id, r.product_variant_id as variant_id, r.warehouse_id, r.qty
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
  readonly failed: OrderUpdates['failed'];
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
    wishes: readonly (OrderWish | string)[],
    { explain = false, dryRun = false }: BulkOptions = {},
  ): Promise<UpdatedOrders> {
    const work = (transaction: Transaction): Promise<Updated> => this.updateAll(transaction, appId, wishes, explain);
    const { due, ...updated } = await this.database.transaction(work, { rehearsal: dryRun });
    // What an earlier run of the call has written, the worker has asked for by now.
    if (!dryRun && !WriteOnce.isResumed()) await this.refunds.payOut(appId, due);
    return updated;
  }

  private async updateAll(
    transaction: Transaction,
    appId: number,
    wishes: readonly (OrderWish | string)[],
    explain: boolean,
  ): Promise<Updated> {
    await beginBulk(transaction, wishes.length);
    const refunding = wishes.flatMap((wish) => (typeof wish !== 'string' && wish.refund ? [wish.id] : []));
    const proformas = refunding.length > 0 ? await this.refunds.lock(transaction, appId, refunding) : [];
    const found = await lockOrders(transaction, appId, wishes);
    if (proformas.length > 0) await this.refunds.lockBenefits(transaction, appId, proformas);
    const onHand = await lockStock(transaction, appId, found);
    const updates = planUpdates(wishes, found, onHand);
    if (updates.orders.length > 0) await save(transaction, appId, updates, this.clock.now());
    const refunded = new Set<number | null>(updates.refunded);
    const paid = proformas.filter(({ orderId }) => refunded.has(orderId));
    const due = paid.length > 0 ? await this.refunds.giveBack(transaction, appId, paid) : [];
    return { due, failed: updates.failed, explain: explain ? explainUpdates(wishes, found) : undefined };
  }
}

async function lockOrders(
  transaction: Transaction,
  appId: number,
  wishes: readonly (OrderWish | string)[],
): Promise<UpdatableOrder[]> {
  transaction.locks('order');
  const ids = [...new Set(wishes.flatMap((wish) => (typeof wish === 'string' ? [] : [wish.id])))];
  const orders = await transaction.rows<Omit<UpdatableOrder, 'reserved'>>(LOCK, [appId, ids]);
  const found = orders.map((order) => order.id);
  const reserved = await transaction.rows<ReservedPieces & { order_id: number }>(RESERVED, [appId, found]);
  const byOrder = new Map(found.map((id) => [id, [] as ReservedPieces[]]));
  for (const { order_id: orderId, ...pieces } of reserved) byOrder.get(orderId)?.push(pieces);
  return orders.map((order) => ({ ...order, reserved: byOrder.get(order.id) ?? [] }));
}

async function lockStock(transaction: Transaction, appId: number, orders: readonly UpdatableOrder[]): Promise<OnHand> {
  transaction.locks('stock');
  const places = orders.flatMap(({ reserved }) => reserved);
  const rows = await transaction.rows<{ variant_id: number; warehouse_id: number; on_hand: number }>(LOCK_ON_HAND, [
    appId,
    places.map((place) => place.variant_id),
    places.map((place) => place.warehouse_id),
  ]);
  const onHand = new Map(rows.map((row) => [`${row.variant_id}/${row.warehouse_id}`, row.on_hand]));
  return (variantId, warehouseId) => onHand.get(`${variantId}/${warehouseId}`) ?? 0;
}

async function save(
  transaction: Transaction,
  appId: number,
  { orders, canceled, departures }: OrderUpdates,
  now: Date,
): Promise<void> {
  const rows = orders.map(({ reserved: _reserved, is_refundable: _refundable, ...order }) => order);
  await transaction.rows(SAVE, [appId, JSON.stringify(rows), canceled, JSON.stringify(departures), now]);
}
