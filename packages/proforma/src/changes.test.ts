import {
  addedRefunds,
  changeOf,
  hasPaidAmountChanged,
  ordersWithPoints,
  refundOrders,
  storedChangeOf,
  withOrderState,
  withStock,
} from './changes.js';
import { insufficientStock } from './refusals.js';
import { firstAttempt } from './refund-queue.js';
import { withoutAvailableStock } from './stock.js';
import { aProforma, aStockRow, inStatus, line, NOW, bankPayment, refund, type Trait } from './testing/index.js';
import type { Proforma } from './proforma.js';

const change = (...traits: readonly Trait<Proforma>[]) => {
  const before = aProforma(bankPayment(1000));
  return { before, after: aProforma(bankPayment(1000), ...traits) };
};

describe('hasPaidAmountChanged', () => {
  it('is true for payments and completed refunds, but not for pending refunds', () => {
    expect(hasPaidAmountChanged(change(bankPayment(5)))).toBe(true);
    expect(hasPaidAmountChanged(change(refund(1, 5, 'refunded')))).toBe(true);
    expect(hasPaidAmountChanged(change(refund(1, 5, 'pending')))).toBe(false);
  });
});

describe('addedRefunds', () => {
  it('returns new pending refunds only', () => {
    const { after } = change(refund(1, 5, 'pending'), refund(1, 6, 'refunded'));
    const pendingRefund = after.payments[1];
    expect(addedRefunds(change(refund(1, 5, 'pending'), refund(1, 6, 'refunded'))).refundIds).toEqual([
      pendingRefund?.id,
    ]);
    expect(addedRefunds({ before: after, after }).refundIds).toEqual([]);
  });
});

describe('withStock', () => {
  it('refuses a change that needs more stock than available', () => {
    const before = aProforma(line({ qty: 2, qtyConfirmed: 1, name: 'Shirt' }));
    const after = aProforma(line({ qty: 2, qtyConfirmed: 2, name: 'Shirt' }));
    const decidedChange = changeOf(before, { next: after });
    const [sufficientChange] = withStock([decidedChange], [aStockRow({ onHand: 2, reserved: 1 })]);
    expect(storedChangeOf(sufficientChange!)).toEqual({ before, proforma: after });
    const [refusedChange] = withStock([decidedChange], [withoutAvailableStock(aStockRow({ onHand: 2, reserved: 1 }))]);
    const shortage = { code: before.lines[0]?.code ?? '', wanted: 2, available: [{ warehouse_code: 'W1', qty: 0 }] };
    const refusal = insufficientStock('Shirt', shortage);
    expect(storedChangeOf(refusedChange!)).toEqual({ before, proforma: before, refusal });
  });
});

describe('withoutAvailableStock', () => {
  it.each([
    [5, 2, 2],
    [2, 2, 2],
    [1, 2, 1],
  ])('turns %d pieces on hand, with %d reserved, into %d on hand', (onHand, reserved, usable) => {
    expect(withoutAvailableStock(aStockRow({ onHand, reserved })).onHand).toBe(usable);
  });
});

describe('firstAttempt', () => {
  it('is due after 30 seconds when a call requests the refund, and immediately when the sweep does', () => {
    expect(firstAttempt({ date: NOW }, true)).toEqual({
      attempts: 1,
      nextAttemptAt: new Date(NOW.getTime() + 30_000),
    });
    expect(firstAttempt({ date: NOW }, false)).toEqual({ attempts: 0, nextAttemptAt: NOW });
  });
});

describe('withOrderState', () => {
  const before = aProforma(line({ qty: 1, price: 1000 }), bankPayment(400), inStatus('converted'));
  const after = { ...before, payments: aProforma(bankPayment(400), bankPayment(600)).payments };

  it('copies whether the order is payable', () => {
    const isPayableWith = (order: Parameters<typeof withOrderState>[1]) =>
      withOrderState({ before, after }, order, NOW).converted?.isOrderPayable;
    expect(isPayableWith({ id: 1, isPayable: true, isCanceled: false })).toBe(true);
    expect(isPayableWith({ id: 1, isPayable: false, isCanceled: false })).toBe(false);
    expect(isPayableWith(undefined)).toBe(false);
  });
});

describe('refundOrders and ordersWithPoints', () => {
  const unpaidOrder = aProforma(inStatus('converted'));
  const paidOrder = aProforma(bankPayment(400), inStatus('converted'));

  it('refund only orders with money to refund', () => {
    const changes = refundOrders([unpaidOrder, paidOrder], NOW);
    expect(changes.map(({ before }) => before)).toEqual([paidOrder]);
    expect(changes[0]?.after.payments.map(({ amount }) => amount)).toEqual([400, -400]);
  });

  it('find only orders with loyalty points to take back', () => {
    const orderWithPoints = {
      ...paidOrder,
      orderId: 7,
      converted: paidOrder.converted && { ...paidOrder.converted, points: 3 },
    };
    expect(ordersWithPoints([unpaidOrder, orderWithPoints, { ...orderWithPoints, orderId: null }])).toEqual([7]);
  });
});
