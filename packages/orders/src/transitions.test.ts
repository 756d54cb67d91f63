import { INVALID_STATUS, planOrderChanges } from './order-changes.js';
import { ORDER_STATUSES, type OrderStatus } from './order-status.js';
import { anOrder, nameOf, plenty } from '../testing/an-order.js';

/** Whether each status may follow, by the status before. */
const GRID: Readonly<Record<OrderStatus, Readonly<Record<OrderStatus, boolean>>>> = {
  open: { open: true, completed: true, canceled: true },
  completed: { open: true, completed: true, canceled: true },
  canceled: { open: false, completed: false, canceled: true },
};

describe.each(ORDER_STATUSES)('an order that is %s', (before) => {
  it.each(ORDER_STATUSES)('can or cannot become %s', (status) => {
    const order = anOrder({ status: before });
    const { orders, outcomes } = planOrderChanges([{ ...nameOf(order), status }], { orders: [order], onHand: plenty });
    const isAllowed = GRID[before][status];
    expect(orders.map((each) => each.status)).toEqual(isAllowed ? [status] : []);
    expect(typeof outcomes[0] === 'string' ? outcomes[0] : 'done').toBe(isAllowed ? 'done' : INVALID_STATUS);
  });
});
