import type { Order, OrderItem, OrderPayment } from '@back-office/orders';

export interface StoredOrderItem extends OrderItem {
  /** Null in an imported order, because such an order does not change stock. */
  readonly proforma_item_id: number | null;
}

/** The payments of a converted order are stored in its proforma. */
export interface StoredOrder extends Omit<Order, 'items' | 'payments'> {
  readonly items: readonly StoredOrderItem[];
  readonly payments: readonly OrderPayment[];
  readonly shipped_at: Date | null;
}
