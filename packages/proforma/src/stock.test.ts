import fc from 'fast-check';
import { aProforma, aStockRow, inStatus, line } from './testing/index.js';
import type { Proforma } from './proforma.js';
import { STATUSES } from './statuses.js';
import {
  chooseWarehouses,
  AvailableStock,
  sortByPreference,
  reservationChanges,
  type Demand,
  type StockRow,
} from './stock.js';

function demandOf(qty: number, variantId = 101): Demand {
  return { variantId, code: `V${variantId}`, qty, name: `Product ${variantId}` };
}

function shelf(warehouseCode: string, onHand: number, overrides: Partial<StockRow> = {}): StockRow {
  return aStockRow({ warehouseId: Number(warehouseCode.slice(1)), warehouseCode, onHand, ...overrides });
}

function chosenWarehouses(
  lines: readonly Demand[],
  stock: readonly StockRow[],
  preferredCode: string | null = null,
): unknown {
  const sources = chooseWarehouses(lines, sortByPreference(stock, preferredCode));
  return 'missing' in sources ? { missing: sources.missing.name } : sources.map((source) => source.warehouseCode);
}

describe('sortByPreference', () => {
  const [firstRow, secondRow, thirdRow] = [shelf('W1', 1), shelf('W2', 1), shelf('W3', 1)];
  const rowWithoutCode = aStockRow({ warehouseId: 9, warehouseCode: null });

  it('sorts by code, the preferred warehouse first', () => {
    expect(sortByPreference([thirdRow, firstRow, secondRow], null)).toEqual([firstRow, secondRow, thirdRow]);
    expect(sortByPreference([thirdRow, firstRow, secondRow], 'W3')).toEqual([thirdRow, firstRow, secondRow]);
    expect(sortByPreference([thirdRow, firstRow, secondRow], 'W2')).toEqual([secondRow, firstRow, thirdRow]);
    expect(sortByPreference([thirdRow, firstRow, secondRow], 'W9')).toEqual([firstRow, secondRow, thirdRow]);
  });

  it('sorts by id when codes are equal', () => {
    const otherRow = { ...rowWithoutCode, warehouseId: 7 };
    expect(sortByPreference([secondRow, rowWithoutCode, otherRow], 'W2')).toEqual([
      secondRow,
      otherRow,
      rowWithoutCode,
    ]);
  });

  it('does not depend on the order of rows', () => {
    const stock = [firstRow, secondRow, thirdRow, rowWithoutCode];
    fc.assert(
      fc.property(
        fc.shuffledSubarray(stock, { minLength: 4 }),
        fc.constantFrom(null, 'W1', 'W2', 'W3'),
        (shuffledRows, preferredCode) => {
          expect(sortByPreference(shuffledRows, preferredCode)).toEqual(sortByPreference(stock, preferredCode));
        },
      ),
    );
  });

  it('does not change its argument', () => {
    const unsortedRows = [thirdRow, firstRow];
    sortByPreference(unsortedRows, null);
    expect(unsortedRows).toEqual([thirdRow, firstRow]);
  });
});

describe('the stock for one line', () => {
  it('comes from the first warehouse that has the whole quantity', () => {
    expect(chosenWarehouses([demandOf(3)], [shelf('W1', 2), shelf('W2', 3), shelf('W3', 9)])).toEqual(['W2']);
  });

  it('comes from the preferred warehouse if it has the whole quantity', () => {
    expect(chosenWarehouses([demandOf(3)], [shelf('W1', 9), shelf('W2', 3)], 'W2')).toEqual(['W2']);
    expect(chosenWarehouses([demandOf(4)], [shelf('W1', 9), shelf('W2', 3)], 'W2')).toEqual(['W1']);
  });

  it('never comes from two warehouses', () => {
    expect(chosenWarehouses([demandOf(4)], [shelf('W1', 3), shelf('W2', 3)])).toEqual({ missing: 'Product 101' });
  });

  it('excludes pieces that are already reserved', () => {
    expect(chosenWarehouses([demandOf(3)], [shelf('W1', 9, { reserved: 7 }), shelf('W2', 9, { reserved: 6 })])).toEqual(
      ['W2'],
    );
    expect(chosenWarehouses([demandOf(1)], [shelf('W1', 5, { reserved: 8 })])).toEqual({ missing: 'Product 101' });
  });

  it('is missing when no warehouse has the variant', () => {
    expect(chosenWarehouses([demandOf(1)], [])).toEqual({ missing: 'Product 101' });
    expect(chosenWarehouses([demandOf(1, 102)], [shelf('W1', 9)])).toEqual({ missing: 'Product 102' });
  });
});

describe('a stock shortage', () => {
  it('reports how many pieces each warehouse has left for the line', () => {
    const stock = [shelf('W1', 9, { reserved: 5 }), shelf('W2', 3), shelf('W3', 1, { reserved: 2 })];
    expect(chooseWarehouses([demandOf(4), demandOf(4)], stock)).toMatchObject({
      shortage: {
        code: 'V101',
        wanted: 4,
        available: [
          { warehouse_code: 'W1', qty: 0 },
          { warehouse_code: 'W2', qty: 3 },
          { warehouse_code: 'W3', qty: 0 },
        ],
      },
    });
  });
});

describe('two lines of one variant', () => {
  it('need the sum of their quantities in stock', () => {
    expect(chosenWarehouses([demandOf(3), demandOf(3)], [shelf('W1', 6)])).toEqual(['W1', 'W1']);
    expect(chosenWarehouses([demandOf(3), demandOf(4)], [shelf('W1', 6)])).toEqual({ missing: 'Product 101' });
  });

  it.each([[[1, 2, 9]], [[2, 1, 9]], [[9, 2, 1]], [[1, 9, 2]]])(
    'find their warehouses in every order: %j',
    (quantities) => {
      const lines = quantities.map((qty) => demandOf(qty));
      const sources = chosenWarehouses(lines, [shelf('W1', 2), shelf('W2', 10)]) as string[];
      const taken = (code: string) => quantities.filter((_, index) => sources[index] === code);
      expect([taken('W1'), taken('W2').sort()]).toEqual([[2], [1, 9]]);
    },
  );

  it('may come from different warehouses', () => {
    expect(chosenWarehouses([demandOf(3), demandOf(3)], [shelf('W1', 5), shelf('W2', 3)])).toEqual(['W1', 'W2']);
    expect(chosenWarehouses([demandOf(6), demandOf(3)], [shelf('W1', 5), shelf('W2', 6)])).toEqual(['W2', 'W1']);
  });
});

describe('chooseWarehouses', () => {
  const variantId = fc.constantFrom(101, 102);
  const demand = fc.record({
    variantId,
    qty: fc.integer({ min: 1, max: 6 }),
    code: fc.constant('V'),
    name: fc.constant('Product'),
  });
  const stock = fc.uniqueArray(fc.record({ variantId, shelf: fc.nat(3), onHand: fc.nat(12), reserved: fc.nat(6) }), {
    selector: (row) => `${row.variantId}/${row.shelf}`,
  });

  it('never takes more from a warehouse than is available there', () => {
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
          const rowLines = lines.filter(
            (productLine, index) =>
              productLine.variantId === row.variantId && sources[index]?.warehouseId === row.warehouseId,
          );
          const pieces = rowLines.reduce((total, productLine) => total + productLine.qty, 0);
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
    lines: before.lines.map((productLine, index) => ({ ...productLine, qtyConfirmed: quantities[index] ?? null })),
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
    const canceledProforma = aProforma(line({ qty: 3 }), inStatus('canceled'));
    expect(reservationChanges(canceledProforma, aProforma(line({ qty: 3 })))).toMatchObject([{ qty: 3, delta: 3 }]);
    expect(reservationChanges({ ...before, lines: [] }, before)).toMatchObject([
      { delta: 3 },
      { delta: 4 },
      { delta: 1 },
    ]);
  });
});

describe('AvailableStock that several changes share', () => {
  const before = aProforma(line({ qty: 6, qtyConfirmed: 1, variantId: 101 }));
  const proformaConfirmedTo = (qtyConfirmed: number): Proforma =>
    aProforma(line({ qty: 6, qtyConfirmed, variantId: 101 }));
  const stock = (onHand: number, reserved: number): StockRow[] => [
    aStockRow({ variantId: 101, warehouseId: 1, onHand, reserved }),
  ];
  const take = (availableStock: AvailableStock, beforeChange: Proforma, afterChange: Proforma): string | undefined => {
    const result = availableStock.take(beforeChange, afterChange, null);
    return 'missing' in result ? result.missing.name : undefined;
  };

  it('grants a change only the pieces that earlier changes leave', () => {
    const availableStock = new AvailableStock(stock(6, 2));
    expect(take(availableStock, before, proformaConfirmedTo(4))).toBeUndefined();
    expect(take(availableStock, before, proformaConfirmedTo(3))).toBe('Product 1');
    expect(take(availableStock, before, proformaConfirmedTo(2))).toBeUndefined();
    expect(take(availableStock, before, proformaConfirmedTo(2))).toBe('Product 1');
  });

  it('grants a change the pieces that an earlier change releases', () => {
    const availableStock = new AvailableStock(stock(4, 4));
    expect(take(availableStock, before, proformaConfirmedTo(2))).toBe('Product 1');
    expect(take(availableStock, proformaConfirmedTo(3), before)).toBeUndefined();
    expect(take(availableStock, before, proformaConfirmedTo(3))).toBeUndefined();
  });

  it('grants a change the pieces that it releases itself, even when more is reserved than on hand', () => {
    expect(take(new AvailableStock(stock(1, 9)), proformaConfirmedTo(3), before)).toBeUndefined();
    const withTwoLines = (...quantities: readonly [number, number]): Proforma =>
      aProforma(...quantities.map((qtyConfirmed) => line({ qty: 6, qtyConfirmed, variantId: 101 })));
    expect(take(new AvailableStock(stock(1, 9)), withTwoLines(4, 1), withTwoLines(1, 4))).toBeUndefined();
    expect(take(new AvailableStock(stock(1, 9)), withTwoLines(4, 1), withTwoLines(1, 5))).toBe('Product 2');
  });

  it('refuses a change whose lines together need more than the stock', () => {
    const reservedProforma = aProforma(line({ qty: 5, variantId: 101 }), line({ qty: 5, variantId: 101 }));
    const withoutReservations = {
      ...reservedProforma,
      lines: reservedProforma.lines.map((productLine) => ({ ...productLine, qtyConfirmed: 0 })),
    };
    expect(take(new AvailableStock(stock(9, 0)), withoutReservations, reservedProforma)).toBe('Product 2');
    expect(take(new AvailableStock(stock(10, 0)), withoutReservations, reservedProforma)).toBeUndefined();
  });

  it('refuses a change that needs a variant without stock in any warehouse', () => {
    expect(take(new AvailableStock([]), before, proformaConfirmedTo(2))).toBe('Product 1');
  });
});

describe('a line whose confirmed quantity rises', () => {
  const row = (warehouseId: number, onHand: number, reserved = 0): StockRow =>
    aStockRow({ variantId: 101, warehouseId, warehouseCode: `W${warehouseId}`, onHand, reserved });
  const proformaWith = (qtyConfirmed: number, warehouseId = 1): Proforma =>
    aProforma(line({ qty: 6, qtyConfirmed, variantId: 101, warehouseId, warehouseCode: `W${warehouseId}` }));
  const warehouseAfter = (
    stock: readonly StockRow[],
    fromQty: number,
    toQty: number,
    preferredCode: string | null = null,
  ) => {
    const result = new AvailableStock(stock).take(proformaWith(fromQty), proformaWith(toQty), preferredCode);
    return 'missing' in result ? 'missing' : result.lines[0]?.warehouseCode;
  };

  it('stays in its warehouse if that has the additional pieces', () => {
    expect(warehouseAfter([row(1, 6, 2), row(2, 100)], 2, 6)).toBe('W1');
  });

  it.each([0, 2])(
    'moves from %d pieces in its warehouse to another warehouse that has the whole quantity',
    (fromQty) => {
      expect(warehouseAfter([row(1, 3, 3), row(2, 4), row(3, 5)], fromQty, 5)).toBe('W3');
      expect(warehouseAfter([row(1, 3, 3), row(2, 4), row(3, 4)], fromQty, 5)).toBe('missing');
    },
  );

  it('is never split between two warehouses', () => {
    expect(warehouseAfter([row(1, 3, 2), row(2, 3)], 2, 4)).toBe('missing');
  });

  it('moves to the preferred warehouse, otherwise to the first by code', () => {
    const stock = [row(1, 0), row(3, 9), row(2, 9)];
    expect(warehouseAfter(stock, 0, 4)).toBe('W2');
    expect(warehouseAfter(stock, 0, 4, 'W3')).toBe('W3');
  });

  it('releases its pieces to other lines of the same change when it moves', () => {
    const withTwoLines = (...quantities: readonly [number, number]): Proforma =>
      aProforma(...quantities.map((qtyConfirmed) => line({ qty: 6, qtyConfirmed, variantId: 101 })));
    const result = new AvailableStock([row(1, 4, 4), row(2, 6)]).take(withTwoLines(2, 2), withTwoLines(6, 4), null);
    expect('missing' in result ? 'missing' : result.lines.map((productLine) => productLine.warehouseCode)).toEqual([
      'W2',
      'W1',
    ]);
  });

  it('is released in the old warehouse and reserved in the new one when it moves', () => {
    const movesBetween = (fromQty: number, toQty: number) =>
      reservationChanges(proformaWith(fromQty), proformaWith(toQty, 2)).map(({ warehouseId, qty, delta }) => [
        warehouseId,
        qty,
        delta,
      ]);
    expect(movesBetween(2, 5)).toEqual([
      [1, null, -2],
      [2, 5, 5],
    ]);
    expect(movesBetween(0, 5)).toEqual([[2, 5, 5]]);
  });

  it('gets a warehouse within a second among a thousand lines and twenty warehouses', () => {
    const variants = Array.from({ length: 1_000 }, (_, index) => index + 1);
    const proformaConfirmedWith = (qtyConfirmed: number): Proforma =>
      aProforma(...variants.map((variantId) => line({ qty: 2, qtyConfirmed, variantId })));
    const stock = variants.flatMap((variantId) =>
      Array.from({ length: 20 }, (_, index) =>
        aStockRow({ variantId, warehouseId: index + 1, warehouseCode: `W${index + 1}`, onHand: index === 0 ? 0 : 5 }),
      ),
    );
    const usageBefore = process.cpuUsage();
    const result = new AvailableStock(stock).take(proformaConfirmedWith(0), proformaConfirmedWith(2), null);
    expect('missing' in result).toBe(false);
    const { user, system } = process.cpuUsage(usageBefore);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });
});
