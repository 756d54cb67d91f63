import { isRefusal } from '@back-office/kernel';
import fc from 'fast-check';
import {
  ancestry,
  below,
  bytesOf,
  folderPath,
  isWithin,
  lastSegment,
  moved,
  parentOf,
  TOP_LEVEL,
  type FolderPath,
} from './folders.js';

const path = (text: string): FolderPath => folderPath(text, 'folder') as FolderPath;

describe('the path of a folder', () => {
  it.each([
    ['', TOP_LEVEL],
    ['/', TOP_LEVEL],
    ['///', TOP_LEVEL],
    ['products', 'products'],
    ['/products/shoes/', 'products/shoes'],
    ['Čizme za zimu', 'Čizme za zimu'],
    ['C\u030cizme', 'Čizme'],
    ['a.b/..c/d..', 'a.b/..c/d..'],
    ['x'.repeat(255), 'x'.repeat(255)],
    ['č'.repeat(127), 'č'.repeat(127)],
  ])('%j is %j', (text, expected) => {
    expect(folderPath(text, 'folder')).toBe(expected);
  });

  it.each([
    ['.', 'the folder itself'],
    ['..', 'the parent'],
    ['a/../b', 'a way up in the middle'],
    ['a/./b', 'a way nowhere'],
    ['a//b', 'an empty segment'],
    ['a/ /b', 'a blank segment'],
    ['a\\b', 'a backslash'],
    ['a\u0000', 'NUL'],
    ['a\nb', 'a line break'],
    ['a\u007f', 'DEL'],
    ['\ud800', 'half of a surrogate pair'],
    ['x'.repeat(256), '256 bytes'],
    ['č'.repeat(128), '256 bytes in UTF-8'],
    [Array.from({ length: 5 }, () => 'x'.repeat(250)).join('/'), 'more than 1,024 bytes'],
  ])('cannot be %j: %s', (text) => {
    expect(folderPath(text, 'parent_folder')).toEqual({ refused: 'is invalid', field: 'parent_folder' });
  });

  it('never leaves its library, whatever is sent', () => {
    const pieces = fc.constantFrom('..', '.', '/', '\\', 'a', '%2e', '\u0000', ' ', '…', '／', '..;');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const read = folderPath(parts.join(''), 'folder');
        if (isRefusal(read)) return;
        expect(read.split('/').filter((segment) => ['.', '..'].includes(segment))).toEqual([]);
        expect(read.startsWith('/')).toBe(false);
        expect(folderPath(read, 'folder')).toBe(read);
      }),
      { numRuns: 3_000 },
    );
  });

  it('is counted in bytes of UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(bytesOf(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });
});

describe('folders within folders', () => {
  it('have parents, up to the top level', () => {
    expect([parentOf(path('a/b/c')), parentOf(path('a')), parentOf(TOP_LEVEL)]).toEqual(['a/b', '', '']);
    expect([lastSegment(path('a/b')), lastSegment(path('a'))]).toEqual(['b', 'a']);
    expect(ancestry(path('a/b/c'))).toEqual(['a', 'a/b', 'a/b/c']);
    expect([below(TOP_LEVEL, 'a'), below(path('a'), 'b')]).toEqual(['a', 'a/b']);
  });

  it('hold what lies below them, and not what only begins so', () => {
    expect(['a', 'a/b', 'ab', 'b', ''].map((each) => isWithin(path(each), path('a')))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(isWithin(path('x'), TOP_LEVEL)).toBe(true);
  });

  it('take all below them along', () => {
    const [from, to] = [path('a/b'), path('z')];
    expect(['a/b', 'a/b/c', 'a/bc', 'a'].map((each) => moved(path(each), from, to))).toEqual(['z', 'z/c', 'a/bc', 'a']);
  });
});
