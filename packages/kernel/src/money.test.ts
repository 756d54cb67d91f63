import fc from 'fast-check';
import { divideRounded, fromMinor, MAX_AMOUNT, shareOf, sum, toMinor } from './money.js';

const decimalCounts = fc.constantFrom(0, 2, 3);
const minorAmounts = fc.integer({ min: -MAX_AMOUNT, max: MAX_AMOUNT });

describe('an amount with the decimals of its currency', () => {
  it('stays the same when converted to minor units and back', () => {
    fc.assert(
      fc.property(
        minorAmounts,
        decimalCounts,
        (amount, decimals) => toMinor(fromMinor(amount, decimals), decimals) === amount,
      ),
      { numRuns: 2_000 },
    );
  });

  it('equals the number in the JSON text', () => {
    fc.assert(
      fc.property(fc.nat(999_999_999), fc.integer({ min: 0, max: 99 }), (whole, cents) => {
        const text = `${whole}.${String(cents).padStart(2, '0')}`;
        expect(toMinor(JSON.parse(text) as number, 2)).toBe(whole * 100 + cents);
      }),
    );
  });

  it.each([
    [4.35, 2, 435],
    [0.07, 2, 7],
    [1.1, 2, 110],
    [-19.99, 2, -1999],
    [100, 2, 10_000],
    [7, 0, 7],
    [1.234, 3, 1234],
    [1.5, 3, 1500],
    [0, 2, 0],
    [-0, 2, 0],
  ])('with value %d and %d decimals becomes %d minor units', (amount, decimals, expected) => {
    expect(toMinor(amount, decimals)).toBe(expected);
  });
});

describe('an amount with more decimals than its currency', () => {
  it('is rejected, not rounded', () => {
    const numbersWithSignificantLastDigit = fc.integer({ min: -1e12, max: 1e12 }).filter((digits) => digits % 10 !== 0);
    fc.assert(
      fc.property(numbersWithSignificantLastDigit, decimalCounts, (digits, decimals) => {
        expect(toMinor(digits / 10 ** (decimals + 1), decimals)).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['a third decimal', 1.005, 2],
    ['any decimal of a currency without decimals', 0.1, 0],
    ['an error of binary arithmetic', 0.1 + 0.2, 2],
  ])('is rejected for %s', (_, amount, decimals) => {
    expect(toMinor(amount, decimals)).toBeUndefined();
  });
});

describe('toMinor of a number outside the range of amounts', () => {
  it.each([Number.NaN, Infinity, -Infinity, 1e21, -1e21, 1e-7, Number.MAX_VALUE, Number.MIN_VALUE])(
    'rejects %d',
    (amount) => {
      expect(toMinor(amount, 2)).toBeUndefined();
    },
  );
});

describe('the maximum amount', () => {
  it('is accepted with either sign', () => {
    expect(toMinor(MAX_AMOUNT / 100, 2)).toBe(MAX_AMOUNT);
    expect(toMinor(-MAX_AMOUNT / 100, 2)).toBe(-MAX_AMOUNT);
  });

  it('is refused when exceeded by one minor unit', () => {
    expect(toMinor((MAX_AMOUNT + 1) / 100, 2)).toBeUndefined();
    expect(toMinor(-(MAX_AMOUNT + 1) / 100, 2)).toBeUndefined();
    expect(toMinor(MAX_AMOUNT + 1, 0)).toBeUndefined();
  });
});

describe('divideRounded', () => {
  const numerators = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
  const denominators = fc.bigInt({ min: 1n, max: 20_000n });

  it('rounds to the nearest unit, half away from zero', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), denominators, (numerator, denominator) => {
        const rounded = BigInt(divideRounded(numerator, denominator)) * denominator;
        const doubledError = 2n * magnitude(numerator - rounded);
        expect(doubledError <= denominator).toBe(true);
        if (doubledError === denominator) expect(magnitude(rounded) > magnitude(numerator)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is symmetric around zero', () => {
    fc.assert(
      fc.property(numerators, denominators, (numerator, denominator) => {
        return divideRounded(-numerator, denominator) === 0 - divideRounded(numerator, denominator);
      }),
    );
  });

  it.each([
    [1n, 2n, 1],
    [-1n, 2n, -1],
    [5n, 2n, 3],
    [-5n, 2n, -3],
    [49n, 100n, 0],
    [-49n, 100n, 0],
    [50n, 100n, 1],
    [0n, 7n, 0],
    [7n, 1n, 7],
  ])('divides %d by %d to %d', (numerator, denominator, expected) => {
    expect(divideRounded(numerator, denominator)).toBe(expected);
  });
});

describe('sum', () => {
  it('returns 0 for an empty list', () => {
    expect(sum([])).toBe(0);
  });

  it('adds every number', () => {
    expect(sum([1, -2, 30])).toBe(29);
  });
});

function magnitude(number: bigint): bigint {
  return number < 0n ? -number : number;
}

describe('shareOf', () => {
  it('equals the exact quotient, rounded half away from zero', () => {
    fc.assert(
      fc.property(minorAmounts, fc.nat(1_000_000), fc.integer({ min: 1, max: 1_000_000 }), (amount, part, whole) =>
        expect(shareOf(amount, part, whole)).toBe(divideRounded(BigInt(amount) * BigInt(part), BigInt(whole))),
      ),
      { numRuns: 20_000 },
    );
  });

  it('rounds half of the largest safe integer up', () => {
    expect(shareOf(Number.MAX_SAFE_INTEGER, 1, 2)).toBe(2 ** 52);
  });
});
