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
import { feesFor } from './pricing.js';
import { insufficientStock } from './refusals.js';
import { firstAttempt } from './refund-queue.js';
import { withoutSales } from './stock.js';
import { aProforma, aStockRow, inStatus, line, NOW, bankPayment, refund, type Trait } from './testing/index.js';
import type { Proforma } from './proforma.js';

const change = (...added: readonly Trait<Proforma>[]) => {
  const before = aProforma(bankPayment(1000));
  return { before, after: aProforma(bankPayment(1000), ...added) };
};

describe('hasPaidAmountChanged', () => {
  it('is true for payments and completed refunds, not for pending ones', () => {
    expect(hasPaidAmountChanged(change(bankPayment(5)))).toBe(true);
    expect(hasPaidAmountChanged(change(refund(1, 5, 'refunded')))).toBe(true);
    expect(hasPaidAmountChanged(change(refund(1, 5, 'pending')))).toBe(false);
  });
});

describe('addedRefunds', () => {
  it('returns new pending refunds only', () => {
    const { after } = change(refund(1, 5, 'pending'), refund(1, 6, 'refunded'));
    const pending = after.payments[1];
    expect(addedRefunds(change(refund(1, 5, 'pending'), refund(1, 6, 'refunded'))).refundIds).toEqual([pending?.id]);
    expect(addedRefunds({ before: after, after }).refundIds).toEqual([]);
  });
});

describe('withStock', () => {
  it('turns a change that needs more stock than available into a refusal', () => {
    const before = aProforma(line({ qty: 2, qtyConfirmed: 1, name: 'Shirt' }));
    const after = aProforma(line({ qty: 2, qtyConfirmed: 2, name: 'Shirt' }));
    const decided = changeOf(before, { next: after });
    const [enough] = withStock([decided], [aStockRow({ onHand: 2, reserved: 1 })]);
    expect(storedChangeOf(enough!)).toEqual({ before, proforma: after });
    const [short] = withStock([decided], [withoutSales(aStockRow({ onHand: 2, reserved: 1 }))]);
    expect(storedChangeOf(short!)).toEqual({ before, proforma: before, refusal: insufficientStock('Shirt') });
  });
});

describe('withoutSales', () => {
  it.each([
    [5, 2, 2],
    [2, 2, 2],
    [1, 2, 1],
  ])('leaves of %d pieces, %d of them reserved, %d', (onHand, reserved, left) => {
    expect(withoutSales(aStockRow({ onHand, reserved })).onHand).toBe(left);
  });
});

describe('feesFor', () => {
  const fees = [{ kind: 'shipment', name: 'Courier', qty: 1, price: 9, vatRate: 2000, sales: 9, discount: 0 }];
  it.each([
    [[null], fees],
    [[0, 1], fees],
    [[0, null], fees],
    [[0, 0], []],
  ])('returns fees unless nothing is confirmed: %j', (confirmed, expected) => {
    expect(feesFor(confirmed, fees)).toEqual(expected);
  });
});

describe('firstAttempt', () => {
  it('is due after 30 seconds for a call, at once for the sweep', () => {
    expect(firstAttempt({ date: NOW }, true)).toEqual({
      attempts: 1,
      nextAttemptAt: new Date(NOW.getTime() + 30_000),
    });
    expect(firstAttempt({ date: NOW }, false)).toEqual({ attempts: 0, nextAttemptAt: NOW });
  });
});

describe('withSettledOrder', () => {
  const before = aProforma(line({ qty: 1, price: 1000 }), bankPayment(400), inStatus('converted'));
  const after = { ...before, payments: aProforma(bankPayment(400), bankPayment(600)).payments };

  it('copies whether the order is payable', () => {
    const settle = (order: Parameters<typeof withOrderState>[1]) =>
      withOrderState({ before, after }, order, NOW).converted?.isOrderPayable;
    expect(settle({ isPayable: true, isCanceled: false })).toBe(true);
    expect(settle({ isPayable: false, isCanceled: false })).toBe(false);
    expect(settle(undefined)).toBe(false);
  });
});

describe('refundOrders', () => {
  const free = aProforma(inStatus('converted'));
  const own = aProforma(bankPayment(400), inStatus('converted'));

  it('returns only orders with money to refund', () => {
    const changes = refundOrders([free, own], NOW);
    expect(changes.map(({ before }) => before)).toEqual([own]);
    expect(changes[0]?.after.payments.map(({ amount }) => amount)).toEqual([400, -400]);
  });

  it('takes points back only where some were earned', () => {
    const earned = { ...own, orderId: 7, converted: own.converted && { ...own.converted, points: 3 } };
    expect(ordersWithPoints([free, earned, { ...earned, orderId: null }])).toEqual([7]);
  });
});
