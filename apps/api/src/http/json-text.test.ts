import { HttpProblem } from './errors.js';
import { parseJson } from './json-text.js';

const ROWS = 4_000;

const resultOf = (parse: () => unknown): unknown => {
  try {
    return parse();
  } catch (error) {
    return (error as Error).name;
  }
};

function expectLikeParser(text: string): void {
  const expected = resultOf(() => JSON.parse(text) as unknown);
  // A comparison of texts also compares the order of keys, and is fast.
  expect(JSON.stringify(resultOf(() => parseJson(Buffer.from(text)))) === JSON.stringify(expected)).toBe(true);
}

const listOf = (row: (index: number) => unknown, separator = ','): string =>
  `[${Array.from({ length: ROWS }, (_, index) => JSON.stringify(row(index))).join(separator)}]`;
const PRODUCTS = listOf((index) => ({
  code: `P-${index}`,
  name: 'Cup, "red" [large] {new} \\',
  variants: [{ a: [1] }],
}));

const keys = (count: number, prefix = ''): string =>
  Array.from({ length: count }, (_, key) => `"${prefix}${key}":1`).join(',');

describe('parseJson', () => {
  it.each([
    ['a list of objects', `{"products":${PRODUCTS}}`],
    ['a list of lists', `{"rows":${listOf((index) => [index, [index]])},"mode":"append"}`],
    ['a list of numbers', `{"ids":${listOf((index) => index * 1e9)}}`],
    ['texts outside of ASCII', `{"rows":${listOf((index) => `Čaša ${index} 🍷 šolja`)}}`],
    ['spaces', `\n { "a" : {"b":1,"c":2} , "rows" : ${listOf((index) => ({ index }), ' ,\n ')} , "z" : null } `],
    ['keys before and after the list', `{"a":{"b":1,"c":2},"rows":${PRODUCTS},"z":{"b":1,"c":2}}`],
    ['two lists', `{"rows":${PRODUCTS},"others":[1,2]}`],
    ['an empty list beside the list', `{"rows":${PRODUCTS},"others":[]}`],
    ['a key that occurs twice, first with the list', `{"rows":${PRODUCTS},"rows":1}`],
    ['a key that occurs twice, last with the list', `{"rows":1,"rows":${PRODUCTS}}`],
    ['a key named like the prototype', `{"__proto__":${PRODUCTS}}`],
    ['a list without an object', PRODUCTS],
    ['a list of lists without an object', `[${PRODUCTS},1]`],
    ['no list', `{"text":"${'a,'.repeat(65_536)}"}`],
    ['a deeper list', `{"wrapper":{"rows":${PRODUCTS}}}`],
  ])('reads %s', (_, text) => {
    expectLikeParser(text);
  });

  it.each([
    ['a comma at the start', `{"rows":[,${PRODUCTS.slice(1)}}`],
    ['a comma at the end', `{"rows":${PRODUCTS.slice(0, -1)},]}`],
    ['a list of commas', `{"rows":[${','.repeat(9_000)}]}`],
    ['another closing bracket', `{"rows":${PRODUCTS.slice(0, -1)}}}`],
    ['an end within the list', `{"rows":${PRODUCTS.slice(0, -1)}`],
    ['text after the end', `{"rows":${PRODUCTS}} x`],
    ['text before the start', `[]{"rows":${PRODUCTS}}`],
  ])('refuses %s', (_, text) => {
    expectLikeParser(text);
    expect(() => parseJson(Buffer.from(text))).toThrow(SyntaxError);
  });

  it('drops a byte order mark at the start, and refuses one within the list', () => {
    const text = `{"rows":${PRODUCTS}}`;
    expect(parseJson(Buffer.from(`\uFEFF${text}`))).toEqual(JSON.parse(text));
    const marked = text.replace('},{', '},\uFEFF{');
    expect(() => parseJson(Buffer.from(marked))).toThrow(SyntaxError);
  });

  it.each([
    ['rows', `{"rows":[${'{},'.repeat(3_000_000)}{}]}`],
    ['rows of a list beside another', `{"a":[1],"rows":[${'1,'.repeat(10_000)}1]}`],
    ['values', `{"a":{"b":[${'1,'.repeat(2_000_000)}1]}}`],
    ['lists', `{"a":{"b":[${'[],'.repeat(2_000_000)}1]}}`],
    ['entries in a row', `{"rows":[{"attributes":[${'{},'.repeat(200_000)}{}]}]}`],
  ])('refuses too many %s before it builds them', (_, text) => {
    const bytes = Buffer.from(text);
    const startMs = performance.now();
    expect(() => parseJson(bytes)).toThrow(HttpProblem);
    expect(performance.now() - startMs).toBeLessThan(500);
  });

  it('reads as many rows as a call takes', () => {
    const rows = Array.from({ length: 10_000 }, () => ({}));
    expect(parseJson(Buffer.from(JSON.stringify({ rows })))).toEqual({ rows });
  });

  it('reads as many keys as a body may have, and any number of repeated ones', () => {
    const text = `{"rows":[{${keys(9_900)}},{${keys(9_900)}}]}`;
    expect(parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
  });

  it.each([
    ['33 levels', '['.repeat(33) + ']'.repeat(33)],
    ['10,001 keys in an object', `{${keys(10_001)}}`],
    ['11,000 different keys in all', `{"rows":[{${keys(5_000)}},{${keys(6_000, 'other')}}]}`],
    ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('refuses %s', (_, content) => {
    expect(() => parseJson(Buffer.from(content as string))).toThrow(SyntaxError);
  });
});
