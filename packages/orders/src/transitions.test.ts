import { changeOrders, INVALID_STATUS } from './order-changes.js';
import { ORDER_STATUSES, type OrderStatus } from './order-status.js';
import { anOrder, nameOf, plenty } from '../testing/an-order.js';

/** Written by hand: the status before, and what each status that is asked for leads to. */
const GRID: Readonly<Record<OrderStatus, Readonly<Record<OrderStatus, boolean>>>> = {
  open: { open: true, completed: true, canceled: true },
  completed: { open: true, completed: true, canceled: true },
  canceled: { open: false, completed: false, canceled: true },
};

describe.each(ORDER_STATUSES)('an order that is %s', (before) => {
  it.each(ORDER_STATUSES)('is allowed or refused to become %s', (status) => {
    const order = anOrder({ status: before });
    const { orders, failed } = changeOrders([{ ...nameOf(order), status }], [order], plenty);
    const isAllowed = GRID[before][status];
    expect(orders.map((each) => each.status)).toEqual(isAllowed ? [status] : []);
    expect(failed).toEqual(isAllowed ? [] : [{ row: 0, key: INVALID_STATUS }]);
  });
});
