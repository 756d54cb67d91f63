import { INVALID_STATUS, planOrderChanges } from './order-changes.js';
import { ORDER_STATUSES, type OrderStatus } from './order-status.js';
import { anOrder, identifierOf, plentyOnHand } from '../testing/an-order.js';

const GRID: Readonly<Record<OrderStatus, Readonly<Record<OrderStatus, boolean>>>> = {
  open: { open: true, completed: true, canceled: true },
  completed: { open: true, completed: true, canceled: true },
  canceled: { open: false, completed: false, canceled: true },
};

describe.each(ORDER_STATUSES)('an order that is %s', (before) => {
  it.each(ORDER_STATUSES)('becomes %s only if the transition table allows it', (status) => {
    const order = anOrder({ status: before });
    const { orders, outcomes } = planOrderChanges([{ ...identifierOf(order), status }], {
      orders: [order],
      onHand: plentyOnHand,
    });
    const isAllowed = GRID[before][status];
    expect(orders.map((plannedOrder) => plannedOrder.status)).toEqual(isAllowed && status !== before ? [status] : []);
    expect(typeof outcomes[0] === 'string' ? outcomes[0] : 'done').toBe(isAllowed ? 'done' : INVALID_STATUS);
  });
});
