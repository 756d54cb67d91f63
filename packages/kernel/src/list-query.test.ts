import fc from 'fast-check';
import {
  MAX_PAGE_SIZE,
  escapeLike,
  parsePage,
  parseRecordId,
  parseSorting,
  parseBoolean,
  parseInteger,
} from './list-query.js';

const invalidValues = [
  undefined,
  null,
  '',
  ' ',
  '1.5',
  '1e3',
  '0x10',
  '+1',
  ' 1',
  '1 ',
  '--1',
  '１',
  'ten',
  ['1'],
  { a: '1' },
  1,
];

describe('parseInteger', () => {
  it('parses decimal digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }), (number) => {
        expect(parseInteger(String(number))).toBe(number);
      }),
    );
  });

  it.each([
    ['9'.repeat(16), 2 ** 53],
    [`-${'9'.repeat(400)}`, -(2 ** 53)],
  ])('clamps %s', (value, expected) => {
    expect(parseInteger(value)).toBe(expected);
  });

  it.each(invalidValues)('rejects %j', (value) => {
    expect(parseInteger(value)).toBeUndefined();
  });
});

describe('parseBoolean', () => {
  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('parses %s as %s', (text, expected) => {
    expect(parseBoolean(text)).toBe(expected);
  });

  it.each(['TRUE', 'yes', '', '01', ' true', true, 1, undefined, ['true']])('rejects %j', (value) => {
    expect(parseBoolean(value)).toBeUndefined();
  });
});

describe('parsePage', () => {
  it('parses offset and limit', () => {
    expect(parsePage({ offset: '40', limit: '20' }, 30)).toEqual({ offset: 40, limit: 20 });
  });

  it('defaults to the first page', () => {
    expect(parsePage({}, 30)).toEqual({ offset: 0, limit: 30 });
  });

  it.each([...invalidValues, '-1'])('defaults to the first page for %j', (value) => {
    expect(parsePage({ offset: value, limit: value }, 30)).toEqual({ offset: 0, limit: 30 });
  });

  it('uses the default limit for a limit below 1', () => {
    expect(parsePage({ limit: '0' }, 30).limit).toBe(30);
  });

  it.each([
    ['1', 1],
    ['10000', 10_000],
    ['10001', 10_000],
    ['9'.repeat(30), 10_000],
  ])('clamps the limit %s to %d', (limit, clampedLimit) => {
    expect(parsePage({ limit }, 30).limit).toBe(clampedLimit);
  });

  it('returns an offset and a limit that databases accept', () => {
    fc.assert(
      fc.property(
        fc.anything(),
        fc.anything(),
        fc.integer({ min: 1, max: MAX_PAGE_SIZE }),
        (offset, limit, defaultLimit) => {
          const page = parsePage({ offset, limit }, defaultLimit);
          expect(Number.isSafeInteger(page.offset) && page.offset >= 0).toBe(true);
          expect(Number.isSafeInteger(page.limit) && page.limit >= 1 && page.limit <= MAX_PAGE_SIZE).toBe(true);
        },
      ),
    );
    expect(parsePage({ offset: '9'.repeat(30) }, 30).offset).toBe(2 ** 31);
  });
});

describe('parseRecordId', () => {
  it('parses a positive whole number', () => {
    expect(parseRecordId('1')).toBe(1);
    expect(parseRecordId('999999999999999')).toBe(999_999_999_999_999);
  });

  it.each([...invalidValues, '0', '-0', '-7', '9'.repeat(20)])('rejects %j', (value) => {
    expect(parseRecordId(value)).toBeUndefined();
  });
});

describe('escapeLike', () => {
  it.each([
    ['100%', String.raw`100\%`],
    ['a_b', String.raw`a\_b`],
    ['C:\\x', String.raw`C:\\x`],
    ['%_%', String.raw`\%\_\%`],
    ['plain text', 'plain text'],
  ])('escapes %j as %j', (text, pattern) => {
    expect(escapeLike(text)).toBe(pattern);
  });

  it('returns a pattern that matches only the text itself', () => {
    const texts = fc.string({ unit: fc.constantFrom('a', 'b', '%', '_', '\\'), maxLength: 8 });
    fc.assert(
      fc.property(
        texts,
        texts,
        (searched, stored) => matchesLike(stored, escapeLike(searched)) === (searched === stored),
      ),
      { numRuns: 2_000 },
    );
  });
});

function matchesLike(text: string, pattern: string): boolean {
  if (pattern === '') return text === '';
  const patternTail = pattern.slice(1);
  if (pattern.startsWith('%'))
    return matchesLike(text, patternTail) || (text !== '' && matchesLike(text.slice(1), pattern));
  if (pattern.startsWith('_')) return text !== '' && matchesLike(text.slice(1), patternTail);
  if (pattern.startsWith('\\')) return text[0] === patternTail[0] && matchesLike(text.slice(1), patternTail.slice(1));
  return text[0] === pattern[0] && matchesLike(text.slice(1), patternTail);
}

describe('parseSorting', () => {
  const FIELDS = ['id', 'order_date'];

  it.each([
    ['id', 'id', 'asc'],
    ['id asc', 'id', 'asc'],
    ['order_date desc', 'order_date', 'desc'],
  ])('parses %j as sorting by %s, %s', (orderBy, field, direction) => {
    expect(parseSorting(orderBy, FIELDS)).toEqual({ field, direction });
  });

  it.each([
    ...invalidValues,
    'nothing',
    'constructor',
    'ID',
    'id DESC',
    'id  desc',
    'id desc ',
    ' id',
    'id\n',
    'id desc,order_date',
    'id;',
    ['id'],
  ])('rejects %j', (orderBy) => {
    expect(parseSorting(orderBy, FIELDS)).toBeUndefined();
  });
});
