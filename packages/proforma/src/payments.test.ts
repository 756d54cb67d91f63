import { sum } from '@back-office/kernel';
import fc from 'fast-check';
import { aProforma, line, NOW, bankPayment, voucherPayment, payment, refund } from './testing/index.js';
import {
  debtOf,
  keptAmount,
  isFinalized,
  isPaidInFull,
  uncoveredAmount,
  paidAmountOf,
  refundableAmount,
  refundsDownTo,
} from './payments.js';
import { NO_SOURCE, type Payment } from './proforma.js';

describe('paidAmountOf', () => {
  it('subtracts completed refunds from settled payments', () => {
    const { payments } = aProforma(
      bankPayment(1000),
      payment({ amount: 200, status: 'pending' }),
      payment({ amount: 300, status: 'failed' }),
      refund(1, 50, 'refunded'),
      refund(1, 60, 'pending'),
      refund(1, 70, 'refund_failed'),
    );
    expect(paidAmountOf(payments)).toBe(950);
  });
});

describe('debtOf', () => {
  it('is never below 0', () => {
    expect(debtOf(aProforma(line(), bankPayment(5000)))).toBe(0);
    expect(debtOf(aProforma(line(), bankPayment(2999)))).toBe(1);
  });
});

describe('isPaidInFull', () => {
  it('is true when the payments cover the total', () => {
    expect(isPaidInFull(aProforma(bankPayment(2999)))).toBe(false);
    expect(isPaidInFull(aProforma(bankPayment(3000)))).toBe(true);
    expect(isPaidInFull(aProforma(bankPayment(3001)))).toBe(true);
  });
});

describe('uncoveredAmount', () => {
  it('adds pending refunds to the debt', () => {
    const coveredProforma = aProforma(line(), bankPayment(3000), payment({ amount: 100, status: 'pending' }));
    expect(uncoveredAmount(coveredProforma)).toBe(0);
    const refundingProforma = aProforma(line(), bankPayment(3000), refund(1, 200), refund(1, 300, 'refunded'));
    expect([debtOf(refundingProforma), uncoveredAmount(refundingProforma), isPaidInFull(refundingProforma)]).toEqual([
      300,
      500,
      false,
    ]);
  });

  it('excludes failed refunds', () => {
    const failedRefundProforma = aProforma(line(), bankPayment(3000), refund(1, 200, 'refund_failed'));
    expect([uncoveredAmount(failedRefundProforma), isPaidInFull(failedRefundProforma)]).toEqual([0, true]);
  });
});

describe('a payment', () => {
  it.each<[Payment['status'], boolean]>([
    ['pending', false],
    ['settled', true],
    ['failed', true],
    ['refunded', true],
    ['refund_failed', true],
  ])('in status %s is finalized: %s', (status, expected) => {
    const [storedPayment] = aProforma(payment({ status })).payments;
    expect(storedPayment && isFinalized(storedPayment)).toBe(expected);
  });

  it('is refundable up to its amount minus its refunds', () => {
    const { payments } = aProforma(
      bankPayment(1000),
      bankPayment(1000),
      refund(1, 100, 'refunded'),
      refund(1, 20, 'pending'),
      refund(1, 3, 'refund_failed'),
    );
    expect(payments.slice(0, 2).map((original) => refundableAmount(original, payments))).toEqual([877, 1000]);
    expect(keptAmount(payments)).toBe(1877);
  });
});

describe('refundsDownTo', () => {
  const amounts = (refunds: readonly Payment[]): unknown[] => refunds.map((entry) => [entry.refundOf, entry.amount]);

  it('refunds only the amount above the limit, newest payment first', () => {
    const { payments } = aProforma(bankPayment(1000), bankPayment(500), bankPayment(300));
    expect(amounts(refundsDownTo(1800, payments, NOW))).toEqual([]);
    expect(amounts(refundsDownTo(1799, payments, NOW))).toEqual([[3, -1]]);
    expect(amounts(refundsDownTo(1400, payments, NOW))).toEqual([
      [3, -300],
      [2, -100],
    ]);
    expect(amounts(refundsDownTo(0, payments, NOW))).toEqual([
      [3, -300],
      [2, -500],
      [1, -1000],
    ]);
  });

  it('refunds vouchers last, even the newest', () => {
    const { payments } = aProforma(voucherPayment(400), bankPayment(1000), voucherPayment(600), bankPayment(500));
    expect(amounts(refundsDownTo(800, payments, NOW))).toEqual([
      [4, -500],
      [2, -1000],
      [3, -200],
    ]);
    expect(amounts(refundsDownTo(100, payments, NOW))).toEqual([
      [4, -500],
      [2, -1000],
      [3, -600],
      [1, -300],
    ]);
  });

  it('refunds the later entry first when times are equal', () => {
    const { payments } = aProforma(payment({ amount: 100, date: NOW }), payment({ amount: 100, date: NOW }));
    expect(amounts(refundsDownTo(50, payments, NOW))).toEqual([
      [2, -100],
      [1, -50],
    ]);
  });

  it('orders by date, not by position', () => {
    const { payments } = aProforma(payment({ amount: 100, date: NOW }), bankPayment(100));
    expect(amounts(refundsDownTo(100, payments, NOW))).toEqual([[1, -100]]);
  });

  it('makes a pending refund with the method of the payment', () => {
    const { payments } = aProforma(bankPayment(1000));
    const [original] = payments;
    expect(refundsDownTo(0, payments, NOW)).toEqual([
      {
        id: 0,
        amount: -1000,
        method: original?.method,
        methodId: original?.methodId,
        kind: original?.kind,
        ...NO_SOURCE,
        reference: null,
        voucherId: null,
        keyPart: null,
        status: 'pending',
        date: NOW,
        refundOf: 1,
      },
    ]);
  });

  it('does not refund pending or failed refunds again', () => {
    expect(amounts(refundsDownTo(0, aProforma(bankPayment(1000), refund(1, 1000)).payments, NOW))).toEqual([]);
    expect(amounts(refundsDownTo(0, aProforma(bankPayment(1000), refund(1, 400)).payments, NOW))).toEqual([[1, -600]]);
    const failedRefundProforma = aProforma(bankPayment(1000), refund(1, 700, 'refund_failed'));
    expect(amounts(refundsDownTo(0, failedRefundProforma.payments, NOW))).toEqual([[1, -300]]);
  });

  it('ignores pending and failed payments', () => {
    const { payments } = aProforma(
      payment({ amount: 500, status: 'pending' }),
      payment({ amount: 500, status: 'failed' }),
    );
    expect(refundsDownTo(0, payments, NOW)).toEqual([]);
  });
});

describe('refundsDownTo with any history of payments and refunds', () => {
  interface Capture {
    readonly amount: number;
    readonly isVoucher: boolean;
    readonly minute: number;
    readonly status: 'settled' | 'pending' | 'failed';
    readonly refundedAmount: number;
    readonly refundStatus: 'pending' | 'refunded' | 'refund_failed';
  }

  const capture: fc.Arbitrary<Capture> = fc.record({
    amount: fc.integer({ min: 1, max: 5000 }),
    isVoucher: fc.boolean(),
    minute: fc.nat(5),
    status: fc.constantFrom('settled', 'settled', 'settled', 'pending', 'failed'),
    refundedAmount: fc.nat(5000),
    refundStatus: fc.constantFrom('pending', 'refunded', 'refund_failed'),
  });

  function historyOf(captures: readonly Capture[]): Payment[] {
    const paymentTraits = captures.map(({ amount, isVoucher, minute, status }) =>
      payment({
        amount,
        status,
        kind: isVoucher ? 'voucher' : 'cash',
        date: new Date(NOW.getTime() + minute * 60_000),
      }),
    );
    const refunds = captures.flatMap(({ amount, status, refundedAmount, refundStatus }, index) =>
      status === 'settled' && refundedAmount > 0
        ? [refund(index + 1, Math.min(refundedAmount, amount), refundStatus)]
        : [],
    );
    return [...aProforma(...paymentTraits, ...refunds).payments];
  }

  function remainingAmountOf({ amount, status, refundedAmount }: Capture): number {
    return status === 'settled' ? Math.max(amount - refundedAmount, 0) : 0;
  }

  it('refunds exactly the amount above the limit, up to the captured amount', () => {
    fc.assert(
      fc.property(fc.array(capture, { maxLength: 8 }), fc.nat(20_000), (captures, total) => {
        const remainingAmounts = captures.map(remainingAmountOf);
        const heldTotal = sum(remainingAmounts);
        const refunds = refundsDownTo(total, historyOf(captures), NOW);
        for (const { refundOf, amount } of refunds) {
          expect(amount).toBeLessThan(0);
          expect(-amount).toBeLessThanOrEqual(remainingAmounts[(refundOf ?? 0) - 1] ?? 0);
        }
        expect(new Set(refunds.map((entry) => entry.refundOf)).size).toBe(refunds.length);
        expect(refunds.reduce((amount, entry) => amount - entry.amount, 0)).toBe(Math.max(heldTotal - total, 0));
      }),
      { numRuns: 1_000 },
    );
  });

  it('refunds vouchers and older payments only after the others', () => {
    fc.assert(
      fc.property(fc.array(capture, { maxLength: 8 }), fc.nat(20_000), (captures, total) => {
        const refundedAmounts = captures.map(() => 0);
        for (const { refundOf, amount } of refundsDownTo(total, historyOf(captures), NOW)) {
          refundedAmounts[(refundOf ?? 0) - 1] = -amount;
        }
        for (const [earlierIndex, earlierCapture] of captures.entries()) {
          for (const [laterIndex, laterCapture] of captures.entries()) {
            if (
              !isRefundedFirst(earlierCapture, earlierIndex, laterCapture, laterIndex) ||
              refundedAmounts[laterIndex] === 0
            )
              continue;
            expect(refundedAmounts[earlierIndex]).toBe(remainingAmountOf(earlierCapture));
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  function isRefundedFirst(a: Capture, indexOfA: number, b: Capture, indexOfB: number): boolean {
    if (a.isVoucher !== b.isVoucher) return b.isVoucher;
    return a.minute === b.minute ? indexOfA > indexOfB : a.minute > b.minute;
  }

  it('refunds nothing when it is repeated', () => {
    fc.assert(
      fc.property(fc.array(capture, { maxLength: 8 }), fc.nat(20_000), (captures, total) => {
        const payments = historyOf(captures);
        const refunds = refundsDownTo(total, payments, NOW).map((entry, index) => ({ ...entry, id: 1_000 + index }));
        expect(refundsDownTo(total, [...payments, ...refunds], NOW)).toEqual([]);
      }),
    );
  });
});
