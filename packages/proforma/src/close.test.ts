import { addHours } from '@back-office/kernel';
import {
  aProforma,
  withAlertOfKind,
  withDeadline,
  fee,
  inStatus,
  line,
  NOW,
  bankPayment,
  voucherPayment,
  refund,
} from './testing/index.js';
import { countOpenAlerts, alertUnexpectedPayment } from './alerts.js';
import { addedVoucherRefunds } from './benefits.js';
import { cancel, convert, dueAt, isPastDeadline, meetDeadline, refundOrder } from './close.js';
import { debtOf } from './payments.js';
import { reservedQty, shownPayments, type Proforma } from './proforma.js';
import { FINAL_STATUSES, OPEN_STATUSES } from './statuses.js';
import { NOTHING_CONFIRMED } from './refusals.js';
import { applyRefundOutcome } from './refund.js';

const ORDER = { orderNumber: 'O-2026-12345678', amountPerPoint: 0, now: NOW };
const overdue = withDeadline(NOW);

function refundsOf(proforma: Proforma): unknown[] {
  return proforma.payments
    .filter(({ amount }) => amount < 0)
    .map((refundPayment) => [refundPayment.refundOf, refundPayment.amount, refundPayment.status]);
}

describe('the cancellation of a proforma', () => {
  const before = aProforma(
    line({ qty: 3 }),
    bankPayment(1000),
    voucherPayment(500),
    bankPayment(700),
    refund(3, 200, 'refunded'),
  );
  const next = cancel(before, { reason: 'Too late', now: NOW }) as Proforma;

  it('stores time and reason', () => {
    expect(next).toMatchObject({ status: 'canceled', canceledAt: NOW, cancelReason: 'Too late', updatedAt: NOW });
    expect(cancel(before, { reason: null, now: NOW })).toMatchObject({ cancelReason: null });
  });

  it('refunds all captured money', () => {
    expect(refundsOf(next)).toEqual([
      [3, -200, 'refunded'],
      [3, -500, 'pending'],
      [1, -1000, 'pending'],
      [2, -500, 'refunded'],
    ]);
  });

  it('releases the stock and keeps the amounts', () => {
    expect(next.lines.map((productLine) => reservedQty(next, productLine))).toEqual([0]);
    expect(next).toMatchObject({ sales: 3000, endSales: 3000, lines: before.lines });
  });
});

describe('the conversion of a proforma', () => {
  const before = aProforma(line({ qty: 3, qtyConfirmed: 2 }), line({ qty: 4 }), bankPayment(3000), refund(1, 1000));
  const next = convert(before, ORDER) as Proforma;

  it('stores the order number and keeps the amounts', () => {
    expect(next).toMatchObject({ status: 'converted', convertedAt: NOW, updatedAt: NOW, canceledAt: null });
    expect(next.converted?.orderNumber).toBe('O-2026-12345678');
    expect(next.endSales).toBe(before.endSales);
  });

  it('keeps the confirmed stock reserved', () => {
    expect(next.lines.map((productLine) => reservedQty(next, productLine))).toEqual([2, 4]);
  });

  it('still shows the payments from before the conversion', () => {
    expect(shownPayments(next)).toEqual(before.payments);
    const laterProforma = applyRefundOutcome(next, 2, 'refunded', addHours(NOW, 1));
    expect(laterProforma.payments[1]?.status).toBe('refunded');
    expect(shownPayments(laterProforma)).toEqual(before.payments);
    expect(shownPayments(before)).toBe(before.payments);
  });

  it('changes nothing when it is repeated', () => {
    expect(convert(next, { ...ORDER, orderNumber: 'O-2026-99999999' })).toBe(next);
  });

  it('is allowed for an unpaid proforma', () => {
    expect(convert(aProforma(), ORDER)).toMatchObject({ status: 'converted', payments: [] });
  });
});

describe('loyalty points of a conversion', () => {
  const pointsOf = (proforma: Proforma, amountPerPoint: number): number | undefined =>
    (convert(proforma, { ...ORDER, amountPerPoint }) as Proforma).converted?.points;

  it.each([
    [1000, 3],
    [999, 3],
    [1001, 2],
    [3001, 0],
    [0, 0],
  ])('are earned for every %d of the total: %d', (amountPerPoint, points) => {
    expect(pointsOf(aProforma(line({ qty: 3, price: 1000 })), amountPerPoint)).toBe(points);
  });

  it('are calculated from the confirmed total, including fees', () => {
    expect(pointsOf(aProforma(line({ qty: 3, qtyConfirmed: 1, price: 1000 }), fee(490)), 10)).toBe(149);
  });

  it('are not earned by a guest', () => {
    const proforma = aProforma();
    expect(pointsOf({ ...proforma, buyer: { ...proforma.buyer, id: null } }, 10)).toBe(0);
  });
});

describe('the conversion of a proforma without confirmed pieces', () => {
  it('is refused', () => {
    const zeroLines = [line({ qtyConfirmed: 0 }), line({ qtyConfirmed: 0 })];
    expect(convert(aProforma(...zeroLines, inStatus('partial_confirmed')), ORDER)).toEqual(NOTHING_CONFIRMED);
    expect(convert(aProforma(...zeroLines, line({ qtyConfirmed: 1 })), ORDER)).toMatchObject({ status: 'converted' });
    expect(convert(aProforma(...zeroLines, line()), ORDER)).toMatchObject({ status: 'converted' });
  });
});

describe('the deadline of a proforma', () => {
  it('has passed at exactly its time', () => {
    const proforma = aProforma(withDeadline(NOW));
    expect(isPastDeadline(proforma, new Date(NOW.getTime() - 1))).toBe(false);
    expect(isPastDeadline(proforma, NOW)).toBe(true);
  });

  it.each(FINAL_STATUSES)('does not apply to a proforma that is %s', (status) => {
    const proforma = aProforma(overdue, inStatus(status));
    expect(isPastDeadline(proforma, NOW)).toBe(false);
    expect(meetDeadline(proforma, { now: NOW, expirePaid: true })).toBe(proforma);
    expect(dueAt(proforma)).toBeNull();
  });

  it.each(OPEN_STATUSES)('does not change a %s proforma before it passes', (status) => {
    const proforma = aProforma(withDeadline(addHours(NOW, 1)), inStatus(status));
    expect(meetDeadline(proforma, { now: NOW, expirePaid: true })).toBe(proforma);
    expect(dueAt(proforma)).toEqual(addHours(NOW, 1));
  });
});

describe('a proforma with debt past its deadline', () => {
  const next = meetDeadline(aProforma(line(), bankPayment(2000), voucherPayment(999), overdue), {
    now: NOW,
    expirePaid: false,
  });

  it('expires', () => {
    expect(next).toMatchObject({ status: 'expired', canceledAt: NOW, cancelReason: 'expired', updatedAt: NOW });
    expect(next.alerts).toEqual([]);
  });

  it('refunds partial payments and releases its stock', () => {
    expect(refundsOf(next)).toEqual([
      [1, -2000, 'pending'],
      [2, -999, 'refunded'],
    ]);
    expect(next.lines.map((productLine) => reservedQty(next, productLine))).toEqual([0]);
  });
});

describe('a proforma paid in full past its deadline', () => {
  const before = aProforma(line(), bankPayment(3000), inStatus('paid'), overdue);
  const alertedProforma = meetDeadline(before, { now: NOW, expirePaid: false });

  it('stays open and gets an alert', () => {
    expect(alertedProforma).toMatchObject({
      status: 'paid',
      payments: before.payments,
      canceledAt: null,
      alerts: [{ kind: 'paid_not_converted', resolvedAt: null, insertedAt: NOW }],
    });
  });

  it('is due for the sweep until the alert is raised', () => {
    expect(dueAt(before)).toEqual(NOW);
    expect(dueAt(alertedProforma)).toBeNull();
  });

  it('gets no second alert after the first one is resolved', () => {
    expect(meetDeadline(alertedProforma, { now: addHours(NOW, 1), expirePaid: false })).toBe(alertedProforma);
    const resolvedProforma = aProforma(line(), bankPayment(3000), withAlertOfKind('paid_not_converted', NOW), overdue);
    expect(countOpenAlerts(resolvedProforma)).toBe(0);
    expect(meetDeadline(resolvedProforma, { now: NOW, expirePaid: false })).toBe(resolvedProforma);
    expect(dueAt(resolvedProforma)).toBeNull();
  });

  it('gets its alert even if it has an alert of another kind', () => {
    const proforma = aProforma(line(), bankPayment(3000), withAlertOfKind('refund_failed'), overdue);
    expect(meetDeadline(proforma, { now: NOW, expirePaid: false }).alerts).toHaveLength(2);
  });

  it('expires when the app lets paid proformas expire', () => {
    const next = meetDeadline(before, { now: NOW, expirePaid: true });
    expect(next).toMatchObject({ status: 'expired', alerts: [] });
    expect(refundsOf(next)).toEqual([[1, -3000, 'pending']]);
  });

  it.each(['confirmed', 'partial_confirmed', 'awaiting_payment'] as const)('stays open when it is %s', (status) => {
    expect(
      meetDeadline(aProforma(line(), bankPayment(3000), inStatus(status), overdue), { now: NOW, expirePaid: false }),
    ).toMatchObject({ status, alerts: [{ kind: 'paid_not_converted' }] });
  });

  it('expires when it has debt again', () => {
    const indebtedProforma = aProforma(
      line(),
      bankPayment(3000),
      refund(1, 1, 'refunded'),
      withAlertOfKind('paid_not_converted'),
      overdue,
    );
    expect(debtOf(indebtedProforma)).toBe(1);
    expect(dueAt(indebtedProforma)).toEqual(NOW);
    expect(meetDeadline(indebtedProforma, { now: NOW, expirePaid: false }).status).toBe('expired');
  });
});

describe('a proforma with a pending refund past its deadline', () => {
  it('expires like a proforma with debt', () => {
    const refundingProforma = aProforma(line(), bankPayment(3000), refund(1, 1), overdue);
    expect(meetDeadline(refundingProforma, { now: NOW, expirePaid: false }).status).toBe('expired');
  });
});

describe('a proforma with a total of 0 past its deadline', () => {
  it('expires like a proforma with debt', () => {
    const freeProforma = aProforma(line({ price: 0 }), overdue);
    expect(dueAt(freeProforma)).toEqual(NOW);
    expect(meetDeadline(freeProforma, { now: NOW, expirePaid: false })).toMatchObject({
      status: 'expired',
      payments: [],
    });
  });

  it('expires when it was reduced to 0 after a payment', () => {
    const reducedProforma = aProforma(line({ qtyConfirmed: 0 }), bankPayment(3000), refund(1, 3000), overdue);
    expect(meetDeadline(reducedProforma, { now: NOW, expirePaid: false }).status).toBe('expired');
  });
});

describe('refundOrder', () => {
  const convertedProforma = aProforma(
    line(),
    voucherPayment(500),
    bankPayment(1000),
    bankPayment(1500),
    refund(3, 200),
    inStatus('converted'),
  );
  const refundedProforma = refundOrder(convertedProforma, { now: NOW });

  it('refunds all money of the order, newest payment first, vouchers last', () => {
    expect(refundsOf(refundedProforma).slice(1)).toEqual([
      [3, -1300, 'pending'],
      [2, -1000, 'pending'],
      [1, -500, 'refunded'],
    ]);
    expect(addedVoucherRefunds(convertedProforma, refundedProforma)).toEqual([{ voucherId: 500, amount: 500 }]);
  });

  it('keeps the shown payments and the reservations', () => {
    expect(shownPayments(refundedProforma)).toBe(shownPayments(convertedProforma));
    expect(refundedProforma).toMatchObject({ status: 'converted', endSales: convertedProforma.endSales });
  });

  it('refunds nothing when it is repeated', () => {
    expect(refundOrder(refundedProforma, { now: NOW })).toBe(refundedProforma);
    const failedProforma = applyRefundOutcome(
      refundedProforma,
      refundedProforma.payments.at(-2)?.id ?? 0,
      'failed',
      NOW,
    );
    expect(refundOrder(failedProforma, { now: NOW })).toBe(failedProforma);
  });

  it('resolves only alerts about payments that it refunds', () => {
    const [, , card, ...laterPayments] = convertedProforma.payments;
    const alertedProforma = alertUnexpectedPayment(
      withAlertOfKind('refund_failed')(convertedProforma),
      card!,
      'order_canceled',
      NOW,
    );
    expect(laterPayments).toHaveLength(1);
    expect(refundOrder(alertedProforma, { now: NOW }).alerts.map(({ resolvedAt }) => resolvedAt)).toEqual([null, NOW]);
  });
});
