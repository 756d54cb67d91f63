import { RecentMisses } from './recent-misses.js';

describe('keys in RecentMisses', () => {
  let nowMs: number;
  let misses: RecentMisses;
  beforeEach(() => {
    nowMs = 10_000;
    misses = new RecentMisses(1_000, 3, { now: () => new Date(nowMs) });
  });

  it('are remembered for their lifetime', () => {
    misses.add('a');
    expect([misses.has('a'), misses.has('b')]).toEqual([true, false]);
    nowMs += 1_000;
    expect(misses.has('a')).toBe(false);
  });

  it('are forgotten when the clock is set back', () => {
    misses.add('a');
    nowMs -= 5_000;
    expect(misses.has('a')).toBe(false);
  });

  it('are forgotten on demand', () => {
    for (const key of ['a', 'b', 'c']) misses.add(key);
    misses.delete('a');
    expect(['a', 'b'].map((key) => misses.has(key))).toEqual([false, true]);
    misses.clear();
    expect(misses.has('b')).toBe(false);
  });

  it('are forgotten when newer keys exceed the maximum number', () => {
    for (const key of ['a', 'b', 'a', 'c', 'd']) misses.add(key);
    expect(['a', 'b', 'c', 'd'].map((key) => misses.has(key))).toEqual([true, false, true, true]);
  });
});
