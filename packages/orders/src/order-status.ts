/** Outside, a status goes by its number in its list, counted from 1. */
export const ORDER_STATUSES = ['open', 'completed', 'canceled'] as const;
export const PAYMENT_STATUSES = ['unpaid', 'partial', 'paid', 'refunded'] as const;
export const DELIVERY_STATUSES = ['pending', 'shipped', 'delivered', 'returned'] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];
export type OrderPaymentStatus = (typeof PAYMENT_STATUSES)[number];
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Of an order from which nothing was refunded, in minor units; an order with nothing to pay is paid. */
export function paymentStatusOf(paid: number, endSales: number): OrderPaymentStatus {
  if (paid >= endSales) return 'paid';
  return paid > 0 ? 'partial' : 'unpaid';
}

/** Whether the goods of an order with this delivery status have left the warehouse. */
export function hasLeft(status: DeliveryStatus): boolean {
  return status === 'shipped' || status === 'delivered';
}
