import { accepted, aProforma, inStatus, NOW, paid, payment, refund } from '../testing/index.js';
import { openAlerts } from './alerts.js';
import { debtOf, paidOf } from './payments.js';
import type { Payment, Proforma } from './proforma.js';
import { pendingRefunds, recordRefund, refundKey, retryRefund, settleRefund, type RefundOutcome } from './refund.js';
import { REFUND_PENDING } from './refusals.js';

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
        details: { reason: 'failed', payment_id: 2, refund_of: 1, payment_method: 'Bank transfer', amount: 1000 },
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

describe('a refund that failed and that a person', () => {
  const failing = (outcome: RefundOutcome = 'failed') =>
    settleRefund(aProforma(paid(3000), refund(1, 1000)), 2, outcome, NOW);
  const record = (proforma = failing(), reference: string | null = 'tx-9') =>
    accepted(recordRefund(proforma, { refundId: 2, reference, now: LATER }));

  it('has paid out counts as refunded, and its alert is resolved', () => {
    const recorded = record();
    expect(recorded.payments[1]).toMatchObject({ status: 'refunded', amount: -1000, reference: 'tx-9', date: LATER });
    expect(paidOf(recorded.payments)).toBe(2000);
    expect(recorded.alerts).toMatchObject([
      { kind: 'refund_failed', resolvedAt: LATER, details: { payment_id: 2, recorded: true, reference: 'tx-9' } },
    ]);
  });

  it('has paid out without a reference keeps its own', () => {
    const [captured, failed] = failing().payments as [Payment, Payment];
    const proforma = { ...failing(), payments: [captured, { ...failed, reference: 'tx-1' }] };
    expect(record(proforma, null).payments[1]).toMatchObject({ reference: 'tx-1' });
  });

  it('asks for again is pending, and its alert is resolved', () => {
    const retried = retryRefund(failing(), { refundId: 2, now: LATER });
    expect(retried.payments[1]).toMatchObject({ status: 'pending', date: LATER });
    expect(openAlerts(retried)).toBe(0);
    expect(openAlerts(settleRefund(retried, 2, 'failed', LATER))).toBe(1);
    expect(settleRefund(retried, 2, 'refunded', LATER).payments[1]).toMatchObject({ status: 'refunded' });
  });

  it('leaves the alerts of other payments open', () => {
    const both = settleRefund(aProforma(paid(3000), refund(1, 1000), refund(1, 500)), 2, 'failed', NOW);
    const failed = settleRefund(both, 3, 'failed', NOW);
    expect(record(failed).alerts.map(({ resolvedAt }) => resolvedAt)).toEqual([LATER, null]);
  });

  it('is asked for under the same key while it may have been paid, under a new one once it was refused', () => {
    const keyOf = (proforma: Proforma) => refundKey(7, proforma, 2);
    const retried = (proforma: Proforma) => retryRefund(proforma, { refundId: 2, now: LATER });
    expect(keyOf(aProforma(paid(3000), refund(1, 1000)))).toBe('refund-7-2');
    const unanswered = retried(failing('unanswered'));
    expect(keyOf(unanswered)).toBe('refund-7-2');
    const refused = retried(settleRefund(unanswered, 2, 'failed', LATER));
    expect(keyOf(refused)).toBe('refund-7-2-2');
    expect(keyOf(retried(settleRefund(refused, 2, 'unanswered', LATER)))).toBe('refund-7-2-2');
    expect(keyOf(retried(settleRefund(refused, 2, 'failed', LATER)))).toBe('refund-7-2-3');
  });
});

describe('a refund that did not fail', () => {
  const pending = aProforma(paid(3000), refund(1, 1000));
  const refunded = aProforma(paid(3000), refund(1, 1000, 'refunded'));

  it('is not asked for again', () => {
    for (const proforma of [pending, refunded]) {
      expect(retryRefund(proforma, { refundId: 2, now: LATER })).toBe(proforma);
    }
  });

  it('cannot be recorded while it is pending, and stays as it is when it is refunded', () => {
    expect(recordRefund(pending, { refundId: 2, reference: null, now: LATER })).toEqual(REFUND_PENDING);
    expect(recordRefund(refunded, { refundId: 2, reference: 'x', now: LATER })).toBe(refunded);
  });
});
