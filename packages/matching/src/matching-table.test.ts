import { matcherOf, type IdentifierValues, type Identifier } from './match.js';
import { MATCHING } from './matching-table.js';

interface MatchingRow {
  readonly row: string;
  readonly expectedOrder: readonly Identifier[];
  readonly actualOrder: readonly Identifier[];
}

const rows: readonly MatchingRow[] = [
  {
    row: 'POST /int/products, product',
    expectedOrder: ['id', 'code', 'external_ref'],
    actualOrder: MATCHING['POST /int/products'].product,
  },
  {
    row: 'POST /int/products, variant',
    expectedOrder: ['code', 'barcode', 'external_ref'],
    actualOrder: MATCHING['POST /int/products'].variant,
  },
  {
    row: 'PUT /int/stocks, variant',
    expectedOrder: ['code', 'barcode', 'external_ref'],
    actualOrder: MATCHING['PUT /int/stocks'].variant,
  },
  { row: 'PUT /int/stocks, warehouse', expectedOrder: ['code'], actualOrder: MATCHING['PUT /int/stocks'].warehouse },
  {
    row: 'POST /stock/reconcile, variant',
    expectedOrder: ['code'],
    actualOrder: MATCHING['POST /stock/reconcile'].variant,
  },
  {
    row: 'POST /stock/reconcile, warehouse',
    expectedOrder: ['code'],
    actualOrder: MATCHING['POST /stock/reconcile'].warehouse,
  },
  {
    row: 'PUT /int/product_attributes, product by one of its variants',
    expectedOrder: ['code', 'barcode', 'external_ref'],
    actualOrder: MATCHING['PUT /int/product_attributes'].variant,
  },
  {
    row: 'PUT /int/product_attributes, definition',
    expectedOrder: ['external_ref'],
    actualOrder: MATCHING['PUT /int/product_attributes'].product_attribute_def,
  },
  {
    row: 'POST /product/verify, variant',
    expectedOrder: ['code', 'barcode'],
    actualOrder: MATCHING['POST /product/verify'].variant,
  },
  {
    row: 'POST /product/verify, product',
    expectedOrder: ['code', 'barcode'],
    actualOrder: MATCHING['POST /product/verify'].product,
  },
  {
    row: 'POST /int/app_locations, location',
    expectedOrder: ['code', 'external_ref'],
    actualOrder: MATCHING['POST /int/app_locations'].app_location,
  },
  {
    row: 'POST /order_processings, variant',
    expectedOrder: ['code', 'barcode', 'external_ref', 'id'],
    actualOrder: MATCHING['POST /order_processings'].variant,
  },
  {
    row: 'POST /int/orders, variant',
    expectedOrder: ['code', 'barcode', 'external_ref'],
    actualOrder: MATCHING['POST /int/orders'].variant,
  },
  {
    row: 'PUT /orders/bulk_update, order',
    expectedOrder: ['id'],
    actualOrder: MATCHING['PUT /orders/bulk_update'].order,
  },
  {
    row: 'POST /int/cards, card',
    expectedOrder: ['barcode', 'external_ref'],
    actualOrder: MATCHING['POST /int/cards'].card,
  },
];

interface NamedRecord extends IdentifierValues {
  readonly name: string;
}

const ALL_IDENTIFIERS: readonly Identifier[] = ['id', 'code', 'barcode', 'external_ref'];

describe.each(rows)('$row', ({ expectedOrder, actualOrder }) => {
  const records: readonly NamedRecord[] = ALL_IDENTIFIERS.map((identifier) => ({
    [identifier]: valueOf(identifier),
    name: `by ${identifier}`,
  }));
  const matcher = matcherOf(actualOrder, records);
  const identifiers = Object.fromEntries(ALL_IDENTIFIERS.map((identifier) => [identifier, valueOf(identifier)]));

  it(`tries ${expectedOrder.join(', then ')}`, () => {
    const remainingIdentifiers: Record<string, unknown> = { ...identifiers };
    for (const identifier of expectedOrder) {
      expect(matcher.find(remainingIdentifiers)).toMatchObject({ name: `by ${identifier}` });
      remainingIdentifiers[identifier] = 'unknown';
    }
    expect(matcher.find(remainingIdentifiers)).toBeUndefined();
  });

  it.each(ALL_IDENTIFIERS)('is matched by %s only if the call tries this identifier', (identifier) => {
    const foundRecord = matcher.find({ [identifier]: valueOf(identifier) });
    expect(foundRecord?.name).toBe(expectedOrder.includes(identifier) ? `by ${identifier}` : undefined);
  });
});

describe('the matching table', () => {
  it('lists only calls that these tests cover', () => {
    const { 'PUT /warehouse': _, ...calls } = MATCHING;
    const orders = Object.values(calls).flatMap((kinds): (readonly Identifier[])[] => Object.values(kinds));
    expect(orders.filter((order) => !rows.some(({ actualOrder }) => actualOrder === order))).toEqual([]);
  });
});

describe('PUT /warehouse', () => {
  const belgrade = { code: 'BG', id: 1 };
  const matcher = matcherOf(MATCHING['PUT /warehouse'].warehouse, [belgrade, { code: 'NS', id: 2 }]);

  it('finds the holders of code and id separately', () => {
    expect(matcher.findHolder('code', 'BG')).toBe(belgrade);
    expect(matcher.findHolder('id', 1)).toBe(belgrade);
    expect(matcher.findHolder('id', 2)).not.toBe(belgrade);
    expect(matcher.findHolder('id', 3)).toBeUndefined();
  });
});

function valueOf(identifier: Identifier): unknown {
  return identifier === 'id' ? 7 : `the ${identifier}`;
}
