import type { Order, OrderItem, OrderPayment } from '@back-office/orders';

export interface StoredOrderItem extends OrderItem {
  /** `null` in imported orders, which have no stock here. */
  readonly proforma_item_id: number | null;
}

/** Payments of a converted proforma stay with the proforma. */
export interface StoredOrder extends Omit<Order, 'items' | 'payments'> {
  readonly items: readonly StoredOrderItem[];
  readonly payments: readonly OrderPayment[];
  readonly shipped_at: Date | null;
}
