import fc from 'fast-check';
import { isBlank, isStorable, characterCount, trimCharacter, trimEndCharacters, utf8Length } from './text.js';

describe('isStorable', () => {
  it('accepts any sequence of whole characters', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => isStorable(text.replaceAll('\0', ''))));
    expect(isStorable('Đ 😀 👩‍👩‍👧')).toBe(true);
    expect(isStorable('')).toBe(true);
  });

  it.each([
    ['a NUL', 'a\0b'],
    ['a high surrogate alone', 'a\uD83D'],
    ['a low surrogate alone', '\uDE00a'],
    ['surrogates in the wrong order', '\uDE00\uD83D'],
    ['half a pair before a whole one', '\uD83D😀'],
  ])('rejects %s', (_, text) => {
    expect(isStorable(text)).toBe(false);
  });
});

describe('isBlank', () => {
  it.each(['', ' ', '\t\r\n', '\u00A0', '\u2003'])('accepts %j', (text) => {
    expect(isBlank(text)).toBe(true);
  });

  it.each(['a', ' a ', '0'])('rejects %j', (text) => {
    expect(isBlank(text)).toBe(false);
  });
});

describe('characterCount', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['Đorđe', 5],
    ['😀😀', 2],
    ['e\u0301', 2],
  ])('counts %j as %d', (text, length) => {
    expect(characterCount(text)).toBe(length);
  });
});

describe('utf8Length', () => {
  it.each([
    ['', 0],
    ['abc', 3],
    ['\u007f\u0080', 3],
    ['\u07ff\u0800', 5],
    ['\uffff😀', 7],
    ['\ud800', 3],
    ['\ud83d\ud83d\ude00', 7],
    ['\ude00\ud83d', 6],
  ])('counts %j as %d bytes', (text, bytes) => {
    expect(utf8Length(text)).toBe(bytes);
  });
});

describe('trimCharacter', () => {
  it('removes the character from both ends only', () => {
    expect(['//a/b//', '/', '', 'a'].map((text) => trimCharacter(text, '/'))).toEqual(['a/b', '', '', 'a']);
  });

  it('takes linear time', () => {
    const text = `a${'/'.repeat(5_000_000)}b`;
    expect(trimCharacter(text, '/')).toHaveLength(text.length);
  }, 5_000);
});

describe('trimEndCharacters', () => {
  it('removes every character of the set from the end only', () => {
    expect(['.-a.b-.', '-.', 'a'].map((text) => trimEndCharacters(text, '.-'))).toEqual(['.-a.b', '', 'a']);
  });
});
