import { isRefusal, type Refusal } from '@back-office/kernel';
import { aProforma, BANK, CARD, inStatus, line, NOW, paid, paidByVoucher, payment, refund } from '../testing/index.js';
import {
  beginCardPayment,
  cardPayment,
  receiveCardResult,
  reportMoneyForCanceledOrder,
  type CardResult,
} from './card-payment.js';
import { debtOf, paidOf } from './payments.js';
import { FINAL_STATUSES, OPEN_STATUSES, type Payment, type Proforma } from './proforma.js';
import { pendingRefunds, settleRefund } from './refund.js';
import * as refusals from './refusals.js';

/** A card payment that waits for its result. */
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

describe('a card payment that begins', () => {
  it('is pending, and a draft awaits it', () => {
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
    expect([paidOf(next.payments), debtOf(next)]).toEqual([0, 3000]);
  });

  it.each([undefined, null, 0, -5])('for %j is for the whole debt', (amount) => {
    expect(accepted(begin(aProforma(paid(700)), amount)).payments.at(-1)?.amount).toBe(2300);
  });

  it.each(['confirmed', 'partial_confirmed', 'awaiting_payment'] as const)('leaves %s as it is', (status) => {
    expect(accepted(begin(aProforma(inStatus(status)))).status).toBe(status);
  });

  it('may stand beside another: the money of one of them goes back later', () => {
    const two = accepted(begin(accepted(begin(aProforma()))));
    expect(two.payments.map(({ amount }) => amount)).toEqual([3000, 3000]);
  });

  it.each<[Refusal, Proforma | Refusal]>([
    [refusals.METHOD_NOT_SUPPORTED, begin(aProforma(), 1, BANK)],
    [refusals.METHOD_NOT_SUPPORTED, beginCardPayment(aProforma(), { method: undefined, amount: 1, now: NOW })],
    [refusals.DEBT_ALREADY_PAID, begin(aProforma(paid(3000)), 1)],
    [refusals.EXCEEDS_DEBT, begin(aProforma(paid(700)), 2301)],
    ...FINAL_STATUSES.map(
      (status) => [refusals.ALREADY_FINAL, begin(aProforma(inStatus(status)))] as [Refusal, Refusal],
    ),
  ])('is refused with %j', (refusal, outcome) => {
    expect(outcome).toEqual(refusal);
  });
});

describe('a card payment that settles', () => {
  it('is money that came in, with the processor’s reference', () => {
    const next = result(aProforma(byCard(1200), inStatus('awaiting_payment')));
    expect(next.payments[0]).toMatchObject({ amount: 1200, status: 'settled', reference: 'tx-1', date: NOW });
    expect(debtOf(next)).toBe(1800);
  });

  it.each(OPEN_STATUSES)('makes %s paid when it covers the total', (status) => {
    expect(result(aProforma(byCard(3000), inStatus(status))).status).toBe('paid');
  });

  it('leaves a draft again when it was the last one and something is owed', () => {
    expect(result(aProforma(byCard(1200), inStatus('awaiting_payment'))).status).toBe('draft');
    expect(result(aProforma(byCard(1200), byCard(1), inStatus('awaiting_payment'))).status).toBe('awaiting_payment');
  });

  it.each(['confirmed', 'partial_confirmed'] as const)('below the total leaves %s as it is', (status) => {
    expect(result(aProforma(byCard(1200), inStatus(status))).status).toBe(status);
  });

  it('gives back at once what the debt does not need', () => {
    const next = result(aProforma(byCard(3000), paid(1000), inStatus('awaiting_payment')));
    expect(next.status).toBe('paid');
    expect(pendingRefunds(next)).toMatchObject([{ amount: -1000, refundOf: 1, status: 'pending', kind: 'card' }]);
    expect(
      paidOf(
        settleRefund(
          { ...next, payments: next.payments.map((each, index) => ({ ...each, id: index + 1 })) },
          3,
          'refunded',
          NOW,
        ).payments,
      ),
    ).toBe(3000);
  });

  it.each(['confirmed', 'partial_confirmed'] as const)('leaves %s as it is when that was paid for before', (status) => {
    expect(result(aProforma(byCard(3000), paid(3000), inStatus(status))).status).toBe(status);
    expect(result(aProforma(byCard(3000), paid(3000), inStatus(status)), { status: 'failed' }).status).toBe(status);
  });

  it('goes back before any voucher', () => {
    const next = result(aProforma(byCard(3000), paidByVoucher(1000), inStatus('awaiting_payment')));
    expect(statuses(next)).toEqual([
      [3000, 'settled'],
      [1000, 'settled'],
      [-1000, 'pending'],
    ]);
  });

  it.each(['confirmed', 'converted', 'canceled', 'expired'] as const)(
    'gives back of its own money only, when %s: a refund that failed is left to its alert',
    (status) => {
      const failed = refund(2, 3000, 'refund_failed');
      const next = result(aProforma(byCard(100), paid(6000), failed, inStatus(status)));
      expect(pendingRefunds(next)).toMatchObject([{ amount: -100, refundOf: 1 }]);
    },
  );

  it('is needed where the money that covered the debt is on its way back', () => {
    const next = result(aProforma(byCard(100), paid(3000), refund(2, 3000), inStatus('confirmed')));
    expect(pendingRefunds(next)).toMatchObject([{ refundOf: 2 }]);
    const whole = result(aProforma(byCard(500), paid(3000), refund(2, 200), inStatus('confirmed')));
    expect(whole.status).toBe('paid');
    expect(pendingRefunds(whole)).toMatchObject([{ refundOf: 2 }, { amount: -300, refundOf: 1 }]);
  });

  it('is what goes back, also when another payment came at the same moment', () => {
    const next = result(aProforma(byCard(3000), payment({ amount: 1000, date: NOW }), inStatus('awaiting_payment')));
    expect(pendingRefunds(next)).toMatchObject([{ amount: -1000, refundOf: 1, kind: 'card' }]);
  });

  it.each(['canceled', 'expired'] as const)('goes back whole when the proforma is %s', (status) => {
    const next = result(aProforma(byCard(1200), inStatus(status)));
    expect(next.status).toBe(status);
    expect(statuses(next)).toEqual([
      [1200, 'settled'],
      [-1200, 'pending'],
    ]);
  });

  it('is added to the order up to its debt when the proforma is converted, and what it showed stays', () => {
    const converted = aProforma(byCard(3000), paid(1000), inStatus('converted'));
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

describe('a card payment that fails', () => {
  it('leaves the debt, and a draft again when it was the last one', () => {
    const next = result(aProforma(byCard(3000), inStatus('awaiting_payment')), { status: 'failed' });
    expect([next.status, debtOf(next), statuses(next)]).toEqual(['draft', 3000, [[3000, 'failed']]]);
  });

  it('leaves a proforma awaiting its other card payment', () => {
    const two = aProforma(byCard(3000), byCard(3000), inStatus('awaiting_payment'));
    expect(result(two, { status: 'failed' }).status).toBe('awaiting_payment');
  });

  it.each([...FINAL_STATUSES, 'paid', 'confirmed', 'partial_confirmed'] as const)('leaves %s as it is', (status) => {
    const next = result(aProforma(byCard(1), inStatus(status)), { status: 'failed' });
    expect([next.status, next.payments[0]?.status]).toEqual([status, 'failed']);
    expect(next.payments).toHaveLength(1);
  });
});

describe('a result that comes again', () => {
  it.each([
    ['settled', 'settled'],
    ['settled', 'failed'],
    ['failed', 'failed'],
  ] as const)('changes nothing: first %s, then %s', (first, second) => {
    const once = result(aProforma(byCard(3000), inStatus('awaiting_payment')), { status: first });
    expect(result(once, { status: second, reference: 'tx-2' })).toBe(once);
  });
});

describe('a card payment that settles after it had failed', () => {
  const failed = aProforma(byCard(3000, { status: 'failed' }));

  it.each([...OPEN_STATUSES, ...FINAL_STATUSES])('stays failed, and leaves an alert when %s', (status) => {
    const next = result(inStatus(status)(failed), { reference: 'tx-9' });
    expect([next.status, statuses(next)]).toEqual([status, [[3000, 'failed']]]);
    expect(next.alerts).toMatchObject([
      { kind: 'refund_failed', details: { payment_id: 1, payment_method: 'Card', reference: 'tx-9' } },
    ]);
  });

  it('leaves one alert, however often that is told', () => {
    const once = result(failed);
    expect(result(once)).toBe(once);
  });
});

describe('money for an order that is cancelled', () => {
  const before = aProforma(byCard(3000), paid(100), inStatus('converted'));

  it('leaves an alert for the payment that settled', () => {
    const { alerts } = reportMoneyForCanceledOrder(before, result(before), NOW);
    expect(alerts).toMatchObject([{ kind: 'refund_failed', details: { payment_id: 1, reference: 'tx-1' } }]);
  });

  it('is none where all of it goes back by itself', () => {
    const covered = aProforma(byCard(100), paid(3000), inStatus('converted'));
    expect(reportMoneyForCanceledOrder(covered, result(covered), NOW).alerts).toEqual([]);
  });

  it('is none where a payment failed or money went back', () => {
    const after = result(before, { status: 'failed' });
    expect(reportMoneyForCanceledOrder(before, after, NOW)).toBe(after);
    const leaving = aProforma(paid(100), refund(1, 100), inStatus('converted'));
    const gone = settleRefund(leaving, 2, 'refunded', NOW);
    expect(reportMoneyForCanceledOrder(leaving, gone, NOW)).toBe(gone);
  });
});

describe('what gets a result', () => {
  it('is a card payment, and no other payment and no refund', () => {
    const proforma = aProforma(byCard(100), paid(100), byCard(50, { status: 'settled' }), refund(3, 50));
    expect([1, 2, 3, 4, 5].map((id) => cardPayment(proforma, id)?.id)).toEqual([1, undefined, 3, undefined, undefined]);
    const given = { ...proforma, payments: proforma.payments.map((each) => ({ ...each, kind: 'card' as const })) };
    expect(cardPayment(given, 4)).toBeUndefined();
    expect(result(aProforma(line(), paid(100)))).toMatchObject({ payments: [{ status: 'settled', reference: null }] });
  });
});
