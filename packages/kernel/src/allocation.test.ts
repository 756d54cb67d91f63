import fc from 'fast-check';
import { allocate } from './allocation.js';

const amounts = fc.nat(1e12);
const weightLists = fc.array(fc.nat(1e12), { minLength: 1, maxLength: 20 });
const equalWeights = fc
  .tuple(fc.integer({ min: 1, max: 1e9 }), fc.integer({ min: 1, max: 20 }))
  .map(([weight, count]) => Array.from({ length: count }, () => weight));

const hasPositiveWeight = (weights: readonly number[]): boolean => weights.some((weight) => weight > 0);

describe('allocate', () => {
  it('returns parts that add up to the amount', () => {
    fc.assert(
      fc.property(amounts, weightLists.filter(hasPositiveWeight), (total, weights) => {
        expect(allocate(total, weights).reduce((partSum, part) => partSum + part, 0)).toBe(total);
      }),
      { numRuns: 1_000 },
    );
  });

  it('returns parts that differ from the exact share by less than one unit', () => {
    fc.assert(
      fc.property(amounts, weightLists.filter(hasPositiveWeight), (total, weights) => {
        const totalWeight = weights.reduce((weightSum, weight) => weightSum + BigInt(weight), 0n);
        const parts = allocate(total, weights);
        for (const [index, weight] of weights.entries()) {
          const scaledError = BigInt(parts[index] ?? 0) * totalWeight - BigInt(total) * BigInt(weight);
          expect(scaledError < totalWeight && scaledError > -totalWeight).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('never gives more to a smaller weight than to a larger one', () => {
    fc.assert(
      fc.property(amounts, weightLists, (total, weights) => {
        const parts = allocate(total, weights);
        const byWeight = weights.map((weight, index) => ({ weight, part: parts[index] ?? 0 })).sort(lightestFirst);
        expect(byWeight.map(({ part }) => part)).toEqual(parts.sort((a, b) => a - b));
      }),
    );
  });

  it('gives a remaining unit to the earlier of two equal weights', () => {
    fc.assert(
      fc.property(amounts, equalWeights, (total, weights) => {
        const share = Math.floor(total / weights.length);
        const oddUnits = total % weights.length;
        expect(allocate(total, weights)).toEqual(weights.map((_, index) => (index < oddUnits ? share + 1 : share)));
      }),
    );
  });

  it('gives nothing to a weight of 0', () => {
    fc.assert(
      fc.property(amounts, weightLists, weightLists, (total, before, after) => {
        expect(allocate(total, [...before, 0, ...after])[before.length]).toBe(0);
      }),
    );
  });

  it.each([
    [100, [1, 1, 1], [34, 33, 33]],
    [1, [1, 1], [1, 0]],
    [10, [1, 2, 7], [1, 2, 7]],
    [10, [4, 7, 1], [3, 6, 1]],
    [3, [1, 1, 3], [1, 0, 2]],
    [0, [5, 5], [0, 0]],
    [7, [3], [7]],
  ])('splits %d over %j into %j', (total, weights, parts) => {
    expect(allocate(total, weights)).toEqual(parts);
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
