import fc from 'fast-check';
import { aProforma, line, NOW, paid, paidByVoucher, payment, refund } from '../testing/index.js';
import { debtOf, heldMoney, isFinalized, isPaidInFull, owedOf, paidOf, refundable, refundsDownTo } from './payments.js';
import type { Payment } from './proforma.js';

describe('what is paid', () => {
  it('is settled payments less refunds that went through', () => {
    const { payments } = aProforma(
      paid(1000),
      payment({ amount: 200, status: 'pending' }),
      payment({ amount: 300, status: 'failed' }),
      refund(1, 50, 'refunded'),
      refund(1, 60, 'pending'),
      refund(1, 70, 'refund_failed'),
    );
    expect(paidOf(payments)).toBe(950);
  });
});

describe('the debt', () => {
  it('is never below 0', () => {
    expect(debtOf(aProforma(line(), paid(5000)))).toBe(0);
    expect(debtOf(aProforma(line(), paid(2999)))).toBe(1);
  });

  it('is gone as soon as the total is covered', () => {
    expect(isPaidInFull(aProforma(paid(2999)))).toBe(false);
    expect(isPaidInFull(aProforma(paid(3000)))).toBe(true);
    expect(isPaidInFull(aProforma(paid(3001)))).toBe(true);
  });
});

describe('what is owed', () => {
  it('is the debt, and what is on its way back', () => {
    const held = aProforma(line(), paid(3000), payment({ amount: 100, status: 'pending' }));
    expect(owedOf(held)).toBe(0);
    const leaving = aProforma(line(), paid(3000), refund(1, 200), refund(1, 300, 'refunded'));
    expect([debtOf(leaving), owedOf(leaving), isPaidInFull(leaving)]).toEqual([300, 500, false]);
  });

  it('is not what could not be refunded: that is still here', () => {
    const failed = aProforma(line(), paid(3000), refund(1, 200, 'refund_failed'));
    expect([owedOf(failed), isPaidInFull(failed)]).toEqual([0, true]);
  });
});

describe('a payment', () => {
  it.each<[Payment['status'], boolean]>([
    ['pending', false],
    ['settled', true],
    ['failed', true],
    ['refunded', true],
    ['refund_failed', true],
  ])('that is %s is finalized: %s', (status, expected) => {
    const [told] = aProforma(payment({ status })).payments;
    expect(told && isFinalized(told)).toBe(expected);
  });

  it('can be refunded down to what is neither back nor on its way back', () => {
    const { payments } = aProforma(
      paid(1000),
      paid(1000),
      refund(1, 100, 'refunded'),
      refund(1, 20, 'pending'),
      refund(1, 3, 'refund_failed'),
    );
    expect(payments.slice(0, 2).map((each) => refundable(each, payments))).toEqual([877, 1000]);
    expect(heldMoney(payments)).toBe(1877);
  });
});

describe('refunds', () => {
  const amounts = (refunds: readonly Payment[]): unknown[] => refunds.map((each) => [each.refundOf, each.amount]);

  it('take the newest payment first, and only as much as is too much', () => {
    const { payments } = aProforma(paid(1000), paid(500), paid(300));
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

  it('take vouchers last, however new they are', () => {
    const { payments } = aProforma(paidByVoucher(400), paid(1000), paidByVoucher(600), paid(500));
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

  it('take the later entry first when two came at the same moment', () => {
    const { payments } = aProforma(payment({ amount: 100, date: NOW }), payment({ amount: 100, date: NOW }));
    expect(amounts(refundsDownTo(50, payments, NOW))).toEqual([
      [2, -100],
      [1, -50],
    ]);
  });

  it('go by the date of a payment, not by its place', () => {
    const { payments } = aProforma(payment({ amount: 100, date: NOW }), paid(100));
    expect(amounts(refundsDownTo(100, payments, NOW))).toEqual([[1, -100]]);
  });

  it('name their payment, its method and the moment, and wait for the gateway', () => {
    const { payments } = aProforma(paid(1000));
    const [told] = payments;
    expect(refundsDownTo(0, payments, NOW)).toEqual([
      {
        id: 0,
        amount: -1000,
        method: told?.method,
        methodId: told?.methodId,
        kind: told?.kind,
        reference: null,
        voucherId: null,
        status: 'pending',
        date: NOW,
        refundOf: 1,
      },
    ]);
  });

  it('leave alone what is on its way already, and what failed and is in the hands of a person', () => {
    expect(amounts(refundsDownTo(0, aProforma(paid(1000), refund(1, 1000)).payments, NOW))).toEqual([]);
    expect(amounts(refundsDownTo(0, aProforma(paid(1000), refund(1, 400)).payments, NOW))).toEqual([[1, -600]]);
    const failed = aProforma(paid(1000), refund(1, 700, 'refund_failed'));
    expect(amounts(refundsDownTo(0, failed.payments, NOW))).toEqual([[1, -300]]);
  });

  it('do not touch money that never came', () => {
    const { payments } = aProforma(
      payment({ amount: 500, status: 'pending' }),
      payment({ amount: 500, status: 'failed' }),
    );
    expect(refundsDownTo(0, payments, NOW)).toEqual([]);
  });
});

describe('any history of payments and refunds', () => {
  interface Capture {
    readonly amount: number;
    readonly voucher: boolean;
    readonly minute: number;
    readonly status: 'settled' | 'pending' | 'failed';
    readonly givenBack: number;
    readonly refundStatus: 'pending' | 'refunded' | 'refund_failed';
  }

  const capture: fc.Arbitrary<Capture> = fc.record({
    amount: fc.integer({ min: 1, max: 5000 }),
    voucher: fc.boolean(),
    minute: fc.nat(5),
    status: fc.constantFrom('settled', 'settled', 'settled', 'pending', 'failed'),
    givenBack: fc.nat(5000),
    refundStatus: fc.constantFrom('pending', 'refunded', 'refund_failed'),
  });

  function historyOf(captures: readonly Capture[]): Payment[] {
    const told = captures.map(({ amount, voucher, minute, status }) =>
      payment({
        amount,
        status,
        kind: voucher ? 'voucher' : 'cash',
        date: new Date(NOW.getTime() + minute * 60_000),
      }),
    );
    const refunds = captures.flatMap(({ amount, status, givenBack, refundStatus }, index) =>
      status === 'settled' && givenBack > 0 ? [refund(index + 1, Math.min(givenBack, amount), refundStatus)] : [],
    );
    return [...aProforma(...told, ...refunds).payments];
  }

  /** What is left of each capture, told from the description and not from the payments. */
  function leftOf({ amount, status, givenBack }: Capture): number {
    return status === 'settled' ? Math.max(amount - givenBack, 0) : 0;
  }

  it('never gives back more than was captured, and exactly what is too much', () => {
    fc.assert(
      fc.property(fc.array(capture, { maxLength: 8 }), fc.nat(20_000), (captures, owed) => {
        const left = captures.map(leftOf);
        const held = left.reduce((total, each) => total + each, 0);
        const refunds = refundsDownTo(owed, historyOf(captures), NOW);
        for (const { refundOf, amount } of refunds) {
          expect(amount).toBeLessThan(0);
          expect(-amount).toBeLessThanOrEqual(left[(refundOf ?? 0) - 1] ?? 0);
        }
        expect(new Set(refunds.map((each) => each.refundOf)).size).toBe(refunds.length);
        expect(refunds.reduce((total, each) => total - each.amount, 0)).toBe(Math.max(held - owed, 0));
      }),
      { numRuns: 1_000 },
    );
  });

  it('touches a voucher only when nothing else is left, and an older payment only when no newer one is', () => {
    fc.assert(
      fc.property(fc.array(capture, { maxLength: 8 }), fc.nat(20_000), (captures, owed) => {
        const takenFrom = captures.map(() => 0);
        for (const { refundOf, amount } of refundsDownTo(owed, historyOf(captures), NOW)) {
          takenFrom[(refundOf ?? 0) - 1] = -amount;
        }
        for (const [first, earlier] of captures.entries()) {
          for (const [second, later] of captures.entries()) {
            if (!goesFirst(earlier, first, later, second) || takenFrom[second] === 0) continue;
            expect(takenFrom[first]).toBe(leftOf(earlier));
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  function goesFirst(a: Capture, placeOfA: number, b: Capture, placeOfB: number): boolean {
    if (a.voucher !== b.voucher) return b.voucher;
    return a.minute === b.minute ? placeOfA > placeOfB : a.minute > b.minute;
  }

  it('leaves nothing to give back once it was given back', () => {
    fc.assert(
      fc.property(fc.array(capture, { maxLength: 8 }), fc.nat(20_000), (captures, owed) => {
        const payments = historyOf(captures);
        const refunds = refundsDownTo(owed, payments, NOW).map((each, index) => ({ ...each, id: 1_000 + index }));
        expect(refundsDownTo(owed, [...payments, ...refunds], NOW)).toEqual([]);
      }),
    );
  });
});
