import fc from 'fast-check';
import { divideRounded, fromMinor, MAX_AMOUNT, sum, toMinor } from './money.js';

const decimals = fc.constantFrom(0, 2, 3);
const minor = fc.integer({ min: -MAX_AMOUNT, max: MAX_AMOUNT });

describe('an amount with the decimals of its currency', () => {
  it('survives conversion to minor units and back', () => {
    fc.assert(
      fc.property(minor, decimals, (amount, places) => toMinor(fromMinor(amount, places), places) === amount),
      { numRuns: 2_000 },
    );
  });

  it('is read as written in JSON', () => {
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
  ])('%d with %d decimals is %d', (amount, places, expected) => {
    expect(toMinor(amount, places)).toBe(expected);
  });
});

describe('an amount with more decimals than its currency', () => {
  it('is refused, not rounded', () => {
    const lastDigitCounts = fc.integer({ min: -1e12, max: 1e12 }).filter((digits) => digits % 10 !== 0);
    fc.assert(
      fc.property(lastDigitCounts, decimals, (digits, places) => {
        expect(toMinor(digits / 10 ** (places + 1), places)).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['a third decimal', 1.005, 2],
    ['any decimal of a currency without decimals', 0.1, 0],
    ['an error of binary arithmetic', 0.1 + 0.2, 2],
  ])('is refused for %s', (_, amount, places) => {
    expect(toMinor(amount, places)).toBeUndefined();
  });
});

describe('a number outside the range of amounts', () => {
  it.each([Number.NaN, Infinity, -Infinity, 1e21, -1e21, 1e-7, Number.MAX_VALUE, Number.MIN_VALUE])(
    '%d is refused',
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

  it('is the limit to the minor unit', () => {
    expect(toMinor((MAX_AMOUNT + 1) / 100, 2)).toBeUndefined();
    expect(toMinor(-(MAX_AMOUNT + 1) / 100, 2)).toBeUndefined();
    expect(toMinor(MAX_AMOUNT + 1, 0)).toBeUndefined();
  });
});

describe('divideRounded', () => {
  const numerator = fc.bigInt({ min: -(10n ** 18n), max: 10n ** 18n });
  const denominator = fc.bigInt({ min: 1n, max: 20_000n });

  it('rounds to the nearest unit, half away from zero', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), denominator, (exact, by) => {
        const rounded = BigInt(divideRounded(exact, by)) * by;
        const twiceOff = 2n * magnitude(exact - rounded);
        expect(twiceOff <= by).toBe(true);
        if (twiceOff === by) expect(magnitude(rounded) > magnitude(exact)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is symmetric around zero', () => {
    fc.assert(
      fc.property(numerator, denominator, (exact, by) => divideRounded(-exact, by) === 0 - divideRounded(exact, by)),
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
  ])('%d by %d is %d', (exact, by, expected) => {
    expect(divideRounded(exact, by)).toBe(expected);
  });
});

describe('sum', () => {
  it('is 0 for an empty list', () => {
    expect(sum([])).toBe(0);
  });

  it('adds every number', () => {
    expect(sum([1, -2, 30])).toBe(29);
  });
});

function magnitude(number: bigint): bigint {
  return number < 0n ? -number : number;
}
