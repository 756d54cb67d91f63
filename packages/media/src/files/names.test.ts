import { isRefusal, isStorable, characterCount } from '@back-office/kernel';
import fc from 'fast-check';
import { splitExtension } from './keys.js';
import {
  parseFileName,
  freeName,
  MAX_STEM_LENGTH,
  sanitizeFileName,
  RestoredNames,
  numberedNamePrefix,
  restoredNameStem,
  parseTags,
} from './names.js';

const restoredName = (name: string, takenNames: Iterable<string>): string => new RestoredNames(takenNames).assign(name);

const MAX_LENGTH = 255;
const trickyTexts = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom('/', '\\', '.', '..', ' ', '\n', '\u0000', '\ud800', 'и\u0306', '👢', ' (2)', 'x'.repeat(200)),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''));
const validNames = fc
  .tuple(trickyTexts, fc.constantFrom('', '.jpg', '.tar.gz', `.${'e'.repeat(40)}`))
  .map(([text, extension]) => sanitizeFileName(text + extension));

describe('parseFileName', () => {
  it.each([
    ['  a b.jpg ', 'a b.jpg'],
    ['Чизма.jpg', 'Чизма.jpg'],
    ['и\u0306.txt', 'й.txt'],
    ['.htaccess', '.htaccess'],
    ['a..b', 'a..b'],
    ['100%_"a".txt', '100%_"a".txt'],
    ['x'.repeat(MAX_LENGTH), 'x'.repeat(MAX_LENGTH)],
    ['👢'.repeat(MAX_LENGTH), '👢'.repeat(MAX_LENGTH)],
  ])('normalizes %j to %j', (input, expected) => {
    expect(parseFileName(input)).toBe(expected);
  });

  it.each([
    ['', "can't be blank"],
    [' \t', "can't be blank"],
    ['.', 'is invalid'],
    [' .. ', 'is invalid'],
    ['a/b', 'is invalid'],
    ['a\\b', 'is invalid'],
    ['a\u0000', 'is invalid'],
    ['a\u007fb', 'is invalid'],
    ['a\r\nb', 'is invalid'],
    ['invoice-\u202egpj.exe', 'is invalid'],
    ['a\u2066b', 'is invalid'],
    ['a\u200eb', 'is invalid'],
    ['a\u200fb', 'is invalid'],
    ['a\u061cb', 'is invalid'],
    ['\ud83d', 'is invalid'],
    ['x'.repeat(MAX_LENGTH + 1), 'is too long'],
  ])('refuses %j: %s', (input, rule) => {
    expect(parseFileName(input)).toMatchObject({ refused: rule });
  });
});

describe('sanitizeFileName', () => {
  it.each([
    ['C:\\fakepath\\Čizma.jpg', 'Čizma.jpg'],
    ['../../etc/passwd', 'passwd'],
    ['a/', 'file'],
    ['..', 'file'],
    ['', 'file'],
    ['a\r\nSet-Cookie: b.txt', 'a Set-Cookie: b.txt'],
    ['invoice-\u202egpj.exe', 'invoice- gpj.exe'],
    ['\ud800a.txt', 'a.txt'],
    [`${'ж'.repeat(300)}.jpg`, `${'ж'.repeat(251)}.jpg`],
    [`a.${'ж'.repeat(300)}`, `a.${'ж'.repeat(253)}`],
  ])('turns %j into %j', (input, expected) => {
    expect(sanitizeFileName(input)).toBe(expected);
  });

  it('always returns a valid name and is idempotent', () => {
    fc.assert(
      fc.property(trickyTexts, (text) => {
        const sanitizedName = sanitizeFileName(text);
        expect([parseFileName(sanitizedName), sanitizeFileName(sanitizedName)]).toEqual([sanitizedName, sanitizedName]);
      }),
    );
  });

  it('keeps a valid name', () => {
    fc.assert(
      fc.property(trickyTexts, (text) => {
        const parsedName = parseFileName(text);
        if (!isRefusal(parsedName)) expect(sanitizeFileName(text)).toBe(parsedName);
      }),
    );
  });
});

describe('freeName', () => {
  it.each([
    ['a.jpg', ['b.jpg'], 'a.jpg'],
    ['a.jpg', ['a.jpg'], 'a (2).jpg'],
    ['a.jpg', ['a.jpg', 'a (2).jpg', 'a (4).jpg'], 'a (3).jpg'],
    ['a (2).jpg', ['a (2).jpg'], 'a (2) (2).jpg'],
    ['a', ['a'], 'a (2)'],
    ['.env', ['.env'], '.env (2)'],
    ['a.tar.gz', ['a.tar.gz'], 'a.tar (2).gz'],
    [`${'ж'.repeat(251)}.jpg`, [`${'ж'.repeat(251)}.jpg`], `${'ж'.repeat(247)} (2).jpg`],
    [`a.${'e'.repeat(253)}`, [`a.${'e'.repeat(253)}`], `a.${'e'.repeat(249)} (2)`],
  ])('for %j with the names %j in use returns %j', (name, takenNames, expected) => {
    expect(freeName(name, new Set(takenNames))).toBe(expected);
  });
});

describe.each([
  ['free', freeName, numberedNamePrefix],
  ['restored', restoredName, restoredNameStem],
])('a %s name', (_, makeName, prefixOf) => {
  const makeNames = (name: string, count: number) => {
    const takenNames = new Set<string>();
    for (let number = 0; number < count; number += 1) takenNames.add(makeName(name, takenNames));
    return [...takenNames];
  };

  it('is the original name if that is free, and never a name in use', () => {
    fc.assert(
      fc.property(validNames, (originalName) => {
        const names = makeNames(originalName, 12);
        expect([names[0], names.length]).toEqual([originalName, 12]);
      }),
    );
  });

  it('is valid, within the length limit, and keeps its extension', () => {
    fc.assert(
      fc.property(validNames, (originalName) => {
        for (const candidate of makeNames(originalName, 12)) {
          expect([isStorable(candidate), characterCount(candidate) <= MAX_LENGTH]).toEqual([true, true]);
          if (makeName === freeName && splitExtension(originalName)[1].length <= 32)
            expect(splitExtension(candidate)[1]).toBe(splitExtension(originalName)[1]);
        }
      }),
    );
  });

  it('starts with the expected text when it is numbered', () => {
    fc.assert(
      fc.property(validNames, (originalName) => {
        for (const candidate of makeNames(originalName, 12).slice(1))
          expect(candidate.startsWith(prefixOf(originalName))).toBe(true);
      }),
    );
  });
});

describe('RestoredNames', () => {
  it('keeps a free name', () => {
    expect(restoredName('a.jpg', new Set(['b.jpg']))).toBe('a.jpg');
  });

  it('appends a number to a name that is in use', () => {
    expect(restoredName('a.jpg', new Set(['a.jpg']))).toBe('a.jpg (2)');
    expect(restoredName('a.jpg', new Set(['a.jpg', 'a.jpg (2)', 'a.jpg (3)']))).toBe('a.jpg (4)');
  });

  it('never returns a name twice', () => {
    const names = new RestoredNames(['a', 'b', 'a (3)']);
    expect(['a', 'a', 'b', 'a (2)', 'a', 'c'].map((name) => names.assign(name))).toEqual([
      'a (2)',
      'a (4)',
      'b (2)',
      'a (2) (2)',
      'a (5)',
      'c',
    ]);
  });

  it('starts numbered names with `restoredNameStem`', () => {
    fc.assert(
      fc.property(validNames, (originalName) => {
        const names = new RestoredNames([originalName]);
        for (let number = 2; number < 12; number += 1) {
          const stem = [...names.assign(originalName).replace(/ \(\d+\)$/, '')].slice(0, MAX_STEM_LENGTH).join('');
          expect(stem).toBe(restoredNameStem(originalName));
        }
      }),
    );
  });

  it('returns ten thousand names quickly', () => {
    const names = new RestoredNames(['a']);
    const assignedNames = Array.from({ length: 10_000 }, () => names.assign('a'));
    expect([assignedNames[9_999], new Set(assignedNames).size]).toEqual(['a (10001)', 10_000]);
  });

  it('truncates a name to make room for the number', () => {
    const longName = 'x'.repeat(MAX_LENGTH);
    expect(restoredName(longName, new Set([longName]))).toBe(`${'x'.repeat(MAX_LENGTH - 4)} (2)`);
  });
});

describe('parseTags', () => {
  it.each([
    ['red, blue ,,red', ['red', 'blue']],
    [
      ['red', ' blue', 'red', ''],
      ['red', 'blue'],
    ],
    ['', []],
    [[], []],
  ])('parses %j as %j', (input, expected) => {
    expect(parseTags(input)).toEqual(expected);
  });
});
