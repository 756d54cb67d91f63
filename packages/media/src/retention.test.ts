import { purgeAt, unusedSince, versionToRevert } from './retention.js';

const since = new Date('2026-03-01T12:00:00Z');
const at = (text: string): Date => new Date(`2026-${text}Z`);

describe('purgeAt', () => {
  it('adds days', () => {
    expect(purgeAt(since, 30)).toEqual(at('03-31T12:00:00'));
    expect(purgeAt(since, 0)).toEqual(since);
  });
});

describe('unusedSince', () => {
  it('subtracts days', () => {
    expect(unusedSince(at('03-31T12:00:00'), 30)).toEqual(since);
    expect(unusedSince(since, 0)).toEqual(since);
  });
});

describe('versionToRevert', () => {
  it.each([
    [[1, 2, 3], undefined, 3],
    [[3, 1], undefined, 3],
    [[1, 2, 3], 2, 2],
    [[1, 3], 2, undefined],
    [[], undefined, undefined],
    [[], 1, undefined],
  ])('of %j, with %p requested, is %p', (kept, requested, expected) => {
    expect(versionToRevert(kept, requested)).toBe(expected);
  });
});
