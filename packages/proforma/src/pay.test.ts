import { isRefusal, type Refusal } from '@back-office/kernel';
import {
  aProforma,
  BANK,
  CARD,
  CASH,
  inStatus,
  line,
  NOW,
  paid,
  paidByVoucher,
  refund,
  type Fact,
} from '../testing/index.js';
import { pay, type PayFacts, type PaymentMethod } from './pay.js';
import { debtOf, paidOf } from './payments.js';
import type { Proforma } from './proforma.js';
import * as refusals from './refusals.js';

function paying(proforma: Proforma, facts: Partial<PayFacts>): Proforma | Refusal {
  return pay(proforma, { method: BANK, amount: undefined, now: NOW, ...facts });
}

function accepted(outcome: Proforma | Refusal): Proforma {
  if (isRefusal(outcome)) throw new Error(outcome.refused);
  return outcome;
}

describe('while money is on its way back', () => {
  const leaving = aProforma(paid(3000), refund(1, 1000), inStatus('confirmed'));

  it('what it covered is owed again', () => {
    const next = accepted(paying(leaving, { amount: 0 }));
    expect(next.payments.at(-1)).toMatchObject({ amount: 1000, status: 'settled' });
    expect(next.status).toBe('paid');
    expect(accepted(paying(leaving, { amount: 1000 })).status).toBe('paid');
    expect(paying(leaving, { amount: 1001 })).toEqual(refusals.EXCEEDS_DEBT);
  });

  it('a payment below that does not make it paid', () => {
    expect(accepted(paying(leaving, { amount: 999 })).status).toBe('confirmed');
  });
});

describe('a payment below the debt', () => {
  it('is recorded as settled and leaves the status as it was', () => {
    const next = accepted(paying(aProforma(), { amount: 1200 }));
    expect(next.payments).toEqual([
      {
        id: 0,
        amount: 1200,
        method: BANK.name,
        methodId: BANK.id,
        kind: BANK.kind,
        reference: null,
        voucherId: null,
        status: 'settled',
        date: NOW,
        refundOf: null,
      },
    ]);
    expect(next).toMatchObject({ status: 'draft', updatedAt: NOW });
    expect(debtOf(next)).toBe(1800);
  });

  it('accumulates with others until the total is covered', () => {
    let proforma = aProforma();
    const statuses = [1000, 1999, 1].map((amount) => {
      proforma = accepted(paying(proforma, { amount }));
      return proforma.status;
    });
    expect(statuses).toEqual(['draft', 'draft', 'paid']);
    expect(proforma.payments.map((payment) => payment.amount)).toEqual([1000, 1999, 1]);
  });

  it('makes paid with a voucher what together covers the total', () => {
    expect(accepted(paying(aProforma(paidByVoucher(2000)), { amount: 999 })).status).toBe('draft');
    expect(accepted(paying(aProforma(paidByVoucher(2000)), { amount: 1000 })).status).toBe('paid');
  });
});

describe('a payment of 0 or less, or of no amount', () => {
  it.each([0, -1, -5000, undefined, null])('(%p) pays the whole remaining debt', (amount) => {
    const next = accepted(paying(aProforma(paid(500)), { amount }));
    expect(next.payments.at(-1)?.amount).toBe(2500);
    expect(next.status).toBe('paid');
  });

  it('does so in cash too when the amount is 0', () => {
    expect(accepted(paying(aProforma(), { method: CASH, amount: 0 })).payments.at(-1)?.amount).toBe(3000);
  });
});

describe('a payment of exactly the debt', () => {
  it('is accepted, one more is not', () => {
    expect(accepted(paying(aProforma(paid(500)), { amount: 2500 })).status).toBe('paid');
    expect(paying(aProforma(paid(500)), { amount: 2501 })).toEqual(refusals.EXCEEDS_DEBT);
  });
});

describe('a proforma that has given money back', () => {
  it('owes what was refunded, but not what could not be refunded', () => {
    const facts = [line(), paid(3000), refund(1, 1000, 'refunded')];
    expect(accepted(paying(aProforma(...facts), {})).payments.at(-1)?.amount).toBe(1000);
    expect(paying(aProforma(line(), paid(3000), refund(1, 1000, 'refund_failed')), {})).toEqual(
      refusals.DEBT_ALREADY_PAID,
    );
    expect(paidOf(aProforma(line(), paid(3000), refund(1, 1000, 'refund_failed')).payments)).toBe(3000);
  });
});

describe('a proforma with nothing to pay', () => {
  it('cannot be paid', () => {
    expect(paying(aProforma(line({ price: 0 })), {})).toEqual(refusals.DEBT_ALREADY_PAID);
  });
});

describe('a payment method', () => {
  it.each<[string, PaymentMethod | undefined]>([
    ['that the app does not have', undefined],
    ['of kind card', CARD],
  ])('%s is not supported', (_, method) => {
    expect(paying(aProforma(), { method, amount: 100 })).toEqual(refusals.METHOD_NOT_SUPPORTED);
  });

  it.each<PaymentMethod>([CASH, BANK, { id: 4, name: 'Cheque', kind: 'other' }])('$kind is supported', (method) => {
    const next = accepted(paying(aProforma(), { method, amount: 100 }));
    expect(next.payments).toMatchObject([{ method: method.name, methodId: method.id }]);
  });
});

describe('cash without an amount', () => {
  it.each([undefined, null])('(%p) is refused', (amount) => {
    expect(paying(aProforma(), { method: CASH, amount })).toEqual(refusals.CASH_AMOUNT_REQUIRED);
  });
});

interface Violation {
  readonly refusal: Refusal;
  readonly facts: readonly Fact<Proforma>[];
  readonly sent: Partial<PayFacts>;
}

// In the order of the rules.
const violations: readonly Violation[] = [
  { refusal: refusals.ALREADY_FINAL, facts: [inStatus('canceled')], sent: {} },
  { refusal: refusals.METHOD_NOT_SUPPORTED, facts: [], sent: { method: CARD } },
  { refusal: refusals.CASH_AMOUNT_REQUIRED, facts: [], sent: { method: CASH, amount: null } },
  { refusal: refusals.DEBT_ALREADY_PAID, facts: [paid(3000)], sent: {} },
  { refusal: refusals.EXCEEDS_DEBT, facts: [], sent: { amount: 3001 } },
];

// Two rules about one value, such as a card and cash without amount, cannot be broken at once.
const pairs = violations.flatMap((earlier, place) =>
  violations
    .slice(place + 1)
    .filter((later) => !Object.keys(later.sent).some((name) => name in earlier.sent))
    .map((later) => ({ earlier, later, name: `${earlier.refusal.refused} goes before ${later.refusal.refused}` })),
);

describe('two broken rules of a payment', () => {
  it('can be broken in eight pairs', () => {
    expect(pairs).toHaveLength(8);
  });

  it.each(pairs)('$name', ({ earlier, later }) => {
    const proforma = aProforma(...earlier.facts, ...later.facts);
    expect(paying(proforma, { ...earlier.sent, ...later.sent })).toEqual(earlier.refusal);
    expect(paying(aProforma(...later.facts), later.sent)).toEqual(later.refusal);
  });
});
