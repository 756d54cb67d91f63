import { isRefusal, isSound, lengthOf } from '@back-office/kernel';
import fc from 'fast-check';
import { parted } from './keys.js';
import {
  fileName,
  freeName,
  LONGEST_STEM,
  nameFromClient,
  RestoredNames,
  startOfFree,
  stemOfRestored,
  tagsOf,
} from './names.js';

const restoredName = (name: string, taken: Iterable<string>): string => new RestoredNames(taken).give(name);

const LONGEST = 255;
/** Texts with what is hard about names, and often too long for one. */
const hard = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.constantFrom('/', '\\', '.', '..', ' ', '\n', '\u0000', '\ud800', 'и\u0306', '👢', ' (2)', 'x'.repeat(200)),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(''));
const name = fc
  .tuple(hard, fc.constantFrom('', '.jpg', '.tar.gz', `.${'e'.repeat(40)}`))
  .map(([text, extension]) => nameFromClient(text + extension));

describe('the name of a file', () => {
  it.each([
    ['  a b.jpg ', 'a b.jpg'],
    ['Чизма.jpg', 'Чизма.jpg'],
    ['и\u0306.txt', 'й.txt'],
    ['.htaccess', '.htaccess'],
    ['a..b', 'a..b'],
    ['100%_"a".txt', '100%_"a".txt'],
    ['x'.repeat(LONGEST), 'x'.repeat(LONGEST)],
    ['👢'.repeat(LONGEST), '👢'.repeat(LONGEST)],
  ])('%j is %j', (sent, expected) => {
    expect(fileName(sent)).toBe(expected);
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
    ['\ud83d', 'is invalid'],
    ['x'.repeat(LONGEST + 1), 'is too long'],
  ])('%j %s', (sent, rule) => {
    expect(fileName(sent)).toMatchObject({ refused: rule });
  });
});

describe('what a client calls a file', () => {
  it.each([
    ['C:\\fakepath\\Čizma.jpg', 'Čizma.jpg'],
    ['../../etc/passwd', 'passwd'],
    ['a/', 'file'],
    ['..', 'file'],
    ['', 'file'],
    ['a\r\nSet-Cookie: b.txt', 'a Set-Cookie: b.txt'],
    ['\ud800a.txt', 'a.txt'],
    [`${'ж'.repeat(300)}.jpg`, `${'ж'.repeat(251)}.jpg`],
    [`a.${'ж'.repeat(300)}`, `a.${'ж'.repeat(253)}`],
  ])('%j leaves %j', (sent, expected) => {
    expect(nameFromClient(sent)).toBe(expected);
  });

  it('always leaves a name that may be given, and that is what it leaves of itself', () => {
    fc.assert(
      fc.property(hard, (text) => {
        const left = nameFromClient(text);
        expect([fileName(left), nameFromClient(left)]).toEqual([left, left]);
      }),
    );
  });

  it('is kept whole when it is a name', () => {
    fc.assert(
      fc.property(hard, (text) => {
        const given = fileName(text);
        if (!isRefusal(given)) expect(nameFromClient(text)).toBe(given);
      }),
    );
  });
});

describe('a name that is free', () => {
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
  ])('%j among %j: %j', (wished, taken, expected) => {
    expect(freeName(wished, new Set(taken))).toBe(expected);
  });
});

describe.each([
  ['free', freeName, startOfFree],
  ['restored', restoredName, stemOfRestored],
])('a name that is %s', (_, made, startOf) => {
  const many = (wished: string, count: number) => {
    const taken = new Set<string>();
    for (let number = 0; number < count; number += 1) taken.add(made(wished, taken));
    return [...taken];
  };

  it('is the wished one while that is free, and never one that is taken', () => {
    fc.assert(
      fc.property(name, (wished) => {
        const names = many(wished, 12);
        expect([names[0], names.length]).toEqual([wished, 12]);
      }),
    );
  });

  it('is sound, no longer than a name may be, and keeps its extension', () => {
    fc.assert(
      fc.property(name, (wished) => {
        for (const each of many(wished, 12)) {
          expect([isSound(each), lengthOf(each) <= LONGEST]).toEqual([true, true]);
          if (made === freeName && parted(wished)[1].length <= 32) expect(parted(each)[1]).toBe(parted(wished)[1]);
        }
      }),
    );
  });

  it('begins as said, unless it is the wished one', () => {
    fc.assert(
      fc.property(name, (wished) => {
        for (const each of many(wished, 12).slice(1)) expect(each.startsWith(startOf(wished))).toBe(true);
      }),
    );
  });
});

describe('a file that comes back into its folder', () => {
  it('keeps its name when that is free', () => {
    expect(restoredName('a.jpg', new Set(['b.jpg']))).toBe('a.jpg');
  });

  it('has a number appended when it is taken', () => {
    expect(restoredName('a.jpg', new Set(['a.jpg']))).toBe('a.jpg (2)');
    expect(restoredName('a.jpg', new Set(['a.jpg', 'a.jpg (2)', 'a.jpg (3)']))).toBe('a.jpg (4)');
  });

  it('is the only one that is given its name', () => {
    const names = new RestoredNames(['a', 'b', 'a (3)']);
    expect(['a', 'a', 'b', 'a (2)', 'a', 'c'].map((each) => names.give(each))).toEqual([
      'a (2)',
      'a (4)',
      'b (2)',
      'a (2) (2)',
      'a (5)',
      'c',
    ]);
  });

  it('is found by what is left of its name without the number', () => {
    fc.assert(
      fc.property(name, (wished) => {
        const names = new RestoredNames([wished]);
        for (let number = 2; number < 12; number += 1) {
          const stem = [...names.give(wished).replace(/ \(\d+\)$/, '')].slice(0, LONGEST_STEM).join('');
          expect(stem).toBe(stemOfRestored(wished));
        }
      }),
    );
  });

  it('is one of ten thousand of the same name', () => {
    const names = new RestoredNames(['a']);
    const given = Array.from({ length: 10_000 }, () => names.give('a'));
    expect([given[9_999], new Set(given).size]).toEqual(['a (10001)', 10_000]);
  });

  it('loses its end when there is no room for the number', () => {
    const long = 'x'.repeat(LONGEST);
    expect(restoredName(long, new Set([long]))).toBe(`${'x'.repeat(LONGEST - 4)} (2)`);
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
