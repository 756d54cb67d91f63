import { failedRows, type BulkOptions, type Clock } from '@back-office/kernel';
import {
  orderEntries,
  orderEvents,
  planOrderChanges,
  DELIVERY_STATUSES,
  ORDER_STATUSES,
  PAYMENT_STATUSES,
  type ChangeableOrder,
  type ChangedOrders,
  type OrderChanges,
  type OrderPlan,
  type ParsedChange,
  type ReservedPieces,
} from '@back-office/orders';
import { audit } from '../apps/audit-entries.js';
import { refundEffectsOf } from '@back-office/proforma';
import { subtractSold } from '../catalogue/sales.js';
import { publish } from '../events/published-events.js';
import { executeEffects } from '../proformas/execute-effects.js';
import { findProformas } from '../proformas/stored-proformas.js';
import type { State } from '../state.js';
import { endReservations } from '../stock/reservations.js';
import { shelfKey, stockByShelf } from '../stock/shelves.js';
import { soldPieces } from './new-order.js';
import type { StoredOrder } from './records.js';

export class MemoryOrderChanges implements OrderChanges {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async change(
    appId: number,
    changes: readonly ParsedChange[],
    { explain = false, dryRun = false }: BulkOptions,
  ): Promise<ChangedOrders> {
    return this.state.memory.transaction(() => this.changeAll(appId, changes, explain), { dryRun });
  }

  private changeAll(appId: number, changes: readonly ParsedChange[], explain: boolean): ChangedOrders {
    const changeableOrders = this.find(appId, changes);
    const stock = stockByShelf(this.state, appId);
    const onHand = (variantId: number, warehouseId: number): number =>
      stock.get(shelfKey({ variantId, warehouseId }))?.on_hand ?? 0;
    const plan = planOrderChanges(changes, { orders: changeableOrders, onHand });
    this.save(appId, plan);
    const now = this.clock.now();
    audit(this.state, appId, now, orderEntries(changeableOrders, plan.orders));
    const refundedProformaIds = plan.refundedIds.flatMap(
      (id) => this.state.orders.get(appId, id)?.proforma_order_id ?? [],
    );
    publish(this.state, appId, now, orderEvents(changeableOrders, plan));
    const refunds = refundEffectsOf(findProformas(this.state, appId, refundedProformaIds), now);
    const dueRefunds = executeEffects(refunds, this.state, appId, now);
    return { dueRefunds, failed: failedRows(plan.outcomes), explain: explain ? plan.explain() : undefined };
  }

  private find(appId: number, changes: readonly ParsedChange[]): ChangeableOrder[] {
    const ids = new Set(changes.flatMap((change) => (typeof change === 'string' ? [] : [change.id])));
    const orders = [...ids].flatMap((id) => this.state.orders.get(appId, id) ?? []);
    return orders.map((order) => toChangeableOrder(order, this.reservedFor(appId, order)));
  }

  private reservedFor(appId: number, { items }: StoredOrder): ReservedPieces[] {
    return items.flatMap(({ proforma_item_id: id }) => {
      const reservation = this.state.stockReservations.get(appId, id ?? 0);
      if (reservation === undefined) return [];
      const { product_variant_id: variantId, warehouse_id: warehouseId, qty } = reservation;
      return [{ proformaItemId: reservation.id, variantId, warehouseId, qty }];
    });
  }

  private save(appId: number, { orders, canceledIds, endedReservations }: OrderPlan): void {
    const now = this.clock.now();
    for (const changedOrder of orders) {
      const order = this.state.orders.get(appId, changedOrder.id) as StoredOrder;
      this.state.orders.put(appId, { ...order, ...columnsOf(changedOrder, order, now) });
    }
    const unsoldItems = canceledIds.flatMap((id) => this.state.orders.get(appId, id)?.items ?? []);
    subtractSold(this.state, appId, soldPieces(unsoldItems));
    endReservations(this.state, appId, endedReservations, now);
  }
}

function toChangeableOrder(order: StoredOrder, reservedPieces: readonly ReservedPieces[]): ChangeableOrder {
  return {
    id: order.id,
    dataPart: order.data_part,
    timePart: order.time_part,
    number: order.order_number,
    status: nameOf(ORDER_STATUSES, order.order_status_id),
    paymentStatus: nameOf(PAYMENT_STATUSES, order.payment_status_id),
    deliveryStatus: nameOf(DELIVERY_STATUSES, order.delivery_status_id),
    invoiceNumber: order.invoice_number,
    tracking: order.tracking,
    hasShipped: order.shipped_at !== null,
    isUnpaid: order.paid === 0,
    isRefundable: order.proforma_order_id !== null || order.paid === 0,
    reservedPieces,
  };
}

function nameOf<Name extends string>(names: readonly Name[], id: number): Name {
  return names[id - 1] as Name;
}

function columnsOf(changedOrder: ChangeableOrder, order: StoredOrder, now: Date) {
  return {
    order_status_id: ORDER_STATUSES.indexOf(changedOrder.status) + 1,
    payment_status_id: PAYMENT_STATUSES.indexOf(changedOrder.paymentStatus) + 1,
    delivery_status_id: DELIVERY_STATUSES.indexOf(changedOrder.deliveryStatus) + 1,
    invoice_number: changedOrder.invoiceNumber,
    tracking: changedOrder.tracking,
    shipped_at: changedOrder.hasShipped ? (order.shipped_at ?? now) : null,
    updated_at: now,
  };
}
