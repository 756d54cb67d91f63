/** A status id in the API is the position in this list, counted from 1. */
export const ORDER_STATUSES = ['open', 'completed', 'canceled'] as const;
export const PAYMENT_STATUSES = ['unpaid', 'partial', 'paid', 'refunded'] as const;
export const DELIVERY_STATUSES = ['pending', 'shipped', 'delivered', 'returned'] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];
export type OrderPaymentStatus = (typeof PAYMENT_STATUSES)[number];
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export function statusIdIn<Status extends string>(statuses: readonly Status[], status: Status): number {
  return statuses.indexOf(status) + 1;
}

/** The amounts are minor units. An order with a total of 0 is paid. */
export function paymentStatusOf(paidAmount: number, endSales: number, isAllRefunded = false): OrderPaymentStatus {
  if (isAllRefunded) return 'refunded';
  if (paidAmount >= endSales) return 'paid';
  return paidAmount > 0 ? 'partial' : 'unpaid';
}

export const CANCELED_ID = statusIdIn(ORDER_STATUSES, 'canceled');

/** Returns the debt that clients see, in minor units: nothing is owed to a canceled order. */
export function shownDebtOf(order: { readonly order_status_id: number; readonly debt: number }): number {
  return order.order_status_id === CANCELED_ID ? 0 : order.debt;
}
export const PAYABLE_IDS = {
  order: [statusIdIn(ORDER_STATUSES, 'open')],
  payment: [statusIdIn(PAYMENT_STATUSES, 'unpaid'), statusIdIn(PAYMENT_STATUSES, 'partial')],
} as const;

export function isShippedStatus(status: DeliveryStatus): boolean {
  return status === 'shipped' || status === 'delivered';
}
