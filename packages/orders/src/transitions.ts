import type { OrderStatus } from './order-status.js';

/** A canceled order stays canceled, because its stock has been released. */
export const ORDER_TRANSITIONS: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  open: ['open', 'completed', 'canceled'],
  completed: ['open', 'completed', 'canceled'],
  canceled: ['canceled'],
};
