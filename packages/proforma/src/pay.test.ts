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
import type { Proforma } from './proforma.js';
import * as refusals from './refusals.js';

function paying(proforma: Proforma, facts: Partial<PayFacts>): Proforma | Refusal {
  return pay(proforma, { method: BANK, amount: undefined, now: NOW, ...facts });
}

function accepted(outcome: Proforma | Refusal): Proforma {
  if (isRefusal(outcome)) throw new Error(outcome.refused);
  return outcome;
}

describe('pay with a pending refund', () => {
  const leaving = aProforma(bankPayment(3000), refund(1, 1000), inStatus('confirmed'));

  it('counts the refund as debt', () => {
    const next = accepted(paying(leaving, { amount: 0 }));
    expect(next.payments.at(-1)).toMatchObject({ amount: 1000, status: 'settled' });
    expect(next.status).toBe('paid');
    expect(accepted(paying(leaving, { amount: 1000 })).status).toBe('paid');
    expect(paying(leaving, { amount: 1001 })).toEqual(refusals.EXCEEDS_DEBT);
  });

  it('does not make it paid below that debt', () => {
    expect(accepted(paying(leaving, { amount: 999 })).status).toBe('confirmed');
  });
});

describe('a payment below the debt', () => {
  it('is settled and keeps the status', () => {
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
        keyPart: null,
        status: 'settled',
        date: NOW,
        refundOf: null,
      },
    ]);
    expect(next).toMatchObject({ status: 'draft', updatedAt: NOW });
    expect(debtOf(next)).toBe(1800);
  });

  it('makes paid when the sum covers the total', () => {
    let proforma = aProforma();
    const statuses = [1000, 1999, 1].map((amount) => {
      proforma = accepted(paying(proforma, { amount }));
      return proforma.status;
    });
    expect(statuses).toEqual(['draft', 'draft', 'paid']);
    expect(proforma.payments.map((payment) => payment.amount)).toEqual([1000, 1999, 1]);
  });

  it('makes paid together with a voucher', () => {
    expect(accepted(paying(aProforma(voucherPayment(2000)), { amount: 999 })).status).toBe('draft');
    expect(accepted(paying(aProforma(voucherPayment(2000)), { amount: 1000 })).status).toBe('paid');
  });
});

describe('a payment of 0 or less, or without amount', () => {
  it.each([0, -1, -5000, undefined, null])('(%p) pays the whole debt', (amount) => {
    const next = accepted(paying(aProforma(bankPayment(500)), { amount }));
    expect(next.payments.at(-1)?.amount).toBe(2500);
    expect(next.status).toBe('paid');
  });

  it('pays the whole debt in cash when 0', () => {
    expect(accepted(paying(aProforma(), { method: CASH, amount: 0 })).payments.at(-1)?.amount).toBe(3000);
  });
});

describe('a payment of exactly the debt', () => {
  it('is accepted; one more minor unit is not', () => {
    expect(accepted(paying(aProforma(bankPayment(500)), { amount: 2500 })).status).toBe('paid');
    expect(paying(aProforma(bankPayment(500)), { amount: 2501 })).toEqual(refusals.EXCEEDS_DEBT);
  });
});

describe('a refunded proforma', () => {
  it('has debt for completed refunds, not for failed ones', () => {
    const facts = [line(), bankPayment(3000), refund(1, 1000, 'refunded')];
    expect(accepted(paying(aProforma(...facts), {})).payments.at(-1)?.amount).toBe(1000);
    expect(paying(aProforma(line(), bankPayment(3000), refund(1, 1000, 'refund_failed')), {})).toEqual(
      refusals.DEBT_ALREADY_PAID,
    );
    expect(paidAmountOf(aProforma(line(), bankPayment(3000), refund(1, 1000, 'refund_failed')).payments)).toBe(3000);
  });
});

describe('a proforma with nothing to pay', () => {
  it('cannot be paid', () => {
    expect(paying(aProforma(line({ price: 0 })), {})).toEqual(refusals.DEBT_ALREADY_PAID);
  });
});

describe('a payment method', () => {
  it.each<[string, PaymentMethod | undefined]>([
    ['an unknown method', undefined],
    ['a card', CARD],
  ])('refuses %s', (_, method) => {
    expect(paying(aProforma(), { method, amount: 100 })).toEqual(refusals.METHOD_NOT_SUPPORTED);
  });

  it.each<PaymentMethod>([CASH, BANK, { id: 4, name: 'Cheque', kind: 'other' }])('accepts $kind', (method) => {
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
  readonly facts: readonly Trait<Proforma>[];
  readonly sent: Partial<PayFacts>;
}

// In the order of the checks.
const violations: readonly Violation[] = [
  { refusal: refusals.ALREADY_FINAL, facts: [inStatus('canceled')], sent: {} },
  { refusal: refusals.METHOD_NOT_SUPPORTED, facts: [], sent: { method: CARD } },
  { refusal: refusals.CASH_AMOUNT_REQUIRED, facts: [], sent: { method: CASH, amount: null } },
  { refusal: refusals.DEBT_ALREADY_PAID, facts: [bankPayment(3000)], sent: {} },
  { refusal: refusals.EXCEEDS_DEBT, facts: [], sent: { amount: 3001 } },
];

// Two rules about one value, such as a card and cash without amount, exclude each other.
const pairs = violations.flatMap((earlier, index) =>
  violations
    .slice(index + 1)
    .filter((later) => !Object.keys(later.sent).some((name) => name in earlier.sent))
    .map((later) => ({ earlier, later, name: `${earlier.refusal.refused} before ${later.refusal.refused}` })),
);

describe('two refusals of a payment', () => {
  it('cover eight pairs', () => {
    expect(pairs).toHaveLength(8);
  });

  it.each(pairs)('$name', ({ earlier, later }) => {
    const proforma = aProforma(...earlier.facts, ...later.facts);
    expect(paying(proforma, { ...earlier.sent, ...later.sent })).toEqual(earlier.refusal);
    expect(paying(aProforma(...later.facts), later.sent)).toEqual(later.refusal);
  });
});
