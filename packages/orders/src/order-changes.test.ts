import { failedRows } from '@back-office/kernel';
import {
  ALREADY_SHIPPED,
  INVALID_REFUND,
  INVALID_STATUS,
  NEGATIVE_STOCK,
  NOT_REFUNDABLE,
  ORDER_NOT_FOUND,
  planOrderChanges,
  type ChangeableOrder,
  type OrderChange,
  type OrderPlan,
} from './order-changes.js';
import { anOrder, nameOf, PIECES, plenty } from '../testing/an-order.js';

const change = (order: ChangeableOrder, fields: Partial<OrderChange>, onHand = plenty) =>
  planOrderChanges([{ ...nameOf(order), ...fields }], { orders: [order], onHand });
const keysOf = ({ outcomes }: OrderPlan) => failedRows(outcomes).map(({ key }) => key);

describe('planOrderChanges', () => {
  it.each([{ id: 2 }, { dataPart: 21 }, { timePart: 31 }])('does not find an order by other parts: %j', (other) => {
    expect(keysOf(change(anOrder(), { ...other, status: 'completed' }))).toEqual([ORDER_NOT_FOUND]);
  });

  it('keeps fields that are not sent', () => {
    const order = anOrder({ invoiceNumber: '2026/1', paymentStatus: 'partial' });
    expect(change(order, { status: 'completed' }).orders).toEqual([{ ...order, status: 'completed' }]);
  });

  it('clears the invoice number with null', () => {
    expect(change(anOrder({ invoiceNumber: '1' }), { invoiceNumber: null }).orders[0]?.invoiceNumber).toBeNull();
  });
});

describe('an order with reserved pieces', () => {
  const order = anOrder({ reserved: [PIECES] });

  it.each(['shipped', 'delivered'] as const)('takes them from stock when %s', (deliveryStatus) => {
    const { orders, endedReservations } = change(order, { deliveryStatus });
    expect(endedReservations).toEqual([{ ...PIECES, kind: 'ship', reference: 'O-1' }]);
    expect(orders).toMatchObject([{ deliveryStatus, hasShipped: true, reserved: [] }]);
  });

  it('releases them when canceled', () => {
    const { endedReservations, canceled } = change(order, { status: 'canceled' });
    expect(endedReservations).toEqual([{ ...PIECES, kind: 'release', reference: 'O-1' }]);
    expect(canceled).toEqual([1]);
  });

  it('keeps them otherwise', () => {
    const { orders, endedReservations } = change(order, { status: 'completed', deliveryStatus: 'returned' });
    expect(endedReservations).toEqual([]);
    expect(orders[0]?.reserved).toEqual([PIECES]);
  });

  it('cannot ship when stock is missing', () => {
    const { orders, endedReservations, outcomes } = change(order, { deliveryStatus: 'shipped' }, () => 1);
    expect([orders, endedReservations]).toEqual([[], []]);
    expect(failedRows(outcomes)).toEqual([{ row: 0, key: NEGATIVE_STOCK }]);
  });
});

describe('two orders of one call', () => {
  const [first, second] = [1, 2].map((id) => anOrder({ id, number: `O-${id}`, reserved: [PIECES] })) as [
    ChangeableOrder,
    ChangeableOrder,
  ];
  const ship = (order: ChangeableOrder): OrderChange => ({ ...nameOf(order), deliveryStatus: 'shipped' });

  it('share the stock: the second fails when the first took it', () => {
    const { orders, outcomes } = planOrderChanges([ship(first), ship(second)], {
      orders: [first, second],
      onHand: () => 3,
    });
    expect(orders.map(({ id }) => id)).toEqual([1]);
    expect(failedRows(outcomes)).toEqual([{ row: 1, key: NEGATIVE_STOCK }]);
  });

  it('take nothing for a failed one', () => {
    const large = { ...first, reserved: [PIECES, { ...PIECES, proformaItemId: 12, qty: 5 }] };
    const { orders, outcomes } = planOrderChanges([ship(large), ship(second)], {
      orders: [large, second],
      onHand: () => 3,
    });
    expect(orders.map(({ id }) => id)).toEqual([2]);
    expect(failedRows(outcomes)).toEqual([{ row: 0, key: NEGATIVE_STOCK }]);
  });
});

describe('several rows of one order', () => {
  const order = anOrder({ reserved: [PIECES] });

  it('apply in turn: a shipped order cannot be canceled', () => {
    const rows = [
      { deliveryStatus: 'shipped' as const },
      { status: 'canceled' as const, deliveryStatus: 'shipped' as const },
    ];
    const { orders, endedReservations, outcomes } = planOrderChanges(
      rows.map((row) => ({ ...nameOf(order), ...row })),
      { orders: [order], onHand: plenty },
    );
    expect(failedRows(outcomes)).toEqual([{ row: 1, key: ALREADY_SHIPPED }]);
    expect([orders.length, endedReservations.length]).toEqual([1, 1]);
  });

  it('fail by their keys when invalid', () => {
    const { outcomes } = planOrderChanges(['API.Orders.WrongDataType'], { orders: [], onHand: plenty });
    expect(outcomes).toEqual(['API.Orders.WrongDataType']);
  });
});

describe('an order that has shipped', () => {
  it('cannot be canceled, even when returned', () => {
    const order = anOrder({ deliveryStatus: 'returned', hasShipped: true });
    expect(keysOf(change(order, { status: 'canceled' }))).toEqual([ALREADY_SHIPPED]);
  });
});

describe('a canceled order', () => {
  const order = anOrder({ status: 'canceled' });

  it('is not canceled a second time', () => {
    const { orders, canceled } = change(order, { status: 'canceled' });
    expect([orders.length, canceled]).toEqual([1, []]);
  });

  it('keeps its delivery status', () => {
    expect(keysOf(change(order, { deliveryStatus: 'shipped' }))).toEqual([INVALID_STATUS]);
  });
});

describe('a refund', () => {
  it('can come with the cancellation', () => {
    expect(change(anOrder(), { status: 'canceled', refund: true }).refunded).toEqual([1]);
  });

  it('can follow the cancellation', () => {
    const { refunded, canceled } = change(anOrder({ status: 'canceled' }), { refund: true });
    expect([refunded, canceled]).toEqual([[1], []]);
  });

  it('requires a cancellation', () => {
    expect(keysOf(change(anOrder(), { refund: true }))).toEqual([INVALID_REFUND]);
  });

  it('is refused for money of another system', () => {
    const order = anOrder({ isRefundable: false });
    expect(keysOf(change(order, { status: 'canceled', refund: true }))).toEqual([NOT_REFUNDABLE]);
  });
});
