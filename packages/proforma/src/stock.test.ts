import fc from 'fast-check';
import { aProforma, aStockRow, inStatus, line } from './testing/index.js';
import { STATUSES, type Proforma } from './proforma.js';
import {
  chooseWarehouses,
  AvailableStock,
  sortByPreference,
  reservationChanges,
  type Demand,
  type StockRow,
} from './stock.js';

function wanting(qty: number, variantId = 101): Demand {
  return { variantId, qty, name: `Product ${variantId}` };
}

function shelf(warehouseCode: string, onHand: number, more: Partial<StockRow> = {}): StockRow {
  return aStockRow({ warehouseId: Number(warehouseCode.slice(1)), warehouseCode, onHand, ...more });
}

function chosen(lines: readonly Demand[], stock: readonly StockRow[], preferred: string | null = null): unknown {
  const sources = chooseWarehouses(lines, sortByPreference(stock, preferred));
  return 'missing' in sources ? { missing: sources.missing.name } : sources.map((source) => source.warehouseCode);
}

describe('sortByPreference', () => {
  const [first, second, third] = [shelf('W1', 1), shelf('W2', 1), shelf('W3', 1)];
  const nameless = aStockRow({ warehouseId: 9, warehouseCode: null });

  it('sorts by code, the preferred warehouse first', () => {
    expect(sortByPreference([third, first, second], null)).toEqual([first, second, third]);
    expect(sortByPreference([third, first, second], 'W3')).toEqual([third, first, second]);
    expect(sortByPreference([third, first, second], 'W2')).toEqual([second, first, third]);
    expect(sortByPreference([third, first, second], 'W9')).toEqual([first, second, third]);
  });

  it('sorts by id when codes are equal', () => {
    const other = { ...nameless, warehouseId: 7 };
    expect(sortByPreference([second, nameless, other], 'W2')).toEqual([second, other, nameless]);
  });

  it('does not depend on the order of rows', () => {
    const stock = [first, second, third, nameless];
    fc.assert(
      fc.property(
        fc.shuffledSubarray(stock, { minLength: 4 }),
        fc.constantFrom(null, 'W1', 'W2', 'W3'),
        (found, preferred) => {
          expect(sortByPreference(found, preferred)).toEqual(sortByPreference(stock, preferred));
        },
      ),
    );
  });

  it('does not change its argument', () => {
    const found = [third, first];
    sortByPreference(found, null);
    expect(found).toEqual([third, first]);
  });
});

describe('a line', () => {
  it('comes from the first warehouse that has all of it', () => {
    expect(chosen([wanting(3)], [shelf('W1', 2), shelf('W2', 3), shelf('W3', 9)])).toEqual(['W2']);
  });

  it('comes from the preferred warehouse if that has all of it', () => {
    expect(chosen([wanting(3)], [shelf('W1', 9), shelf('W2', 3)], 'W2')).toEqual(['W2']);
    expect(chosen([wanting(4)], [shelf('W1', 9), shelf('W2', 3)], 'W2')).toEqual(['W1']);
  });

  it('is never split', () => {
    expect(chosen([wanting(4)], [shelf('W1', 3), shelf('W2', 3)])).toEqual({ missing: 'Product 101' });
  });

  it('does not get reserved pieces', () => {
    expect(chosen([wanting(3)], [shelf('W1', 9, { reserved: 7 }), shelf('W2', 9, { reserved: 6 })])).toEqual(['W2']);
    expect(chosen([wanting(1)], [shelf('W1', 5, { reserved: 8 })])).toEqual({ missing: 'Product 101' });
  });

  it('gets nothing of a variant without stock', () => {
    expect(chosen([wanting(1)], [])).toEqual({ missing: 'Product 101' });
    expect(chosen([wanting(1, 102)], [shelf('W1', 9)])).toEqual({ missing: 'Product 102' });
  });
});

describe('two lines of one variant', () => {
  it('have their demand summed', () => {
    expect(chosen([wanting(3), wanting(3)], [shelf('W1', 6)])).toEqual(['W1', 'W1']);
    expect(chosen([wanting(3), wanting(4)], [shelf('W1', 6)])).toEqual({ missing: 'Product 101' });
  });

  it('may come from different warehouses', () => {
    expect(chosen([wanting(3), wanting(3)], [shelf('W1', 5), shelf('W2', 3)])).toEqual(['W1', 'W2']);
    expect(chosen([wanting(6), wanting(3)], [shelf('W1', 5), shelf('W2', 6)])).toEqual(['W2', 'W1']);
  });
});

describe('chooseWarehouses', () => {
  const variantId = fc.constantFrom(101, 102);
  const demand = fc.record({ variantId, qty: fc.integer({ min: 1, max: 6 }), name: fc.constant('Product') });
  const stock = fc.uniqueArray(fc.record({ variantId, shelf: fc.nat(3), onHand: fc.nat(12), reserved: fc.nat(6) }), {
    selector: (row) => `${row.variantId}/${row.shelf}`,
  });

  it('never takes more from a shelf than is available', () => {
    fc.assert(
      fc.property(fc.array(demand, { maxLength: 6 }), stock, (lines, shelves) => {
        const rows = shelves.map(({ shelf: warehouseId, ...row }) => ({
          ...row,
          warehouseId,
          warehouseCode: `W${warehouseId}`,
        }));
        const sources = chooseWarehouses(lines, sortByPreference(rows, null));
        if ('missing' in sources) return;
        expect(sources).toHaveLength(lines.length);
        for (const row of rows) {
          const taken = lines.filter(
            (each, at) => each.variantId === row.variantId && sources[at]?.warehouseId === row.warehouseId,
          );
          const pieces = taken.reduce((total, each) => total + each.qty, 0);
          expect(pieces).toBeLessThanOrEqual(pieces === 0 ? 0 : row.onHand - row.reserved);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('reservationChanges', () => {
  const before = aProforma(line({ qty: 3 }), line({ qty: 4, warehouseId: 2 }), line({ qty: 5, qtyConfirmed: 1 }));
  const withConfirmed = (...quantities: readonly (number | null)[]): Proforma => ({
    ...before,
    lines: before.lines.map((each, index) => ({ ...each, qtyConfirmed: quantities[index] ?? null })),
  });

  it('has one entry for each line that changes', () => {
    expect(reservationChanges(before, withConfirmed(2, 4, 5))).toEqual([
      { lineId: 1, variantId: 101, warehouseId: 1, qty: 2, delta: -1 },
      { lineId: 3, variantId: 103, warehouseId: 1, qty: 5, delta: 4 },
    ]);
  });

  it('is empty when no reservation changes', () => {
    expect(reservationChanges(before, before)).toEqual([]);
    expect(reservationChanges(before, { ...before, tags: ['new'] })).toEqual([]);
  });

  it.each(['canceled', 'expired'] as const)('releases everything when the proforma is %s', (status) => {
    expect(reservationChanges(before, { ...before, status })).toEqual([
      { lineId: 1, variantId: 101, warehouseId: 1, qty: 0, delta: -3 },
      { lineId: 2, variantId: 102, warehouseId: 2, qty: 0, delta: -4 },
      { lineId: 3, variantId: 103, warehouseId: 1, qty: 0, delta: -1 },
    ]);
  });

  it.each(STATUSES.filter((status) => status !== 'canceled' && status !== 'expired'))(
    'is empty when the status becomes %s',
    (status) => {
      expect(reservationChanges(before, { ...before, status })).toEqual([]);
    },
  );

  it('reserves everything when nothing was reserved before', () => {
    const canceled = aProforma(line({ qty: 3 }), inStatus('canceled'));
    expect(reservationChanges(canceled, aProforma(line({ qty: 3 })))).toMatchObject([{ qty: 3, delta: 3 }]);
    expect(reservationChanges({ ...before, lines: [] }, before)).toMatchObject([
      { delta: 3 },
      { delta: 4 },
      { delta: 1 },
    ]);
  });
});

describe('several changes of the same stock', () => {
  const before = aProforma(line({ qty: 6, qtyConfirmed: 1, variantId: 101 }));
  const raisedTo = (qtyConfirmed: number): Proforma => aProforma(line({ qty: 6, qtyConfirmed, variantId: 101 }));
  const stock = (onHand: number, reserved: number): StockRow[] => [
    aStockRow({ variantId: 101, warehouseId: 1, onHand, reserved }),
  ];
  const take = (free: AvailableStock, from: Proforma, to: Proforma): string | undefined => {
    const placed = free.take(from, to, null);
    return 'missing' in placed ? placed.missing.name : undefined;
  };

  it('get what earlier ones left', () => {
    const free = new AvailableStock(stock(6, 2));
    expect(take(free, before, raisedTo(4))).toBeUndefined();
    expect(take(free, before, raisedTo(3))).toBe('Product 1');
    expect(take(free, before, raisedTo(2))).toBeUndefined();
    expect(take(free, before, raisedTo(2))).toBe('Product 1');
  });

  it('get what earlier ones released', () => {
    const free = new AvailableStock(stock(4, 4));
    expect(take(free, before, raisedTo(2))).toBe('Product 1');
    expect(take(free, raisedTo(3), before)).toBeUndefined();
    expect(take(free, before, raisedTo(3))).toBeUndefined();
  });

  it('can take again what they release when too much is reserved', () => {
    expect(take(new AvailableStock(stock(1, 9)), raisedTo(3), before)).toBeUndefined();
    const two = (...confirmed: readonly [number, number]): Proforma =>
      aProforma(...confirmed.map((qtyConfirmed) => line({ qty: 6, qtyConfirmed, variantId: 101 })));
    expect(take(new AvailableStock(stock(1, 9)), two(4, 1), two(1, 4))).toBeUndefined();
    expect(take(new AvailableStock(stock(1, 9)), two(4, 1), two(1, 5))).toBe('Product 2');
  });

  it('have the demand of their lines summed', () => {
    const two = aProforma(line({ qty: 5, variantId: 101 }), line({ qty: 5, variantId: 101 }));
    const none = { ...two, lines: two.lines.map((each) => ({ ...each, qtyConfirmed: 0 })) };
    expect(take(new AvailableStock(stock(9, 0)), none, two)).toBe('Product 2');
    expect(take(new AvailableStock(stock(10, 0)), none, two)).toBeUndefined();
  });

  it('get nothing without a stock row', () => {
    expect(take(new AvailableStock([]), before, raisedTo(2))).toBe('Product 1');
  });
});

describe('a line that outgrows its warehouse', () => {
  const row = (warehouseId: number, onHand: number, reserved = 0): StockRow =>
    aStockRow({ variantId: 101, warehouseId, warehouseCode: `W${warehouseId}`, onHand, reserved });
  const lineOf = (qtyConfirmed: number, warehouseId = 1): Proforma =>
    aProforma(line({ qty: 6, qtyConfirmed, variantId: 101, warehouseId, warehouseCode: `W${warehouseId}` }));
  const placed = (stock: readonly StockRow[], from: number, to: number, preferred: string | null = null) => {
    const outcome = new AvailableStock(stock).take(lineOf(from), lineOf(to), preferred);
    return 'missing' in outcome ? 'missing' : outcome.lines[0]?.warehouseCode;
  };

  it('stays when its warehouse has the rest', () => {
    expect(placed([row(1, 6, 2), row(2, 100)], 2, 6)).toBe('W1');
  });

  it.each([0, 2])('moves to another one that has all of it, from %d pieces', (from) => {
    expect(placed([row(1, 3, 3), row(2, 4), row(3, 5)], from, 5)).toBe('W3');
    expect(placed([row(1, 3, 3), row(2, 4), row(3, 4)], from, 5)).toBe('missing');
  });

  it('is never split', () => {
    expect(placed([row(1, 3, 2), row(2, 3)], 2, 4)).toBe('missing');
  });

  it('moves to the preferred warehouse, else the first by code', () => {
    const stock = [row(1, 0), row(3, 9), row(2, 9)];
    expect(placed(stock, 0, 4)).toBe('W2');
    expect(placed(stock, 0, 4, 'W3')).toBe('W3');
  });

  it('leaves its pieces to other lines of the change', () => {
    const lines = (...confirmed: readonly [number, number]): Proforma =>
      aProforma(...confirmed.map((qtyConfirmed) => line({ qty: 6, qtyConfirmed, variantId: 101 })));
    const outcome = new AvailableStock([row(1, 4, 4), row(2, 6)]).take(lines(2, 2), lines(6, 4), null);
    expect('missing' in outcome ? 'missing' : outcome.lines.map((each) => each.warehouseCode)).toEqual(['W2', 'W1']);
  });

  it('is released in the old warehouse and reserved in the new one', () => {
    const moved = (from: number, to: number) =>
      reservationChanges(lineOf(from), lineOf(to, 2)).map(({ warehouseId, qty, delta }) => [warehouseId, qty, delta]);
    expect(moved(2, 5)).toEqual([
      [1, null, -2],
      [2, 5, 5],
    ]);
    expect(moved(0, 5)).toEqual([[2, 5, 5]]);
  });

  it('is placed fast among a thousand lines and twenty warehouses', () => {
    const variants = Array.from({ length: 1_000 }, (_, index) => index + 1);
    const lines = (qtyConfirmed: number): Proforma =>
      aProforma(...variants.map((variantId) => line({ qty: 2, qtyConfirmed, variantId })));
    const stock = variants.flatMap((variantId) =>
      Array.from({ length: 20 }, (_, index) =>
        aStockRow({ variantId, warehouseId: index + 1, warehouseCode: `W${index + 1}`, onHand: index === 0 ? 0 : 5 }),
      ),
    );
    const started = performance.now();
    const outcome = new AvailableStock(stock).take(lines(0), lines(2), null);
    expect('missing' in outcome).toBe(false);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});
