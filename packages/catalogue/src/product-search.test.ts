import { canBeMistyped, parseProductOrder } from './product-search.js';

describe('parseProductOrder', () => {
  it.each([
    ['name', [{ field: 'name', isDescending: false }]],
    ['price desc', [{ field: 'price', isDescending: true }]],
    [
      'sales_quantity desc,inserted_at',
      [
        { field: 'sales_quantity', isDescending: true },
        { field: 'inserted_at', isDescending: false },
      ],
    ],
    [
      'name desc,price,name,price desc',
      [
        { field: 'name', isDescending: true },
        { field: 'price', isDescending: false },
      ],
    ],
  ])('parses %j', (text, expected) => {
    expect(parseProductOrder(text)).toEqual(expected);
  });

  it.each([undefined, '', 'code', 'name asc', 'name, price', 'name,', 'toString', `name${',name'.repeat(50)}`])(
    'rejects %j',
    (text) => {
      expect(parseProductOrder(text)).toBeUndefined();
    },
  );
});

describe('canBeMistyped', () => {
  it.each([
    ['ab', false],
    ['abc', true],
    ['x'.repeat(64), true],
    ['x'.repeat(65), false],
    ['100%', false],
    ['a_b', false],
  ])('maps %j to %p', (query, expected) => {
    expect(canBeMistyped(query)).toBe(expected);
  });
});
