import { purgeAt, unusedCutoff, versionToRevert } from './retention.js';

const start = new Date('2026-03-01T12:00:00Z');
const dateOf = (text: string): Date => new Date(`2026-${text}Z`);

describe('purgeAt', () => {
  it('adds days', () => {
    expect(purgeAt(start, 30)).toEqual(dateOf('03-31T12:00:00'));
    expect(purgeAt(start, 0)).toEqual(start);
  });
});

describe('unusedCutoff', () => {
  it('subtracts days', () => {
    expect(unusedCutoff(dateOf('03-31T12:00:00'), 30)).toEqual(start);
    expect(unusedCutoff(start, 0)).toEqual(start);
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
  ])('selects from %j, with %p requested: %p', (keptVersions, requested, expected) => {
    expect(versionToRevert(keptVersions, requested)).toBe(expected);
  });
});
