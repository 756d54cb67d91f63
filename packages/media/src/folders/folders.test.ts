import { isRefusal } from '@back-office/kernel';
import fc from 'fast-check';
import {
  ancestry,
  joinFolder,
  utf8ByteLength,
  parseFolderPath,
  isWithin,
  lastSegment,
  rebaseFolder,
  parentOf,
  TOP_LEVEL,
  type FolderPath,
} from './folders.js';

const parsePath = (text: string): FolderPath => parseFolderPath(text, 'folder') as FolderPath;

describe('parseFolderPath', () => {
  it('refuses 100,000 slashes in linear time', () => {
    const startMs = performance.now();
    expect(isRefusal(parseFolderPath(`a${'/'.repeat(100_000)}b`, 'folder'))).toBe(true);
    expect(performance.now() - startMs).toBeLessThan(1_000);
  });

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
  ])('parses %j as %j', (text, expected) => {
    expect(parseFolderPath(text, 'folder')).toBe(expected);
  });

  it.each([
    ['.', 'a dot'],
    ['..', 'two dots'],
    ['a/../b', 'two dots in the middle'],
    ['a/./b', 'a dot in the middle'],
    ['a//b', 'an empty segment'],
    ['a/ /b', 'a blank segment'],
    ['a\\b', 'a backslash'],
    ['a\u0000', 'NUL'],
    ['a\nb', 'a line break'],
    ['a\u202eb', 'a sign that reverses the text'],
    ['a\u007f', 'DEL'],
    ['\ud800', 'an unpaired surrogate'],
    ['x'.repeat(256), '256 bytes'],
    ['č'.repeat(128), '256 bytes in UTF-8'],
    [Array.from({ length: 5 }, () => 'x'.repeat(250)).join('/'), 'more than 1,024 bytes'],
  ])('refuses %j: %s', (text) => {
    expect(parseFolderPath(text, 'parent_folder')).toEqual({ refused: 'is invalid', field: 'parent_folder' });
  });

  it('returns neither dot segments nor an absolute path', () => {
    const pieces = fc.constantFrom('..', '.', '/', '\\', 'a', '%2e', '\u0000', ' ', '…', '／', '..;');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const parsedPath = parseFolderPath(parts.join(''), 'folder');
        if (isRefusal(parsedPath)) return;
        expect(parsedPath.split('/').filter((segment) => ['.', '..'].includes(segment))).toEqual([]);
        expect(parsedPath.startsWith('/')).toBe(false);
        expect(parseFolderPath(parsedPath, 'folder')).toBe(parsedPath);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('utf8ByteLength', () => {
  it('counts bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(utf8ByteLength(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });
});

describe('nested folders', () => {
  it('have parents up to the top level', () => {
    expect([parentOf(parsePath('a/b/c')), parentOf(parsePath('a')), parentOf(TOP_LEVEL)]).toEqual(['a/b', '', '']);
    expect([lastSegment(parsePath('a/b')), lastSegment(parsePath('a'))]).toEqual(['b', 'a']);
    expect(ancestry(parsePath('a/b/c'))).toEqual(['a', 'a/b', 'a/b/c']);
    expect([joinFolder(TOP_LEVEL, 'a'), joinFolder(parsePath('a'), 'b')]).toEqual(['a', 'a/b']);
  });

  it('contain their descendants, but not other paths that only begin with the same text', () => {
    expect(['a', 'a/b', 'ab', 'b', ''].map((otherPath) => isWithin(parsePath(otherPath), parsePath('a')))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(isWithin(parsePath('x'), TOP_LEVEL)).toBe(true);
  });

  it('are moved together with their descendants', () => {
    const [from, to] = [parsePath('a/b'), parsePath('z')];
    expect(['a/b', 'a/b/c', 'a/bc', 'a'].map((otherPath) => rebaseFolder(parsePath(otherPath), from, to))).toEqual([
      'z',
      'z/c',
      'a/bc',
      'a',
    ]);
  });
});
