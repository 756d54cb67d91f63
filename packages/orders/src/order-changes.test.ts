import {
  ALREADY_SHIPPED,
  changeOrders,
  INVALID_REFUND,
  INVALID_STATUS,
  NEGATIVE_STOCK,
  NOT_REFUNDABLE,
  ORDER_NOT_FOUND,
  type ChangeableOrder,
  type OrderChange,
} from './order-changes.js';
import { anOrder, nameOf, PIECES, plenty } from '../testing/an-order.js';

const change = (order: ChangeableOrder, fields: Partial<OrderChange>, onHand = plenty) =>
  changeOrders([{ ...nameOf(order), ...fields }], [order], onHand);
const keysOf = ({ failed }: ReturnType<typeof changeOrders>) => failed.map(({ key }) => key);

describe('an order', () => {
  it.each([{ id: 2 }, { dataPart: 21 }, { timePart: 31 }])('is not found under another name: %j', (other) => {
    expect(keysOf(change(anOrder(), { ...other, status: 'completed' }))).toEqual([ORDER_NOT_FOUND]);
  });

  it('keeps what is not sent', () => {
    const order = anOrder({ invoiceNumber: '2026/1', paymentStatus: 'partial' });
    expect(change(order, { status: 'completed' }).orders).toEqual([{ ...order, status: 'completed' }]);
  });

  it('loses its invoice number to null', () => {
    expect(change(anOrder({ invoiceNumber: '1' }), { invoiceNumber: null }).orders[0]?.invoiceNumber).toBeNull();
  });
});

describe('an order with reserved pieces', () => {
  const order = anOrder({ reserved: [PIECES] });

  it.each(['shipped', 'delivered'] as const)('takes them from stock when it is %s', (deliveryStatus) => {
    const { orders, departures } = change(order, { deliveryStatus });
    expect(departures).toEqual([{ ...PIECES, kind: 'ship', reference: 'O-1' }]);
    expect(orders).toMatchObject([{ deliveryStatus, hasLeft: true, reserved: [] }]);
  });

  it('releases them when it is cancelled', () => {
    const { departures, canceled } = change(order, { status: 'canceled' });
    expect(departures).toEqual([{ ...PIECES, kind: 'release', reference: 'O-1' }]);
    expect(canceled).toEqual([1]);
  });

  it('keeps them otherwise', () => {
    const { orders, departures } = change(order, { status: 'completed', deliveryStatus: 'returned' });
    expect(departures).toEqual([]);
    expect(orders[0]?.reserved).toEqual([PIECES]);
  });

  it('is not shipped without them, and nothing of it changes', () => {
    const { orders, departures, failed } = change(order, { deliveryStatus: 'shipped' }, () => 1);
    expect([orders, departures]).toEqual([[], []]);
    expect(failed).toEqual([{ row: 0, key: NEGATIVE_STOCK }]);
  });
});

describe('two orders of one call', () => {
  const [first, second] = [1, 2].map((id) => anOrder({ id, number: `O-${id}`, reserved: [PIECES] })) as [
    ChangeableOrder,
    ChangeableOrder,
  ];
  const ship = (order: ChangeableOrder): OrderChange => ({ ...nameOf(order), deliveryStatus: 'shipped' });

  it('share what is on hand: the second fails when the first has taken it', () => {
    const { orders, failed } = changeOrders([ship(first), ship(second)], [first, second], () => 3);
    expect(orders.map(({ id }) => id)).toEqual([1]);
    expect(failed).toEqual([{ row: 1, key: NEGATIVE_STOCK }]);
  });

  it('take nothing for one that fails', () => {
    const large = { ...first, reserved: [PIECES, { ...PIECES, proformaItemId: 12, qty: 5 }] };
    const { orders, failed } = changeOrders([ship(large), ship(second)], [large, second], () => 3);
    expect(orders.map(({ id }) => id)).toEqual([2]);
    expect(failed).toEqual([{ row: 0, key: NEGATIVE_STOCK }]);
  });
});

describe('rows of one order', () => {
  const order = anOrder({ reserved: [PIECES] });

  it('build on one another: what was shipped cannot be cancelled', () => {
    const rows = [
      { deliveryStatus: 'shipped' as const },
      { status: 'canceled' as const, deliveryStatus: 'shipped' as const },
    ];
    const { orders, departures, failed } = changeOrders(
      rows.map((row) => ({ ...nameOf(order), ...row })),
      [order],
      plenty,
    );
    expect(failed).toEqual([{ row: 1, key: ALREADY_SHIPPED }]);
    expect([orders.length, departures.length]).toEqual([1, 1]);
  });

  it('that could not be read fail under their keys', () => {
    expect(changeOrders(['API.Orders.WrongDataType'], [], plenty).failed).toEqual([
      { row: 0, key: 'API.Orders.WrongDataType' },
    ]);
  });
});

describe('an order that has left', () => {
  it('is not cancelled, even when it came back', () => {
    const order = anOrder({ deliveryStatus: 'returned', hasLeft: true });
    expect(keysOf(change(order, { status: 'canceled' }))).toEqual([ALREADY_SHIPPED]);
  });
});

describe('a cancelled order', () => {
  const order = anOrder({ status: 'canceled' });

  it('is not cancelled a second time', () => {
    const { orders, canceled } = change(order, { status: 'canceled' });
    expect([orders.length, canceled]).toEqual([1, []]);
  });

  it('keeps its delivery status', () => {
    expect(keysOf(change(order, { deliveryStatus: 'shipped' }))).toEqual([INVALID_STATUS]);
  });
});

describe('a refund', () => {
  it('goes with the cancellation', () => {
    expect(change(anOrder(), { status: 'canceled', refund: true }).refunded).toEqual([1]);
  });

  it('may follow it later', () => {
    const { refunded, canceled } = change(anOrder({ status: 'canceled' }), { refund: true });
    expect([refunded, canceled]).toEqual([[1], []]);
  });

  it('needs one', () => {
    expect(keysOf(change(anOrder(), { refund: true }))).toEqual([INVALID_REFUND]);
  });

  it('is not for money that another system took', () => {
    const order = anOrder({ isRefundable: false });
    expect(keysOf(change(order, { status: 'canceled', refund: true }))).toEqual([NOT_REFUNDABLE]);
  });
});
