import { isOver, isUnused, purgeAt, versionToRevert } from './retention.js';

const since = new Date('2026-03-01T12:00:00Z');
const at = (text: string): Date => new Date(`2026-${text}Z`);

describe('the end of retention', () => {
  it('comes so many days after', () => {
    expect(purgeAt(since, 30)).toEqual(at('03-31T12:00:00'));
    expect(purgeAt(since, 0)).toEqual(since);
  });

  it('is over exactly when it comes', () => {
    expect([isOver(since, at('03-01T11:59:59.999')), isOver(since, since)]).toEqual([false, true]);
  });
});

describe('a file that nothing uses', () => {
  it('is unused once the threshold has passed', () => {
    expect(isUnused(since, 0, 30, at('03-31T11:59:59'))).toBe(false);
    expect(isUnused(since, 0, 30, at('03-31T12:00:00'))).toBe(true);
  });

  it('is not unused when something does use it', () => {
    expect(isUnused(since, 1, 30, at('12-31T00:00:00'))).toBe(false);
  });
});

describe('a revert', () => {
  it.each([
    [[1, 2, 3], undefined, 3],
    [[3, 1], undefined, 3],
    [[1, 2, 3], 2, 2],
    [[1, 3], 2, undefined],
    [[], undefined, undefined],
    [[], 1, undefined],
  ])('with %j kept and %p wanted brings back %p', (kept, wanted, expected) => {
    expect(versionToRevert(kept, wanted)).toBe(expected);
  });
});
