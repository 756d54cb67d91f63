import fc from 'fast-check';
import { LARGEST_PAGE, likeLiteral, pageOf, recordId, sortingOf, truth, wholeNumber } from './list-query.js';

const unusable = [
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

describe('a whole number in a query', () => {
  it('is read from its decimal digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: -999_999_999_999_999, max: 999_999_999_999_999 }), (number) => {
        expect(wholeNumber(String(number))).toBe(number);
      }),
    );
  });

  it.each([
    ['9'.repeat(16), 2 ** 53],
    [`-${'9'.repeat(400)}`, -(2 ** 53)],
  ])('is read from %s as beyond everything', (value, expected) => {
    expect(wholeNumber(value)).toBe(expected);
  });

  it.each(unusable)('is not read from %j', (value) => {
    expect(wholeNumber(value)).toBeUndefined();
  });
});

describe('a truth value in a query', () => {
  it.each([
    ['true', true],
    ['1', true],
    ['false', false],
    ['0', false],
  ])('%s is %s', (text, expected) => {
    expect(truth(text)).toBe(expected);
  });

  it.each(['TRUE', 'yes', '', '01', ' true', true, 1, undefined, ['true']])('is not read from %j', (value) => {
    expect(truth(value)).toBeUndefined();
  });
});

describe('a page', () => {
  it('is the one that was asked for', () => {
    expect(pageOf({ offset: '40', limit: '20' }, 30)).toEqual({ offset: 40, limit: 20 });
  });

  it('is the first, of the default size, when nothing is said', () => {
    expect(pageOf({}, 30)).toEqual({ offset: 0, limit: 30 });
  });

  it.each([...unusable, '-1'])('is so too when offset and limit are %j', (value) => {
    expect(pageOf({ offset: value, limit: value }, 30)).toEqual({ offset: 0, limit: 30 });
  });

  it('has the default size when none would be left of it', () => {
    expect(pageOf({ limit: '0' }, 30).limit).toBe(30);
  });

  it.each([
    ['1', 1],
    ['10000', 10_000],
    ['10001', 10_000],
    ['9'.repeat(30), 10_000],
  ])('asked with limit %s has %d rows', (limit, rows) => {
    expect(pageOf({ limit }, 30).limit).toBe(rows);
  });

  it('is always one that a database can answer', () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.integer({ min: 1, max: LARGEST_PAGE }), (offset, limit, size) => {
        const page = pageOf({ offset, limit }, size);
        expect(Number.isSafeInteger(page.offset) && page.offset >= 0).toBe(true);
        expect(Number.isSafeInteger(page.limit) && page.limit >= 1 && page.limit <= LARGEST_PAGE).toBe(true);
      }),
    );
    expect(pageOf({ offset: '9'.repeat(30) }, 30).offset).toBe(2 ** 31);
  });
});

describe('a record id', () => {
  it('is a positive whole number', () => {
    expect(recordId('1')).toBe(1);
    expect(recordId('999999999999999')).toBe(999_999_999_999_999);
  });

  it.each([...unusable, '0', '-0', '-7', '9'.repeat(20)])('is not read from %j', (value) => {
    expect(recordId(value)).toBeUndefined();
  });
});

describe('a text looked for with LIKE', () => {
  it.each([
    ['100%', String.raw`100\%`],
    ['a_b', String.raw`a\_b`],
    ['C:\\x', String.raw`C:\\x`],
    ['%_%', String.raw`\%\_\%`],
    ['plain text', 'plain text'],
  ])('%j becomes %j', (text, pattern) => {
    expect(likeLiteral(text)).toBe(pattern);
  });

  it('matches itself and nothing else', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '%', '_', '\\'), maxLength: 8 });
    fc.assert(
      fc.property(text, text, (wanted, found) => matchesLike(found, likeLiteral(wanted)) === (wanted === found)),
      { numRuns: 2_000 },
    );
  });
});

/** LIKE as PostgreSQL documents it, with `\` as escape character. */
function matchesLike(text: string, pattern: string): boolean {
  if (pattern === '') return text === '';
  const rest = pattern.slice(1);
  if (pattern.startsWith('%')) return matchesLike(text, rest) || (text !== '' && matchesLike(text.slice(1), pattern));
  if (pattern.startsWith('_')) return text !== '' && matchesLike(text.slice(1), rest);
  if (pattern.startsWith('\\')) return text[0] === rest[0] && matchesLike(text.slice(1), rest.slice(1));
  return text[0] === pattern[0] && matchesLike(text.slice(1), rest);
}

describe('orderBy', () => {
  const FIELDS = ['id', 'order_date'];

  it.each([
    ['id', 'id', 'asc'],
    ['id asc', 'id', 'asc'],
    ['order_date desc', 'order_date', 'desc'],
  ])('%j sorts by %s, %s', (orderBy, field, direction) => {
    expect(sortingOf(orderBy, FIELDS)).toEqual({ field, direction });
  });

  it.each([
    ...unusable,
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
  ])('%j asks for no order', (orderBy) => {
    expect(sortingOf(orderBy, FIELDS)).toBeUndefined();
  });
});
