import { stockEvents, type DomainEvent, type EventType } from '@back-office/kernel';
import type { ChangeableOrder, OrderPlan } from './order-changes.js';

/** `before` contains the stored orders. */
export function orderEvents(before: readonly ChangeableOrder[], plan: OrderPlan): DomainEvent[] {
  const previousOrders = new Map(before.map((order) => [order.id, order]));
  return [
    ...plan.orders.flatMap((order) =>
      typesOf(previousOrders.get(order.id) ?? order, order).map((type) => ({ type, recordId: order.id })),
    ),
    ...stockEvents(plan.endedReservations),
  ];
}

function typesOf(before: ChangeableOrder, after: ChangeableOrder): EventType[] {
  const isDelivered = before.deliveryStatus !== 'delivered' && after.deliveryStatus === 'delivered';
  const types: EventType[] = [
    ...(!before.hasShipped && after.hasShipped ? (['order.shipped'] as const) : []),
    ...(isDelivered ? (['order.delivered'] as const) : []),
    ...(before.status !== 'canceled' && after.status === 'canceled' ? (['order.canceled'] as const) : []),
    ...(before.paymentStatus !== 'paid' && after.paymentStatus === 'paid' ? (['order.payment_received'] as const) : []),
  ];
  return types.length > 0 ? types : ['order.updated'];
}
