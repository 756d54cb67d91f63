import { isRefusal, type Refusal } from '@back-office/kernel';
import {
  aProforma,
  BANK,
  CARD,
  inStatus,
  line,
  NOW,
  bankPayment,
  voucherPayment,
  payment,
  refund,
} from './testing/index.js';
import {
  beginCardPayment,
  findCardPayment,
  receiveCardResult,
  alertPaymentsForCanceledOrder,
  type CardResult,
} from './card-payment.js';
import { debtOf, paidAmountOf } from './payments.js';
import type { Payment, Proforma } from './proforma.js';
import { FINAL_STATUSES, OPEN_STATUSES } from './statuses.js';
import { pendingRefunds, applyRefundOutcome } from './refund.js';
import * as refusals from './refusals.js';

const pendingCardPayment = (amount: number, overrides: Partial<Payment> = {}) =>
  payment({ amount, kind: 'card', method: CARD.name, methodId: CARD.id, status: 'pending', ...overrides });

const begin = (
  proforma: Proforma,
  amount?: number | null,
  method: Parameters<typeof beginCardPayment>[1]['method'] = CARD,
) => beginCardPayment(proforma, { method, amount, now: NOW });
const settle = (proforma: Proforma, overrides: Partial<CardResult> = {}) =>
  assertAccepted(
    receiveCardResult(proforma, { paymentId: 1, status: 'settled', reference: 'tx-1', now: NOW, ...overrides }),
  );
const amountsAndStatuses = (proforma: Proforma) => proforma.payments.map(({ amount, status }) => [amount, status]);

function assertAccepted(result: Proforma | Refusal): Proforma {
  if (isRefusal(result)) throw new Error(result.refused);
  return result;
}

describe('beginCardPayment', () => {
  it('adds a pending payment and makes a draft awaiting_payment', () => {
    const next = assertAccepted(begin(aProforma(), 1200));
    expect(next.status).toBe('awaiting_payment');
    expect(next.payments).toEqual([
      expect.objectContaining({
        id: 0,
        amount: 1200,
        method: 'Card',
        methodId: 3,
        kind: 'card',
        status: 'pending',
        date: NOW,
      }),
    ]);
    expect([paidAmountOf(next.payments), debtOf(next)]).toEqual([0, 3000]);
  });

  it.each([undefined, null, 0, -5])('adds a payment of the whole debt when the amount is %j', (amount) => {
    expect(assertAccepted(begin(aProforma(bankPayment(700)), amount)).payments.at(-1)?.amount).toBe(2300);
  });

  it.each(['confirmed', 'partial_confirmed', 'awaiting_payment'] as const)('keeps the status %s', (status) => {
    expect(assertAccepted(begin(aProforma(inStatus(status)))).status).toBe(status);
  });

  it('allows a second card payment', () => {
    const twicePending = assertAccepted(begin(assertAccepted(begin(aProforma()))));
    expect(twicePending.payments.map(({ amount }) => amount)).toEqual([3000, 3000]);
  });

  it.each<[Refusal, Proforma | Refusal]>([
    [refusals.METHOD_NOT_SUPPORTED, begin(aProforma(), 1, BANK)],
    [refusals.METHOD_NOT_SUPPORTED, beginCardPayment(aProforma(), { method: undefined, amount: 1, now: NOW })],
    [refusals.DEBT_ALREADY_PAID, begin(aProforma(bankPayment(3000)), 1)],
    [refusals.EXCEEDS_DEBT, begin(aProforma(bankPayment(700)), 2301)],
    ...FINAL_STATUSES.map(
      (status) => [refusals.ALREADY_FINAL, begin(aProforma(inStatus(status)))] as [Refusal, Refusal],
    ),
  ])('refuses with %j', (refusal, result) => {
    expect(result).toEqual(refusal);
  });
});

describe('a settled card payment', () => {
  it('counts as paid and keeps the processor’s reference', () => {
    const next = settle(aProforma(pendingCardPayment(1200), inStatus('awaiting_payment')));
    expect(next.payments[0]).toMatchObject({ amount: 1200, status: 'settled', reference: 'tx-1', date: NOW });
    expect(debtOf(next)).toBe(1800);
  });

  it.each(OPEN_STATUSES)('marks a proforma in status %s as paid when it covers the total', (status) => {
    expect(settle(aProforma(pendingCardPayment(3000), inStatus(status))).status).toBe('paid');
  });

  it('sets the proforma back to draft when debt remains and no other payment is pending', () => {
    expect(settle(aProforma(pendingCardPayment(1200), inStatus('awaiting_payment'))).status).toBe('draft');
    expect(
      settle(aProforma(pendingCardPayment(1200), pendingCardPayment(1), inStatus('awaiting_payment'))).status,
    ).toBe('awaiting_payment');
  });

  it.each(['confirmed', 'partial_confirmed'] as const)('keeps the status %s when debt remains', (status) => {
    expect(settle(aProforma(pendingCardPayment(1200), inStatus(status))).status).toBe(status);
  });

  it('is partly refunded when it exceeds the debt', () => {
    const next = settle(aProforma(pendingCardPayment(3000), bankPayment(1000), inStatus('awaiting_payment')));
    expect(next.status).toBe('paid');
    expect(pendingRefunds(next)).toMatchObject([{ amount: -1000, refundOf: 1, status: 'pending', kind: 'card' }]);
    expect(
      paidAmountOf(
        applyRefundOutcome(
          { ...next, payments: next.payments.map((entry, index) => ({ ...entry, id: index + 1 })) },
          3,
          'refunded',
          NOW,
        ).payments,
      ),
    ).toBe(3000);
  });

  it.each(['confirmed', 'partial_confirmed'] as const)(
    'keeps the status %s when the proforma was already paid',
    (status) => {
      expect(settle(aProforma(pendingCardPayment(3000), bankPayment(3000), inStatus(status))).status).toBe(status);
      expect(
        settle(aProforma(pendingCardPayment(3000), bankPayment(3000), inStatus(status)), { status: 'failed' }).status,
      ).toBe(status);
    },
  );

  it('is refunded before vouchers', () => {
    const next = settle(aProforma(pendingCardPayment(3000), voucherPayment(1000), inStatus('awaiting_payment')));
    expect(amountsAndStatuses(next)).toEqual([
      [3000, 'settled'],
      [1000, 'settled'],
      [-1000, 'pending'],
    ]);
  });

  it.each(['confirmed', 'converted', 'canceled', 'expired'] as const)(
    'is refunded only above the debt, and an earlier failed refund is not retried, when the proforma is %s',
    (status) => {
      const failedRefund = refund(2, 3000, 'refund_failed');
      const next = settle(aProforma(pendingCardPayment(100), bankPayment(6000), failedRefund, inStatus(status)));
      expect(pendingRefunds(next)).toMatchObject([{ amount: -100, refundOf: 1 }]);
    },
  );

  it('is kept up to the debt that a pending refund leaves', () => {
    const next = settle(aProforma(pendingCardPayment(100), bankPayment(3000), refund(2, 3000), inStatus('confirmed')));
    expect(pendingRefunds(next)).toMatchObject([{ refundOf: 2 }]);
    const coveredProforma = settle(
      aProforma(pendingCardPayment(500), bankPayment(3000), refund(2, 200), inStatus('confirmed')),
    );
    expect(coveredProforma.status).toBe('paid');
    expect(pendingRefunds(coveredProforma)).toMatchObject([{ refundOf: 2 }, { amount: -300, refundOf: 1 }]);
  });

  it('is refunded before another payment of the same time', () => {
    const next = settle(
      aProforma(pendingCardPayment(3000), payment({ amount: 1000, date: NOW }), inStatus('awaiting_payment')),
    );
    expect(pendingRefunds(next)).toMatchObject([{ amount: -1000, refundOf: 1, kind: 'card' }]);
  });

  it.each(['canceled', 'expired'] as const)('is refunded in full when the proforma is %s', (status) => {
    const next = settle(aProforma(pendingCardPayment(1200), inStatus(status)));
    expect(next.status).toBe(status);
    expect(amountsAndStatuses(next)).toEqual([
      [1200, 'settled'],
      [-1200, 'pending'],
    ]);
  });

  it('pays the debt of a converted proforma, and is refunded above the debt', () => {
    const convertedProforma = aProforma(pendingCardPayment(3000), bankPayment(1000), inStatus('converted'));
    const next = settle(convertedProforma);
    expect(next.status).toBe('converted');
    expect(amountsAndStatuses(next)).toEqual([
      [3000, 'settled'],
      [1000, 'settled'],
      [-1000, 'pending'],
    ]);
    expect(next.converted).toBe(convertedProforma.converted);
  });
});

describe('a failed card payment', () => {
  it('sets the proforma back to draft when no other payment is pending', () => {
    const next = settle(aProforma(pendingCardPayment(3000), inStatus('awaiting_payment')), { status: 'failed' });
    expect([next.status, debtOf(next), amountsAndStatuses(next)]).toEqual(['draft', 3000, [[3000, 'failed']]]);
  });

  it('leaves the proforma in awaiting_payment while another payment is pending', () => {
    const twicePending = aProforma(pendingCardPayment(3000), pendingCardPayment(3000), inStatus('awaiting_payment'));
    expect(settle(twicePending, { status: 'failed' }).status).toBe('awaiting_payment');
  });

  it.each([...FINAL_STATUSES, 'paid', 'confirmed', 'partial_confirmed'] as const)('keeps the status %s', (status) => {
    const next = settle(aProforma(pendingCardPayment(1), inStatus(status)), { status: 'failed' });
    expect([next.status, next.payments[0]?.status]).toEqual([status, 'failed']);
    expect(next.payments).toHaveLength(1);
  });
});

describe('a repeated result of a card payment', () => {
  it.each([
    ['settled', 'settled'],
    ['settled', 'failed'],
    ['failed', 'failed'],
  ] as const)('changes nothing when %s is followed by %s', (firstStatus, secondStatus) => {
    const settledProforma = settle(aProforma(pendingCardPayment(3000), inStatus('awaiting_payment')), {
      status: firstStatus,
    });
    expect(settle(settledProforma, { status: secondStatus, reference: 'tx-2' })).toBe(settledProforma);
  });
});

describe('a card payment that settles after failing', () => {
  const failedProforma = aProforma(pendingCardPayment(3000, { status: 'failed' }));

  it.each([...OPEN_STATUSES, ...FINAL_STATUSES])(
    'stays failed and raises an alert when the proforma is %s',
    (status) => {
      const next = settle(inStatus(status)(failedProforma), { reference: 'tx-9' });
      expect([next.status, amountsAndStatuses(next)]).toEqual([status, [[3000, 'failed']]]);
      expect(next.alerts).toMatchObject([
        { kind: 'refund_failed', details: { payment_id: 1, payment_method: 'Card', reference: 'tx-9' } },
      ]);
    },
  );

  it('raises a single alert, even if it settles several times', () => {
    const alertedProforma = settle(failedProforma);
    expect(settle(alertedProforma)).toBe(alertedProforma);
  });
});

describe('alertPaymentsForCanceledOrder', () => {
  const before = aProforma(pendingCardPayment(3000), bankPayment(100), inStatus('converted'));

  it('adds an alert for the settled payment', () => {
    const { alerts } = alertPaymentsForCanceledOrder(before, settle(before), NOW);
    expect(alerts).toMatchObject([{ kind: 'refund_failed', details: { payment_id: 1, reference: 'tx-1' } }]);
  });

  it('adds no alert when the payment is refunded', () => {
    const coveredProforma = aProforma(pendingCardPayment(100), bankPayment(3000), inStatus('converted'));
    expect(alertPaymentsForCanceledOrder(coveredProforma, settle(coveredProforma), NOW).alerts).toEqual([]);
  });

  it('adds no alert for failed payments and refunds', () => {
    const after = settle(before, { status: 'failed' });
    expect(alertPaymentsForCanceledOrder(before, after, NOW)).toBe(after);
    const refundingProforma = aProforma(bankPayment(100), refund(1, 100), inStatus('converted'));
    const refundedProforma = applyRefundOutcome(refundingProforma, 2, 'refunded', NOW);
    expect(alertPaymentsForCanceledOrder(refundingProforma, refundedProforma, NOW)).toBe(refundedProforma);
  });
});

describe('findCardPayment', () => {
  it('finds card payments, but no other payments and no refunds', () => {
    const proforma = aProforma(
      pendingCardPayment(100),
      bankPayment(100),
      pendingCardPayment(50, { status: 'settled' }),
      refund(3, 50),
    );
    expect([1, 2, 3, 4, 5].map((id) => findCardPayment(proforma, id)?.id)).toEqual([
      1,
      undefined,
      3,
      undefined,
      undefined,
    ]);
    const cardOnlyProforma = {
      ...proforma,
      payments: proforma.payments.map((entry) => ({ ...entry, kind: 'card' as const })),
    };
    expect(findCardPayment(cardOnlyProforma, 4)).toBeUndefined();
    expect(settle(aProforma(line(), bankPayment(100)))).toMatchObject({
      payments: [{ status: 'settled', reference: null }],
    });
  });
});
