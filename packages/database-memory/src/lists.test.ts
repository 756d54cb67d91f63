import { groupBy, sortBy } from './lists.js';
import { lowerCase } from './lower-case.js';

describe('sortBy', () => {
  it('sorts texts by code points and null last', () => {
    const texts = ['😀', 'ａ', null, 'b', 'ab', 'a', 'Z'];
    expect(sortBy(texts, [(text) => text])).toEqual(['Z', 'a', 'ab', 'b', 'ａ', '😀', null]);
  });

  it('uses the next key for ties', () => {
    const rows = [
      { name: 'b', id: 1 },
      { name: 'a', id: 3 },
      { name: 'a', id: 2 },
    ];
    expect(sortBy(rows, [({ name }) => name, ({ id }) => id]).map(({ id }) => id)).toEqual([2, 3, 1]);
  });
});

describe('groupBy', () => {
  it('keeps the order of the rows', () => {
    expect([...groupBy([3, 1, 2, 5], (row) => row % 2)]).toEqual([
      [1, [3, 1, 5]],
      [0, [2]],
    ]);
  });
});

describe('lowerCase', () => {
  it.each([
    ['İ', 'i'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['ŠĆ-2', 'šć-2'],
    ['STRAẞE', 'straße'],
    ['𐐀', '𐐨'],
  ])('turns %s into %s', (text, expected) => {
    expect(lowerCase(text)).toBe(expected);
  });
});
