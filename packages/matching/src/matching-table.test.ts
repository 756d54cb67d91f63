import { matcherOf, type Identified, type Identifier } from './match.js';
import { MATCHING } from './matching-table.js';

interface Row {
  readonly row: string;
  /** Order of the interface. */
  readonly tried: readonly Identifier[];
  /** Order of the call. */
  readonly used: readonly Identifier[];
}

const rows: readonly Row[] = [
  {
    row: 'POST /int/products, product',
    tried: ['id', 'code', 'external_ref'],
    used: MATCHING['POST /int/products'].product,
  },
  {
    row: 'POST /int/products, variant',
    tried: ['code', 'barcode', 'external_ref'],
    used: MATCHING['POST /int/products'].variant,
  },
  {
    row: 'PUT /int/stocks, variant',
    tried: ['code', 'barcode', 'external_ref'],
    used: MATCHING['PUT /int/stocks'].variant,
  },
  { row: 'PUT /int/stocks, warehouse', tried: ['code'], used: MATCHING['PUT /int/stocks'].warehouse },
  { row: 'POST /stock/reconcile, variant', tried: ['code'], used: MATCHING['POST /stock/reconcile'].variant },
  { row: 'POST /stock/reconcile, warehouse', tried: ['code'], used: MATCHING['POST /stock/reconcile'].warehouse },
  {
    row: 'PUT /int/product_attributes, product by one of its variants',
    tried: ['code', 'barcode', 'external_ref'],
    used: MATCHING['PUT /int/product_attributes'].variant,
  },
  {
    row: 'PUT /int/product_attributes, definition',
    tried: ['external_ref'],
    used: MATCHING['PUT /int/product_attributes'].product_attribute_def,
  },
  {
    row: 'POST /product/verify, variant',
    tried: ['code', 'barcode'],
    used: MATCHING['POST /product/verify'].variant,
  },
  { row: 'POST /product/verify, product', tried: ['code'], used: MATCHING['POST /product/verify'].product },
  {
    row: 'POST /int/app_locations, location',
    tried: ['code', 'external_ref'],
    used: MATCHING['POST /int/app_locations'].app_location,
  },
  {
    row: 'POST /order_processings, variant',
    tried: ['code', 'barcode', 'external_ref', 'id'],
    used: MATCHING['POST /order_processings'].variant,
  },
  {
    row: 'POST /int/orders, variant',
    tried: ['code', 'barcode', 'external_ref'],
    used: MATCHING['POST /int/orders'].variant,
  },
  { row: 'PUT /orders/bulk_update, order', tried: ['id'], used: MATCHING['PUT /orders/bulk_update'].order },
  { row: 'POST /int/cards, card', tried: ['barcode', 'external_ref'], used: MATCHING['POST /int/cards'].card },
];

interface Holder extends Identified {
  readonly name: string;
}

const every: readonly Identifier[] = ['id', 'code', 'barcode', 'external_ref'];

describe.each(rows)('$row', ({ tried, used }) => {
  const holders: readonly Holder[] = every.map((identifier) => ({
    [identifier]: valueOf(identifier),
    name: `by ${identifier}`,
  }));
  const matcher = matcherOf(used, holders);
  const sent = Object.fromEntries(every.map((identifier) => [identifier, valueOf(identifier)]));

  it(`tries ${tried.join(', then ')}`, () => {
    const remaining: Record<string, unknown> = { ...sent };
    for (const identifier of tried) {
      expect(matcher.find(remaining)).toMatchObject({ name: `by ${identifier}` });
      remaining[identifier] = 'unknown';
    }
    expect(matcher.find(remaining)).toBeUndefined();
  });

  it.each(every)('finds by %s only if it is tried', (identifier) => {
    const found = matcher.find({ [identifier]: valueOf(identifier) });
    expect(found?.name).toBe(tried.includes(identifier) ? `by ${identifier}` : undefined);
  });
});

describe('the matching table', () => {
  it('has no call that is missing here', () => {
    const { 'PUT /warehouse': _, ...calls } = MATCHING;
    const orders = Object.values(calls).flatMap((kinds): (readonly Identifier[])[] => Object.values(kinds));
    expect(orders.filter((order) => !rows.some(({ used }) => used === order))).toEqual([]);
  });
});

describe('PUT /warehouse', () => {
  const belgrade = { code: 'BG', id: 1 };
  const matcher = matcherOf(MATCHING['PUT /warehouse'].warehouse, [belgrade, { code: 'NS', id: 2 }]);

  it('finds the holders of code and id separately', () => {
    expect(matcher.holder('code', 'BG')).toBe(belgrade);
    expect(matcher.holder('id', 1)).toBe(belgrade);
    expect(matcher.holder('id', 2)).not.toBe(belgrade);
    expect(matcher.holder('id', 3)).toBeUndefined();
  });
});

function valueOf(identifier: Identifier): unknown {
  return identifier === 'id' ? 7 : `the ${identifier}`;
}
