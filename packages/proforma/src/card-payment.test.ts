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
import { FINAL_STATUSES, OPEN_STATUSES, type Payment, type Proforma } from './proforma.js';
import { pendingRefunds, settleRefund } from './refund.js';
import * as refusals from './refusals.js';

const byCard = (amount: number, more: Partial<Payment> = {}) =>
  payment({ amount, kind: 'card', method: CARD.name, methodId: CARD.id, status: 'pending', ...more });

const begin = (
  proforma: Proforma,
  amount?: number | null,
  method: Parameters<typeof beginCardPayment>[1]['method'] = CARD,
) => beginCardPayment(proforma, { method, amount, now: NOW });
const result = (proforma: Proforma, more: Partial<CardResult> = {}) =>
  accepted(receiveCardResult(proforma, { paymentId: 1, status: 'settled', reference: 'tx-1', now: NOW, ...more }));
const statuses = (proforma: Proforma) => proforma.payments.map(({ amount, status }) => [amount, status]);

function accepted(outcome: Proforma | Refusal): Proforma {
  if (isRefusal(outcome)) throw new Error(outcome.refused);
  return outcome;
}

describe('beginCardPayment', () => {
  it('adds a pending payment and makes a draft awaiting_payment', () => {
    const next = accepted(begin(aProforma(), 1200));
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

  it.each([undefined, null, 0, -5])('takes the whole debt for the amount %j', (amount) => {
    expect(accepted(begin(aProforma(bankPayment(700)), amount)).payments.at(-1)?.amount).toBe(2300);
  });

  it.each(['confirmed', 'partial_confirmed', 'awaiting_payment'] as const)('keeps the status %s', (status) => {
    expect(accepted(begin(aProforma(inStatus(status)))).status).toBe(status);
  });

  it('allows a second card payment', () => {
    const two = accepted(begin(accepted(begin(aProforma()))));
    expect(two.payments.map(({ amount }) => amount)).toEqual([3000, 3000]);
  });

  it.each<[Refusal, Proforma | Refusal]>([
    [refusals.METHOD_NOT_SUPPORTED, begin(aProforma(), 1, BANK)],
    [refusals.METHOD_NOT_SUPPORTED, beginCardPayment(aProforma(), { method: undefined, amount: 1, now: NOW })],
    [refusals.DEBT_ALREADY_PAID, begin(aProforma(bankPayment(3000)), 1)],
    [refusals.EXCEEDS_DEBT, begin(aProforma(bankPayment(700)), 2301)],
    ...FINAL_STATUSES.map(
      (status) => [refusals.ALREADY_FINAL, begin(aProforma(inStatus(status)))] as [Refusal, Refusal],
    ),
  ])('is refused with %j', (refusal, outcome) => {
    expect(outcome).toEqual(refusal);
  });
});

describe('a settled card payment', () => {
  it('counts as paid and keeps the processor’s reference', () => {
    const next = result(aProforma(byCard(1200), inStatus('awaiting_payment')));
    expect(next.payments[0]).toMatchObject({ amount: 1200, status: 'settled', reference: 'tx-1', date: NOW });
    expect(debtOf(next)).toBe(1800);
  });

  it.each(OPEN_STATUSES)('makes a proforma in %s paid when it covers the total', (status) => {
    expect(result(aProforma(byCard(3000), inStatus(status))).status).toBe('paid');
  });

  it('returns to draft when it was the last one and debt remains', () => {
    expect(result(aProforma(byCard(1200), inStatus('awaiting_payment'))).status).toBe('draft');
    expect(result(aProforma(byCard(1200), byCard(1), inStatus('awaiting_payment'))).status).toBe('awaiting_payment');
  });

  it.each(['confirmed', 'partial_confirmed'] as const)('keeps the status %s below the total', (status) => {
    expect(result(aProforma(byCard(1200), inStatus(status))).status).toBe(status);
  });

  it('refunds the part above the debt', () => {
    const next = result(aProforma(byCard(3000), bankPayment(1000), inStatus('awaiting_payment')));
    expect(next.status).toBe('paid');
    expect(pendingRefunds(next)).toMatchObject([{ amount: -1000, refundOf: 1, status: 'pending', kind: 'card' }]);
    expect(
      paidAmountOf(
        settleRefund(
          { ...next, payments: next.payments.map((each, index) => ({ ...each, id: index + 1 })) },
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
      expect(result(aProforma(byCard(3000), bankPayment(3000), inStatus(status))).status).toBe(status);
      expect(result(aProforma(byCard(3000), bankPayment(3000), inStatus(status)), { status: 'failed' }).status).toBe(
        status,
      );
    },
  );

  it('is refunded before any voucher', () => {
    const next = result(aProforma(byCard(3000), voucherPayment(1000), inStatus('awaiting_payment')));
    expect(statuses(next)).toEqual([
      [3000, 'settled'],
      [1000, 'settled'],
      [-1000, 'pending'],
    ]);
  });

  it.each(['confirmed', 'converted', 'canceled', 'expired'] as const)(
    'refunds only its own amount when %s, not an earlier failed refund',
    (status) => {
      const failed = refund(2, 3000, 'refund_failed');
      const next = result(aProforma(byCard(100), bankPayment(6000), failed, inStatus(status)));
      expect(pendingRefunds(next)).toMatchObject([{ amount: -100, refundOf: 1 }]);
    },
  );

  it('covers debt that a pending refund leaves', () => {
    const next = result(aProforma(byCard(100), bankPayment(3000), refund(2, 3000), inStatus('confirmed')));
    expect(pendingRefunds(next)).toMatchObject([{ refundOf: 2 }]);
    const whole = result(aProforma(byCard(500), bankPayment(3000), refund(2, 200), inStatus('confirmed')));
    expect(whole.status).toBe('paid');
    expect(pendingRefunds(whole)).toMatchObject([{ refundOf: 2 }, { amount: -300, refundOf: 1 }]);
  });

  it('is refunded itself, not another payment of the same moment', () => {
    const next = result(aProforma(byCard(3000), payment({ amount: 1000, date: NOW }), inStatus('awaiting_payment')));
    expect(pendingRefunds(next)).toMatchObject([{ amount: -1000, refundOf: 1, kind: 'card' }]);
  });

  it.each(['canceled', 'expired'] as const)('is refunded in full when the proforma is %s', (status) => {
    const next = result(aProforma(byCard(1200), inStatus(status)));
    expect(next.status).toBe(status);
    expect(statuses(next)).toEqual([
      [1200, 'settled'],
      [-1200, 'pending'],
    ]);
  });

  it('goes to the order of a converted proforma, up to its debt', () => {
    const converted = aProforma(byCard(3000), bankPayment(1000), inStatus('converted'));
    const next = result(converted);
    expect(next.status).toBe('converted');
    expect(statuses(next)).toEqual([
      [3000, 'settled'],
      [1000, 'settled'],
      [-1000, 'pending'],
    ]);
    expect(next.converted).toBe(converted.converted);
  });
});

describe('a failed card payment', () => {
  it('returns to draft when it was the last one', () => {
    const next = result(aProforma(byCard(3000), inStatus('awaiting_payment')), { status: 'failed' });
    expect([next.status, debtOf(next), statuses(next)]).toEqual(['draft', 3000, [[3000, 'failed']]]);
  });

  it('keeps awaiting_payment while another one is pending', () => {
    const two = aProforma(byCard(3000), byCard(3000), inStatus('awaiting_payment'));
    expect(result(two, { status: 'failed' }).status).toBe('awaiting_payment');
  });

  it.each([...FINAL_STATUSES, 'paid', 'confirmed', 'partial_confirmed'] as const)('keeps the status %s', (status) => {
    const next = result(aProforma(byCard(1), inStatus(status)), { status: 'failed' });
    expect([next.status, next.payments[0]?.status]).toEqual([status, 'failed']);
    expect(next.payments).toHaveLength(1);
  });
});

describe('a repeated result', () => {
  it.each([
    ['settled', 'settled'],
    ['settled', 'failed'],
    ['failed', 'failed'],
  ] as const)('changes nothing: first %s, then %s', (first, second) => {
    const once = result(aProforma(byCard(3000), inStatus('awaiting_payment')), { status: first });
    expect(result(once, { status: second, reference: 'tx-2' })).toBe(once);
  });
});

describe('a card payment that settles after failing', () => {
  const failed = aProforma(byCard(3000, { status: 'failed' }));

  it.each([...OPEN_STATUSES, ...FINAL_STATUSES])('stays failed and raises an alert when %s', (status) => {
    const next = result(inStatus(status)(failed), { reference: 'tx-9' });
    expect([next.status, statuses(next)]).toEqual([status, [[3000, 'failed']]]);
    expect(next.alerts).toMatchObject([
      { kind: 'refund_failed', details: { payment_id: 1, payment_method: 'Card', reference: 'tx-9' } },
    ]);
  });

  it('raises one alert, however often it settles', () => {
    const once = result(failed);
    expect(result(once)).toBe(once);
  });
});

describe('alertPaymentsForCanceledOrder', () => {
  const before = aProforma(byCard(3000), bankPayment(100), inStatus('converted'));

  it('adds an alert for the settled payment', () => {
    const { alerts } = alertPaymentsForCanceledOrder(before, result(before), NOW);
    expect(alerts).toMatchObject([{ kind: 'refund_failed', details: { payment_id: 1, reference: 'tx-1' } }]);
  });

  it('adds none when the payment is refunded', () => {
    const covered = aProforma(byCard(100), bankPayment(3000), inStatus('converted'));
    expect(alertPaymentsForCanceledOrder(covered, result(covered), NOW).alerts).toEqual([]);
  });

  it('adds none for failed payments and refunds', () => {
    const after = result(before, { status: 'failed' });
    expect(alertPaymentsForCanceledOrder(before, after, NOW)).toBe(after);
    const leaving = aProforma(bankPayment(100), refund(1, 100), inStatus('converted'));
    const gone = settleRefund(leaving, 2, 'refunded', NOW);
    expect(alertPaymentsForCanceledOrder(leaving, gone, NOW)).toBe(gone);
  });
});

describe('cardPayment', () => {
  it('finds card payments, no other payments and no refunds', () => {
    const proforma = aProforma(byCard(100), bankPayment(100), byCard(50, { status: 'settled' }), refund(3, 50));
    expect([1, 2, 3, 4, 5].map((id) => findCardPayment(proforma, id)?.id)).toEqual([
      1,
      undefined,
      3,
      undefined,
      undefined,
    ]);
    const given = { ...proforma, payments: proforma.payments.map((each) => ({ ...each, kind: 'card' as const })) };
    expect(findCardPayment(given, 4)).toBeUndefined();
    expect(result(aProforma(line(), bankPayment(100)))).toMatchObject({
      payments: [{ status: 'settled', reference: null }],
    });
  });
});
