import { JsonRows } from './json-rows.js';

const rowOf = (item: string, ordinal: number): object => ({ ordinal, name: item });

test.each([0, 1, 99, 100, 101, 200, 250])('%i rows are one JSON array', (count) => {
  const items = Array.from({ length: count }, (_, index) => `Łódź ${index}, "blå"`);
  expect(String(new JsonRows(items, rowOf).toPostgres())).toBe(JSON.stringify(items.map(rowOf)));
});

test.each([1, 101])('%i rows omit null fields, and keep other empty values', (count) => {
  const items = Array.from({ length: count }, () => null);
  const rows = new JsonRows(items, () => ({ name: null, code: '', price: 0, active: false }));
  expect(String(rows.toPostgres())).toBe(JSON.stringify(items.map(() => ({ code: '', price: 0, active: false }))));
});

test('rows that are much longer than the rows before them are complete', () => {
  const items = Array.from({ length: 950 }, (_, index) => (index < 900 ? '' : 'ü'.repeat(index)));
  expect(String(new JsonRows(items, rowOf).toPostgres())).toBe(JSON.stringify(items.map(rowOf)));
});

test('a few long rows before many short ones do not reserve memory for many long ones', () => {
  const items = Array.from({ length: 10_000 }, (_, index) => 'a'.repeat(index < 100 ? 5_000 : 1));
  const bytes = new JsonRows(items, rowOf).toPostgres() as Buffer;
  expect(bytes.buffer.byteLength).toBeLessThan(10 * 2 ** 20);
});

test('many rows are bytes, and no more than 100 of their objects exist before them', () => {
  let madeCount = 0;
  const rows = new JsonRows(Array.from({ length: 1_000 }), () => ({
    toJSON: () => madeCount,
    ordinal: (madeCount += 1),
  }));
  expect(madeCount).toBe(0);
  const bytes = rows.toPostgres();
  expect(bytes).toBeInstanceOf(Buffer);
  expect([...new Set(JSON.parse(String(bytes)) as number[])]).toEqual([
    100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000,
  ]);
});
