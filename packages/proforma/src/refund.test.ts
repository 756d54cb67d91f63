import { aProforma, inStatus, NOW, paid, payment, refund } from '../testing/index.js';
import { openAlerts } from './alerts.js';
import { debtOf, paidOf } from './payments.js';
import { pendingRefunds, settleRefund } from './refund.js';

const LATER = new Date('2026-03-02T12:05:00Z');

describe('a refund that went through', () => {
  const next = settleRefund(aProforma(paid(3000), refund(1, 1000)), 2, 'refunded', LATER);

  it('counts against what is paid', () => {
    expect(next.payments[1]).toMatchObject({ id: 2, amount: -1000, status: 'refunded', date: LATER, refundOf: 1 });
    expect(paidOf(next.payments)).toBe(2000);
    expect(debtOf(next)).toBe(1000);
  });

  it('leaves the captured payment settled and raises no alert', () => {
    expect(next.payments[0]).toMatchObject({ amount: 3000, status: 'settled' });
    expect(next).toMatchObject({ alerts: [], status: 'draft', updatedAt: LATER });
  });
});

describe('a refund that failed', () => {
  const next = settleRefund(aProforma(paid(3000), refund(1, 1000)), 2, 'failed', LATER);

  it('does not count, and stays in the list', () => {
    expect(next.payments[1]).toMatchObject({ amount: -1000, status: 'refund_failed', date: LATER });
    expect(paidOf(next.payments)).toBe(3000);
  });

  it('leaves one open alert that names it', () => {
    expect(next.alerts).toEqual([
      {
        kind: 'refund_failed',
        message: expect.any(String) as unknown,
        details: { payment_id: 2, refund_of: 1, payment_method: 'Bank transfer' },
        resolvedAt: null,
        insertedAt: LATER,
      },
    ]);
    expect(openAlerts(next)).toBe(1);
  });

  it.each([
    ['expired', 'expiry_refund_failed'],
    ['canceled', 'refund_failed'],
    ['converted', 'refund_failed'],
    ['partial_confirmed', 'refund_failed'],
  ] as const)('of a proforma that is %s is told as %s, and the status stands', (status, kind) => {
    const told = settleRefund(aProforma(paid(3000), refund(1, 3000), inStatus(status)), 2, 'failed', LATER);
    expect(told).toMatchObject({ status, alerts: [{ kind }] });
  });
});

describe('a refund whose outcome is known', () => {
  it.each(['refunded', 'failed'] as const)('(%s) keeps it when an answer comes again', (first) => {
    const settled = settleRefund(aProforma(paid(3000), refund(1, 1000)), 2, first, NOW);
    expect(settleRefund(settled, 2, 'refunded', LATER)).toBe(settled);
    expect(settleRefund(settled, 2, 'failed', LATER)).toBe(settled);
  });
});

describe('an answer about something that is no pending refund', () => {
  it('changes nothing', () => {
    const proforma = aProforma(payment({ amount: 500, status: 'pending' }), paid(3000));
    for (const id of [0, 1, 2, 99]) expect(settleRefund(proforma, id, 'failed', LATER)).toBe(proforma);
  });
});

describe('the refunds that wait for an answer', () => {
  it('are the pending ones, and no payment on its way in', () => {
    const proforma = aProforma(
      paid(3000),
      payment({ amount: 500, status: 'pending' }),
      refund(1, 10),
      refund(1, 20, 'refunded'),
      refund(1, 30, 'refund_failed'),
      refund(1, 40),
    );
    expect(pendingRefunds(proforma).map((each) => each.id)).toEqual([3, 6]);
  });
});
