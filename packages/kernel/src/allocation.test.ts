import fc from 'fast-check';
import { allocate } from './allocation.js';

const amount = fc.nat(1e12);
const weights = fc.array(fc.nat(1e12), { minLength: 1, maxLength: 20 });
const equalWeights = fc
  .tuple(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1, max: 20 }))
  .map(([weight, count]) => Array.from({ length: count }, () => weight));

const someWeight = (all: readonly number[]): boolean => all.some((weight) => weight > 0);

describe('allocate', () => {
  it('adds up exactly', () => {
    fc.assert(
      fc.property(amount, weights.filter(someWeight), (whole, by) => {
        expect(allocate(whole, by).reduce((total, part) => total + part, 0)).toBe(whole);
      }),
      { numRuns: 1_000 },
    );
  });

  it('differs from the exact share by less than one unit', () => {
    fc.assert(
      fc.property(amount, weights.filter(someWeight), (whole, by) => {
        const all = by.reduce((total, weight) => total + BigInt(weight), 0n);
        const parts = allocate(whole, by);
        for (const [index, weight] of by.entries()) {
          const off = BigInt(parts[index] ?? 0) * all - BigInt(whole) * BigInt(weight);
          expect(off < all && off > -all).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('never gives a smaller weight more than a larger one', () => {
    fc.assert(
      fc.property(amount, weights, (whole, by) => {
        const parts = allocate(whole, by);
        const byWeight = by.map((weight, index) => ({ weight, part: parts[index] ?? 0 })).sort(lightestFirst);
        expect(byWeight.map(({ part }) => part)).toEqual(parts.sort((a, b) => a - b));
      }),
    );
  });

  it('gives the odd unit to the earlier of equal weights', () => {
    fc.assert(
      fc.property(amount, equalWeights, (whole, by) => {
        const share = Math.floor(whole / by.length);
        const odd = whole % by.length;
        expect(allocate(whole, by)).toEqual(by.map((_, index) => (index < odd ? share + 1 : share)));
      }),
    );
  });

  it('gives a weight of 0 nothing', () => {
    fc.assert(
      fc.property(amount, weights, weights, (whole, before, after) => {
        expect(allocate(whole, [...before, 0, ...after])[before.length]).toBe(0);
      }),
    );
  });

  it.each([
    [100, [1, 1, 1], [34, 33, 33]],
    [1, [1, 1], [1, 0]],
    [10, [1, 2, 7], [1, 2, 7]],
    // Exact shares 3.33, 5.83, 0.83: the two largest remainders tie.
    [10, [4, 7, 1], [3, 6, 1]],
    // Exact shares 0.6, 0.6, 1.8: largest remainder first, then the earlier tie.
    [3, [1, 1, 3], [1, 0, 2]],
    [0, [5, 5], [0, 0]],
    [7, [3], [7]],
  ])('%d over %j is %j', (whole, by, parts) => {
    expect(allocate(whole, by)).toEqual(parts);
  });
});

describe('allocate without positive weights', () => {
  it('returns zeros', () => {
    expect(allocate(5, [0, 0])).toEqual([0, 0]);
    expect(allocate(5, [])).toEqual([]);
  });
});

interface Share {
  readonly part: number;
  readonly weight: number;
}

function lightestFirst(a: Share, b: Share): number {
  return a.weight - b.weight || a.part - b.part;
}
