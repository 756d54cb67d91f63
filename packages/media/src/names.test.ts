import { restoredName, tagsOf } from './names.js';

describe('a file that comes back into its folder', () => {
  it('keeps its name when that is free', () => {
    expect(restoredName('a.jpg', new Set(['b.jpg']))).toBe('a.jpg');
  });

  it('has a number appended when it is taken', () => {
    expect(restoredName('a.jpg', new Set(['a.jpg']))).toBe('a.jpg (2)');
    expect(restoredName('a.jpg', new Set(['a.jpg', 'a.jpg (2)', 'a.jpg (3)']))).toBe('a.jpg (4)');
  });
});

describe('tags', () => {
  it.each([
    ['red, blue ,,red', ['red', 'blue']],
    [
      ['red', ' blue', 'red', ''],
      ['red', 'blue'],
    ],
    ['', []],
    [[], []],
  ])('%j are %j', (sent, expected) => {
    expect(tagsOf(sent)).toEqual(expected);
  });
});
