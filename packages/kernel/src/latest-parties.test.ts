import { LatestParties } from './latest-parties.js';

describe('LatestParties', () => {
  it('returns the time of the last call by another party', () => {
    const parties = new LatestParties<string>();
    expect(parties.otherCallAtMs('a')).toBe(-Infinity);
    parties.note('a', 1);
    expect([parties.otherCallAtMs('a'), parties.otherCallAtMs('b')]).toEqual([-Infinity, 1]);
    parties.note('b', 2);
    parties.note('b', 3);
    expect([parties.otherCallAtMs('a'), parties.otherCallAtMs('b'), parties.otherCallAtMs('c')]).toEqual([3, 1, 3]);
  });
});
