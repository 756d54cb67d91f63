import { anOrder, identifierOf, PIECES, plentyOnHand } from '../testing/an-order.js';
import { orderEntries } from './audit.js';
import { planOrderChanges, type ChangeableOrder, type OrderChange } from './order-changes.js';
import { orderEvents } from './order-events.js';

const planOf = (order: ChangeableOrder, change: Partial<OrderChange>) =>
  planOrderChanges([{ ...identifierOf(order), ...change }], { orders: [order], onHand: plentyOnHand });
const typesOf = (order: ChangeableOrder, change: Partial<OrderChange>) =>
  orderEvents([order], planOf(order, change)).map(({ type }) => type);

describe('the events of a changed order', () => {
  it.each([
    [{ deliveryStatus: 'shipped' }, ['order.shipped', 'stock.changed']],
    [{ deliveryStatus: 'delivered' }, ['order.shipped', 'order.delivered', 'stock.changed']],
    [{ status: 'canceled' }, ['order.canceled', 'stock.changed']],
    [{ paymentStatus: 'refunded' }, ['order.updated']],
    [{ invoiceNumber: 'I-1', paymentStatus: 'partial' }, ['order.updated']],
    [{ paymentStatus: 'paid', status: 'open' }, []],
  ] as const)('after %j are %j', (change, types) => {
    expect(typesOf(anOrder({ reservedPieces: [PIECES] }), change)).toEqual(types);
  });

  it('are limited to values that changed', () => {
    const order = anOrder({ deliveryStatus: 'shipped', hasShipped: true, paymentStatus: 'paid' });
    expect(typesOf(order, { deliveryStatus: 'delivered', paymentStatus: 'paid' })).toEqual(['order.delivered']);
  });
});

describe('the audit entry of changed orders', () => {
  it('contains the changed statuses, and the id of the order if only one has changed', () => {
    const order = anOrder();
    const { orders } = planOf(order, { paymentStatus: 'refunded', invoiceNumber: 'I-1' });
    expect(orderEntries([order], orders)).toEqual([
      {
        action: 'order.change',
        subjectId: order.id,
        before: { [order.id]: { payment_status: order.paymentStatus } },
        after: { changed: 1, records: { [order.id]: { payment_status: 'refunded' } } },
      },
    ]);
    expect(orderEntries([order], planOf(order, { invoiceNumber: 'I-1' }).orders)).toEqual([]);
  });
});
