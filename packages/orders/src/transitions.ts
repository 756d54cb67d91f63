import type { OrderStatus } from './order-status.js';

/** A canceled order has released its stock, so it stays canceled. */
export const ORDER_TRANSITIONS: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  open: ['open', 'completed', 'canceled'],
  completed: ['open', 'completed', 'canceled'],
  canceled: ['canceled'],
};
