import { newParts, timePartOf } from './partition.js';

describe('timePartOf', () => {
  it.each([
    ['2020-01-01T00:00:00Z', 0],
    ['2020-01-31T23:59:59.999Z', 0],
    ['2020-02-01T00:00:00Z', 1],
    ['2020-12-31T23:59:59Z', 11],
    ['2021-01-01T00:00:00Z', 12],
    ['2026-11-21T10:00:00Z', 82],
  ])('maps %s to %d', (at, months) => {
    expect(timePartOf(new Date(at))).toBe(months);
  });

  it('counts months in UTC', () => {
    expect(timePartOf(new Date('2026-03-01T00:30:00+01:00'))).toBe(timePartOf(new Date('2026-02-10T00:00:00Z')));
  });
});

describe('newParts', () => {
  const at = new Date('2026-11-21T10:00:00Z');

  it('returns one of 64 data parts, and the current month as the time part', () => {
    expect(newParts(at, () => 0)).toEqual({ dataPart: 1, timePart: 82 });
    expect(newParts(at, (limit) => limit - 1)).toEqual({ dataPart: 64, timePart: 82 });
  });
});
