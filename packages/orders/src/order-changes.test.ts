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
import { anOrder, identifierOf, PIECES, plentyOnHand } from '../testing/an-order.js';

const planChange = (order: ChangeableOrder, fields: Partial<OrderChange>, onHand = plentyOnHand) =>
  planOrderChanges([{ ...identifierOf(order), ...fields }], { orders: [order], onHand });
const failureKeysOf = ({ outcomes }: OrderPlan) => failedRows(outcomes).map(({ key }) => key);

describe('planOrderChanges', () => {
  it.each([{ id: 2 }, { dataPart: 21 }, { timePart: 31 }])(
    'does not find an order when id, data_part or time_part differs: %j',
    (otherName) => {
      expect(failureKeysOf(planChange(anOrder(), { ...otherName, status: 'completed' }))).toEqual([ORDER_NOT_FOUND]);
    },
  );

  it('keeps fields that are not sent', () => {
    const order = anOrder({ invoiceNumber: '2026/1', paymentStatus: 'partial' });
    expect(planChange(order, { status: 'completed' }).orders).toEqual([{ ...order, status: 'completed' }]);
  });

  it('omits an order that already has the sent values', () => {
    const order = anOrder({ invoiceNumber: '2026/1', paymentStatus: 'partial' });
    const { orders, outcomes } = planChange(order, { invoiceNumber: '2026/1', paymentStatus: 'partial' });
    expect([orders, failedRows(outcomes)]).toEqual([[], []]);
  });

  it('clears the invoice number with null', () => {
    expect(planChange(anOrder({ invoiceNumber: '1' }), { invoiceNumber: null }).orders[0]?.invoiceNumber).toBeNull();
  });
});

describe('an order with reserved stock', () => {
  const order = anOrder({ reservedPieces: [PIECES] });

  it.each(['shipped', 'delivered'] as const)('takes the reserved pieces out of stock when %s', (deliveryStatus) => {
    const { orders, endedReservations } = planChange(order, { deliveryStatus });
    expect(endedReservations).toEqual([{ ...PIECES, kind: 'ship', reference: 'O-1' }]);
    expect(orders).toMatchObject([{ deliveryStatus, hasShipped: true, reservedPieces: [] }]);
  });

  it('releases the reserved pieces when canceled', () => {
    const { endedReservations, canceledIds } = planChange(order, { status: 'canceled' });
    expect(endedReservations).toEqual([{ ...PIECES, kind: 'release', reference: 'O-1' }]);
    expect(canceledIds).toEqual([1]);
  });

  it('keeps the reserved pieces after other changes', () => {
    const { orders, endedReservations } = planChange(order, { status: 'completed', deliveryStatus: 'returned' });
    expect(endedReservations).toEqual([]);
    expect(orders[0]?.reservedPieces).toEqual([PIECES]);
  });

  it('cannot ship when stock is missing', () => {
    const { orders, endedReservations, outcomes } = planChange(order, { deliveryStatus: 'shipped' }, () => 1);
    expect([orders, endedReservations]).toEqual([[], []]);
    expect(failedRows(outcomes)).toEqual([{ row: 0, key: NEGATIVE_STOCK }]);
  });
});

describe('two orders of one call', () => {
  const [firstOrder, secondOrder] = [1, 2].map((id) =>
    anOrder({ id, number: `O-${id}`, reservedPieces: [PIECES] }),
  ) as [ChangeableOrder, ChangeableOrder];
  const ship = (order: ChangeableOrder): OrderChange => ({ ...identifierOf(order), deliveryStatus: 'shipped' });

  it('cannot ship the same pieces', () => {
    const { orders, outcomes } = planOrderChanges([ship(firstOrder), ship(secondOrder)], {
      orders: [firstOrder, secondOrder],
      onHand: () => 3,
    });
    expect(orders.map(({ id }) => id)).toEqual([1]);
    expect(failedRows(outcomes)).toEqual([{ row: 1, key: NEGATIVE_STOCK }]);
  });

  it('leave each other the pieces of an order that fails', () => {
    const largeOrder = { ...firstOrder, reservedPieces: [PIECES, { ...PIECES, proformaItemId: 12, qty: 5 }] };
    const { orders, outcomes } = planOrderChanges([ship(largeOrder), ship(secondOrder)], {
      orders: [largeOrder, secondOrder],
      onHand: () => 3,
    });
    expect(orders.map(({ id }) => id)).toEqual([2]);
    expect(failedRows(outcomes)).toEqual([{ row: 0, key: NEGATIVE_STOCK }]);
  });
});

describe('several rows of one order', () => {
  const order = anOrder({ reservedPieces: [PIECES] });

  it('apply one after another: an order that an earlier row ships cannot be canceled', () => {
    const rows = [
      { deliveryStatus: 'shipped' as const },
      { status: 'canceled' as const, deliveryStatus: 'shipped' as const },
    ];
    const { orders, endedReservations, outcomes } = planOrderChanges(
      rows.map((row) => ({ ...identifierOf(order), ...row })),
      { orders: [order], onHand: plentyOnHand },
    );
    expect(failedRows(outcomes)).toEqual([{ row: 1, key: ALREADY_SHIPPED }]);
    expect([orders.length, endedReservations.length]).toEqual([1, 1]);
  });

  it('return the message key of a row that is already invalid', () => {
    const { outcomes } = planOrderChanges(['API.Orders.WrongDataType'], { orders: [], onHand: plentyOnHand });
    expect(outcomes).toEqual(['API.Orders.WrongDataType']);
  });
});

describe('an order that has shipped', () => {
  it('cannot be canceled, even after it was returned', () => {
    const order = anOrder({ deliveryStatus: 'returned', hasShipped: true });
    expect(failureKeysOf(planChange(order, { status: 'canceled' }))).toEqual([ALREADY_SHIPPED]);
  });
});

describe('a canceled order', () => {
  const order = anOrder({ status: 'canceled' });

  it('is not canceled a second time', () => {
    const { orders, canceledIds } = planChange(order, { status: 'canceled' });
    expect([orders, canceledIds]).toEqual([[], []]);
  });

  it('refuses a change of its delivery status', () => {
    expect(failureKeysOf(planChange(order, { deliveryStatus: 'shipped' }))).toEqual([INVALID_STATUS]);
  });
});

describe('a cancellation without refund', () => {
  it('counts as refunded only when nothing was paid and the order was not canceled before', () => {
    const cancel = (overrides: Partial<ChangeableOrder>) =>
      planChange(anOrder(overrides), { status: 'canceled' }).refundedIds;
    expect([cancel({ isUnpaid: true }), cancel({}), cancel({ isUnpaid: true, status: 'canceled' })]).toEqual([
      [1],
      [],
      [],
    ]);
  });
});

describe('a refund of an order', () => {
  it('can be requested together with the cancellation', () => {
    expect(planChange(anOrder(), { status: 'canceled', refund: true }).refundedIds).toEqual([1]);
  });

  it('can be requested after the cancellation', () => {
    const { refundedIds, canceledIds } = planChange(anOrder({ status: 'canceled' }), {
      refund: true,
    });
    expect([refundedIds, canceledIds]).toEqual([[1], []]);
  });

  it('is refused when the order is not canceled', () => {
    expect(failureKeysOf(planChange(anOrder(), { refund: true }))).toEqual([INVALID_REFUND]);
  });

  it('is refused for an imported order', () => {
    const order = anOrder({ isRefundable: false });
    expect(failureKeysOf(planChange(order, { status: 'canceled', refund: true }))).toEqual([NOT_REFUNDABLE]);
  });
});
