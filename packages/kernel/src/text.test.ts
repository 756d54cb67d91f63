import fc from 'fast-check';
import { isBlank, isSound, lengthOf } from './text.js';

describe('a text that can be stored', () => {
  it('is any sequence of whole characters', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => isSound(text.replaceAll('\0', ''))));
    expect(isSound('Đ 😀 👩‍👩‍👧')).toBe(true);
    expect(isSound('')).toBe(true);
  });
});

describe('a text that cannot be stored', () => {
  it.each([
    ['a NUL', 'a\0b'],
    ['a high surrogate alone', 'a\uD83D'],
    ['a low surrogate alone', '\uDE00a'],
    ['surrogates in the wrong order', '\uDE00\uD83D'],
    ['a half before a whole pair', '\uD83D😀'],
  ])('has %s', (_, text) => {
    expect(isSound(text)).toBe(false);
  });
});

describe('a blank text', () => {
  it.each(['', ' ', '\t\r\n', '\u00A0', '\u2003'])('is %j', (text) => {
    expect(isBlank(text)).toBe(true);
  });

  it.each(['a', ' a ', '0'])('is not %j', (text) => {
    expect(isBlank(text)).toBe(false);
  });
});

describe('the length of a text', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['Đorđe', 5],
    ['😀😀', 2],
    ['e\u0301', 2],
  ])('of %j is %d', (text, length) => {
    expect(lengthOf(text)).toBe(length);
  });
});
