import type { OrderStatus } from './order-status.js';

/** Every status that an order may have after each; a cancelled order has released its stock and stays cancelled. */
export const ORDER_TRANSITIONS: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  open: ['open', 'completed', 'canceled'],
  completed: ['open', 'completed', 'canceled'],
  canceled: ['canceled'],
};
