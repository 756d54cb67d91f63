import { isRefusal, type PaymentMethod, type Refusal } from '@back-office/kernel';
import {
  aProforma,
  BANK,
  CARD,
  CASH,
  inStatus,
  line,
  NOW,
  bankPayment,
  voucherPayment,
  refund,
  type Trait,
} from './testing/index.js';
import { pay, type PayFacts } from './pay.js';
import { debtOf, paidAmountOf } from './payments.js';
import { NO_SOURCE, type Proforma } from './proforma.js';
import * as refusals from './refusals.js';

function payWith(proforma: Proforma, facts: Partial<PayFacts>): Proforma | Refusal {
  return pay(proforma, { method: BANK, amount: undefined, now: NOW, ...facts });
}

function assertAccepted(result: Proforma | Refusal): Proforma {
  if (isRefusal(result)) throw new Error(result.refused);
  return result;
}

describe('a payment during a pending refund', () => {
  const refundingProforma = aProforma(bankPayment(3000), refund(1, 1000), inStatus('confirmed'));

  it('may be as high as the debt plus the refund', () => {
    const next = assertAccepted(payWith(refundingProforma, { amount: 0 }));
    expect(next.payments.at(-1)).toMatchObject({ amount: 1000, status: 'settled' });
    expect(next.status).toBe('paid');
    expect(assertAccepted(payWith(refundingProforma, { amount: 1000 })).status).toBe('paid');
    expect(payWith(refundingProforma, { amount: 1001 })).toEqual(refusals.EXCEEDS_DEBT);
  });

  it('keeps the status when it is lower than the debt plus the refund', () => {
    expect(assertAccepted(payWith(refundingProforma, { amount: 999 })).status).toBe('confirmed');
  });
});

describe('a payment below the debt', () => {
  it('is settled and keeps the status', () => {
    const next = assertAccepted(payWith(aProforma(), { amount: 1200 }));
    expect(next.payments).toEqual([
      {
        id: 0,
        amount: 1200,
        method: BANK.name,
        methodId: BANK.id,
        kind: BANK.kind,
        ...NO_SOURCE,
        reference: null,
        voucherId: null,
        keyPart: null,
        status: 'settled',
        date: NOW,
        refundOf: null,
      },
    ]);
    expect(next).toMatchObject({ status: 'draft', updatedAt: NOW });
    expect(debtOf(next)).toBe(1800);
  });

  it('makes the proforma paid when all payments cover the total', () => {
    let proforma = aProforma();
    const statuses = [1000, 1999, 1].map((amount) => {
      proforma = assertAccepted(payWith(proforma, { amount }));
      return proforma.status;
    });
    expect(statuses).toEqual(['draft', 'draft', 'paid']);
    expect(proforma.payments.map((payment) => payment.amount)).toEqual([1000, 1999, 1]);
  });

  it('makes the proforma paid when a voucher covers the rest', () => {
    expect(assertAccepted(payWith(aProforma(voucherPayment(2000)), { amount: 999 })).status).toBe('draft');
    expect(assertAccepted(payWith(aProforma(voucherPayment(2000)), { amount: 1000 })).status).toBe('paid');
  });
});

describe('a payment of 0 or less, or without an amount', () => {
  it.each([0, -1, -5000, undefined, null])('pays the whole debt for %p', (amount) => {
    const next = assertAccepted(payWith(aProforma(bankPayment(500)), { amount }));
    expect(next.payments.at(-1)?.amount).toBe(2500);
    expect(next.status).toBe('paid');
  });

  it('pays the whole debt in cash for an amount of 0', () => {
    expect(assertAccepted(payWith(aProforma(), { method: CASH, amount: 0 })).payments.at(-1)?.amount).toBe(3000);
  });
});

describe('a payment of exactly the debt', () => {
  it('is accepted, but one minor unit more is refused', () => {
    expect(assertAccepted(payWith(aProforma(bankPayment(500)), { amount: 2500 })).status).toBe('paid');
    expect(payWith(aProforma(bankPayment(500)), { amount: 2501 })).toEqual(refusals.EXCEEDS_DEBT);
  });
});

describe('a refunded proforma', () => {
  it('has the amount of completed refunds as debt, but not that of failed ones', () => {
    const traits = [line(), bankPayment(3000), refund(1, 1000, 'refunded')];
    expect(assertAccepted(payWith(aProforma(...traits), {})).payments.at(-1)?.amount).toBe(1000);
    expect(payWith(aProforma(line(), bankPayment(3000), refund(1, 1000, 'refund_failed')), {})).toEqual(
      refusals.DEBT_ALREADY_PAID,
    );
    expect(paidAmountOf(aProforma(line(), bankPayment(3000), refund(1, 1000, 'refund_failed')).payments)).toBe(3000);
  });
});

describe('a proforma with nothing to pay', () => {
  it('cannot be paid', () => {
    expect(payWith(aProforma(line({ price: 0 })), {})).toEqual(refusals.DEBT_ALREADY_PAID);
  });
});

describe('a payment with a payment method', () => {
  it.each<[string, PaymentMethod | undefined]>([
    ['an unknown method', undefined],
    ['a card', CARD],
  ])('refuses %s', (_, method) => {
    expect(payWith(aProforma(), { method, amount: 100 })).toEqual(refusals.METHOD_NOT_SUPPORTED);
  });

  it.each<PaymentMethod>([CASH, BANK, { id: 4, name: 'Cheque', kind: 'other' }])('accepts $kind', (method) => {
    const next = assertAccepted(payWith(aProforma(), { method, amount: 100 }));
    expect(next.payments).toMatchObject([{ method: method.name, methodId: method.id }]);
  });
});

describe('a cash payment without an amount', () => {
  it.each([undefined, null])('is refused for %p', (amount) => {
    expect(payWith(aProforma(), { method: CASH, amount })).toEqual(refusals.CASH_AMOUNT_REQUIRED);
  });
});

interface Violation {
  readonly refusal: Refusal;
  readonly traits: readonly Trait<Proforma>[];
  readonly payFacts: Partial<PayFacts>;
}

const violations: readonly Violation[] = [
  { refusal: refusals.ALREADY_FINAL, traits: [inStatus('canceled')], payFacts: {} },
  { refusal: refusals.METHOD_NOT_SUPPORTED, traits: [], payFacts: { method: CARD } },
  { refusal: refusals.CASH_AMOUNT_REQUIRED, traits: [], payFacts: { method: CASH, amount: null } },
  { refusal: refusals.DEBT_ALREADY_PAID, traits: [bankPayment(3000)], payFacts: {} },
  { refusal: refusals.EXCEEDS_DEBT, traits: [], payFacts: { amount: 3001 } },
];

// Excludes pairs that need different values of the same fact, such as two payment methods.
const violationPairs = violations.flatMap((earlierViolation, index) =>
  violations
    .slice(index + 1)
    .filter((laterViolation) => !Object.keys(laterViolation.payFacts).some((name) => name in earlierViolation.payFacts))
    .map((laterViolation) => ({
      earlier: earlierViolation,
      later: laterViolation,
      name: `${earlierViolation.refusal.refused} before ${laterViolation.refusal.refused}`,
    })),
);

describe('refusals of a payment for two reasons at once', () => {
  it('are tested for eight pairs of reasons', () => {
    expect(violationPairs).toHaveLength(8);
  });

  it.each(violationPairs)('are decided by the first reason: $name', ({ earlier, later }) => {
    const proforma = aProforma(...earlier.traits, ...later.traits);
    expect(payWith(proforma, { ...earlier.payFacts, ...later.payFacts })).toEqual(earlier.refusal);
    expect(payWith(aProforma(...later.traits), later.payFacts)).toEqual(later.refusal);
  });
});
