import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import { REFERENCE_TAKEN, type StockQuantity } from '../index.js';
import { pieces, StockedShop, type StockFixture } from './given-stock.js';

type NewShop = () => Promise<StockedShop>;

export function stockContract(runner: Runner, open: () => Promise<StockFixture>): void {
  let fixture: StockFixture;
  runner.before(async () => {
    fixture = await open();
  });
  runner.after(() => fixture.close());
  const newShop = () => StockedShop.open(fixture);

  runner.describe('an addition of stock', () => {
    describeAdditions(runner, newShop);
    describeFailures(runner, newShop);
  });
  runner.describe('a count of stock', () => describeCounts(runner, newShop));
  runner.describe('a stock call with a reference', () => describeReferences(runner, newShop));
  runner.describe('a bulk change of stock', () => {
    describeDryRuns(runner, newShop);
    describeAllOrNothing(runner, newShop);
    describeConcurrency(runner, newShop);
  });
}

function describeAdditions({ it }: Runner, newShop: NewShop): void {
  it('is summed over the rows of a call and over repeated calls', async () => {
    const shop = await newShop();
    const rows = [pieces(5), pieces(-2), pieces(3, { code: 'B' }), pieces(7, { warehouse_code: 'W2' })];
    await shop.add(...rows);
    await shop.add(...rows);
    expect(await shop.onHandByShelf()).toEqual({ 'A@W1': 6, 'A@W2': 14, 'B@W1': 6 });
  });

  it('is booked as one movement per warehouse and one line per variant', async () => {
    const shop = await newShop();
    const rows = [pieces(3, { code: 'C', warehouse_code: 'W2' }), pieces(2, { code: 'B' }), pieces(5), pieces(-1)];
    await shop.add(...rows);
    expect(await shop.formatMovements()).toEqual(['adjust 4 A@W1', 'adjust 2 B@W1', 'adjust 3 C@W2']);
    expect(new Set((await shop.listMovements()).map((line) => line.movement_id)).size).toBe(2);
  });

  it('of 0 pieces creates a stock row, but no movement', async () => {
    const shop = await newShop();
    await shop.add(pieces(0, { min_qty: 3 }));
    expect(await shop.listStock()).toMatchObject([{ on_hand: 0, min_qty: 3 }]);
    expect(await shop.formatMovements()).toEqual([]);
    shop.fixture.forward(60);
    const [before] = await shop.listStock();
    await shop.add(pieces(5, { min_qty: 9 }), pieces(-5));
    const [after] = await shop.listStock();
    expect([after?.min_qty, after?.on_hand]).toEqual([3, 0]);
    expect((after?.updated_at ?? '') > (before?.updated_at ?? '')).toBe(true);
    expect(await shop.formatMovements()).toEqual([]);
  });

  eachCase(it, [
    [{ code: 'A', barcode: 'A' }, 'A@W1'],
    [{ code: null, barcode: 'A' }, 'C@W1'],
    [{ code: 'none', barcode: 'none', external_ref: 'ref' }, 'A@W1'],
  ] as [Partial<StockQuantity>, string][])(
    'finds its variant by code, barcode or reference: %j',
    async (row, shelf) => {
      const shop = await newShop();
      await shop.add(pieces(1, row));
      expect(await shop.onHandByShelf()).toEqual({ [shelf]: 1 });
    },
  );
}

function describeFailures({ it }: Runner, newShop: NewShop): void {
  it('reports failed rows in input order and writes the others', async () => {
    const shop = await newShop();
    const { failed } = await shop.addRows([
      pieces(-1),
      pieces(5),
      pieces(-6),
      'API.Stocks.InvalidQty',
      pieces(1, { code: 'a' }),
      pieces(1, { warehouse_code: 'w1' }),
      pieces(1_000_000_000),
      pieces(1),
    ]);
    expect(failed).toEqual([
      { row: 0, key: 'API.Stocks.NegativeStock' },
      { row: 2, key: 'API.Stocks.NegativeStock' },
      { row: 3, key: 'API.Stocks.InvalidQty' },
      { row: 4, key: 'API.Stocks.VariantNotFound' },
      { row: 5, key: 'API.Stocks.WarehouseNotFound' },
      { row: 6, key: 'API.Stocks.InvalidQty' },
    ]);
    expect(await shop.onHandByShelf()).toEqual({ 'A@W1': 6 });
  });

  it('finds no variants of other apps and no deleted warehouses', async () => {
    const [shop, otherShop] = [await newShop(), await newShop()];
    await otherShop.fixture.addProduct(otherShop.id, 'X', [{ code: 'X' }]);
    await shop.fixture.warehouses.put(shop.id, [{ ...shop.w2, code: 'W2', delete: true }]);
    const { failed } = await shop.addRows([pieces(1, { code: 'X' }), pieces(1, { warehouse_code: 'W2' })]);
    expect(failed.map(({ key }) => key)).toEqual(['API.Stocks.VariantNotFound', 'API.Stocks.WarehouseNotFound']);
    await shop.add(pieces(1));
    expect(await otherShop.onHandByShelf()).toEqual({});
  });
}

function describeCounts({ it }: Runner, newShop: NewShop): void {
  const putCounts = (shop: StockedShop, ...rows: readonly (StockQuantity | string)[]) => shop.count(rows);

  it('sets the stock on hand in one movement; the last of several counts of a variant applies', async () => {
    const shop = await newShop();
    await shop.add(pieces(10), pieces(7, { code: 'B' }), pieces(5, { warehouse_code: 'W2' }));
    const rows = [pieces(1), pieces(2, { code: 'C' }), pieces(7, { code: 'B' }), pieces(4)];
    const result = await putCounts(shop, ...rows);
    expect(result).toEqual({ updated: 4, failed: [], movementIds: [expect.any(Number)] });
    expect(await shop.onHandByShelf()).toEqual({ 'A@W1': 4, 'A@W2': 5, 'B@W1': 7, 'C@W1': 2 });
    const bookedLines = (await shop.listMovements()).filter((line) => line.movement_id === result.movementIds[0]);
    expect(bookedLines).toMatchObject([
      { kind: 'reconcile', code: 'A', qty: -6, reference: null },
      { kind: 'reconcile', code: 'C', qty: 2, reference: null },
    ]);
  });

  it('writes nothing when every count equals the stock', async () => {
    const shop = await newShop();
    await shop.add(pieces(4, { min_qty: 2 }));
    const before = await shop.listStock();
    shop.fixture.forward(60);
    const result = await putCounts(shop, pieces(4), pieces(0, { code: 'B' }));
    expect(result).toEqual({ updated: 2, failed: [], movementIds: [] });
    expect(await shop.listStock()).toEqual(before);
  });

  it('refuses rows that expect another quantity, and returns the quantity on hand', async () => {
    const shop = await newShop();
    await shop.add(pieces(10), pieces(7, { code: 'B' }));
    const rows = [
      pieces(1, { expected_qty: 9 }),
      pieces(2, { code: 'B', expected_qty: 7 }),
      pieces(3, { code: 'C', expected_qty: 0 }),
      pieces(4, { code: 'C', expected_qty: 3 }),
    ];
    expect((await putCounts(shop, ...rows)).failed).toEqual([
      { row: 0, key: 'API.Stocks.ExpectedQtyDiffers', onHand: 10 },
      { row: 3, key: 'API.Stocks.ExpectedQtyDiffers', onHand: 0 },
    ]);
    expect(await shop.onHandByShelf()).toEqual({ 'A@W1': 10, 'B@W1': 2, 'C@W1': 3 });
  });

  it('is accepted from only one of several concurrent calls with the same expected quantity', async () => {
    const shop = await newShop();
    await shop.add(pieces(10));
    const results = await Promise.all([1, 2, 3, 4].map((qty) => putCounts(shop, pieces(qty, { expected_qty: 10 }))));
    const successes = results.flatMap((result, index) => (result.failed.length === 0 ? [index + 1] : []));
    expect(successes).toHaveLength(1);
    expect(await shop.onHandByShelf()).toEqual({ 'A@W1': successes[0] });
  });

  it('finds its variants by code only', async () => {
    const shop = await newShop();
    const rows = ['API.Stocks.InvalidQty', pieces(3), pieces(1, { code: null, barcode: '860' })];
    expect((await putCounts(shop, ...rows)).failed).toEqual([
      { row: 0, key: 'API.Stocks.InvalidQty' },
      { row: 2, key: 'API.Stocks.VariantNotFound' },
    ]);
    expect(await shop.onHandByShelf()).toEqual({ 'A@W1': 3 });
  });

  eachCase(it, ['w1', ' W1', 'none'])('returns undefined for the unknown warehouse "%s"', async (code) => {
    const shop = await newShop();
    expect(await shop.fixture.stock.reconcile(shop.id, code, [pieces(1)])).toBeUndefined();
    expect(await shop.onHandByShelf()).toEqual({});
  });
}

function describeDryRuns({ it }: Runner, newShop: NewShop): void {
  it('returns its result in a dry run, but writes nothing', async () => {
    const shop = await newShop();
    await shop.add(pieces(5));
    const before = [await shop.listStock(), await shop.listMovements()];
    const rows = [pieces(-6), pieces(1, { code: 'B' })];
    expect(await shop.addRows(rows, { dryRun: true })).toEqual({
      updated: 1,
      failed: [{ row: 0, key: 'API.Stocks.NegativeStock' }],
      movementIds: [],
    });
    const result = await shop.count([pieces(1)], { dryRun: true });
    expect(result).toEqual({ updated: 1, failed: [], movementIds: [] });
    expect([await shop.listStock(), await shop.listMovements()]).toEqual(before);
  });

  it('explains, if requested, how each row found its variant and warehouse', async () => {
    const shop = await newShop();
    const rows = [pieces(1, { barcode: 'A' }), 'API.Stocks.InvalidQty', pieces(1, { warehouse_code: 'none' })];
    const { explain } = await shop.addRows(rows, { explain: true });
    expect(explain).toMatchObject([
      [
        { record: 'variant', identifier: 'code', others: [{ identifier: 'barcode', value: 'A' }] },
        { record: 'warehouse', identifier: 'code', id: shop.w1.id, others: [] },
      ],
      [],
      [
        { record: 'variant', identifier: 'code', others: [] },
        { record: 'warehouse', identifier: null, id: null, others: [] },
      ],
    ]);
  });
}

function describeAllOrNothing({ it }: Runner, newShop: NewShop): void {
  it('writes nothing when one row fails and all or nothing is asked for', async () => {
    const shop = await newShop();
    await shop.add(pieces(2));
    const rows = [pieces(-5), pieces(5, { warehouse_code: 'W2' }), pieces(1, { code: 'none' })];
    expect(await shop.addRows(rows, { allOrNothing: true })).toEqual({
      updated: 0,
      failed: [
        { row: 0, key: 'API.Stocks.NegativeStock' },
        { row: 2, key: 'API.Stocks.VariantNotFound' },
      ],
      movementIds: [],
    });
    const counts = [pieces(9), pieces(1, { code: 'none' })];
    expect(await shop.count(counts, { allOrNothing: true })).toMatchObject({ updated: 0, failed: [{ row: 1 }] });
    expect(await shop.onHandByShelf()).toEqual({ 'A@W1': 2 });
    expect(await shop.addRows(rows.slice(1, 2), { allOrNothing: true })).toMatchObject({ updated: 1 });
  });
}

function describeReferences({ it }: Runner, newShop: NewShop): void {
  const note = { reference: 'delivery-4711' };
  const rows = [pieces(3), pieces(2, { warehouse_code: 'W2' }), pieces(-9, { code: 'B' })];

  it('books once, keeps the reference of its movements, and returns its first result to a repeat', async () => {
    const shop = await newShop();
    const first = await shop.addRows(rows, note);
    expect(first).toEqual({
      updated: 2,
      failed: [{ row: 2, key: 'API.Stocks.NegativeStock' }],
      movementIds: [expect.any(Number), expect.any(Number)],
    });
    await shop.add(pieces(50, { code: 'B' }));
    expect(await shop.addRows(rows, note)).toEqual({ ...first, isRepeat: true });
    expect(await shop.onHandByShelf()).toEqual({ 'A@W1': 3, 'A@W2': 2, 'B@W1': 50 });
    expect((await shop.listMovements()).map(({ reference }) => reference)).toEqual([
      'delivery-4711',
      'delivery-4711',
      null,
    ]);
  });

  it('is refused with other rows, and in a call of the other kind', async () => {
    const shop = await newShop();
    await shop.addRows([pieces(3)], note);
    const { stock } = shop.fixture;
    expect(await stock.add(shop.id, [pieces(4)], note)).toEqual(REFERENCE_TAKEN);
    expect(await stock.add(shop.id, [pieces(3), pieces(3)], note)).toEqual(REFERENCE_TAKEN);
    expect(await stock.reconcile(shop.id, 'W1', [pieces(3)], note)).toEqual(REFERENCE_TAKEN);
    const otherShop = await newShop();
    expect(await otherShop.addRows([pieces(4)], note)).toMatchObject({ updated: 1 });
  });

  it('sets a count once, also when the count equalled the stock', async () => {
    const shop = await newShop();
    await shop.add(pieces(4));
    const first = await shop.count([pieces(4)], note);
    await shop.add(pieces(-1));
    expect(await shop.count([pieces(4)], note)).toEqual({ ...first, isRepeat: true });
    expect(await shop.onHandByShelf()).toEqual({ 'A@W1': 3 });
  });

  it('leaves the reference free when it writes no row', async () => {
    const shop = await newShop();
    const { stock } = shop.fixture;
    await shop.addRows([pieces(-1)], note);
    await shop.addRows([pieces(1), pieces(-1, { code: 'B' })], { ...note, allOrNothing: true });
    await shop.addRows([pieces(1)], { ...note, dryRun: true });
    expect(await stock.reconcile(shop.id, 'none', [pieces(1)], note)).toBeUndefined();
    expect(await shop.addRows([pieces(7)], note)).toMatchObject({ updated: 1 });
    expect(await shop.addRows([pieces(7)], { ...note, dryRun: true })).toMatchObject({ isRepeat: true });
    expect(await shop.onHandByShelf()).toEqual({ 'A@W1': 7 });
  });

  it('books only once in concurrent calls', async () => {
    const shop = await newShop();
    const results = await Promise.all(Array.from({ length: 8 }, () => shop.addRows([pieces(5)], note)));
    expect(results.filter(({ isRepeat }) => isRepeat)).toHaveLength(7);
    expect(await shop.onHandByShelf()).toEqual({ 'A@W1': 5 });
  });
}

function describeConcurrency({ it }: Runner, newShop: NewShop): void {
  it('loses no row of concurrent calls', async () => {
    const shop = await newShop();
    const rows = [pieces(1), pieces(2, { code: 'B' })];
    await Promise.all([
      ...Array.from({ length: 8 }, () => shop.add(...rows)),
      ...Array.from({ length: 8 }, () => shop.add(...rows.toReversed())),
    ]);
    expect(await shop.onHandByShelf()).toEqual({ 'A@W1': 16, 'B@W1': 32 });
  });

  it('never makes the stock negative, even in concurrent calls', async () => {
    const shop = await newShop();
    await shop.add(pieces(5));
    const calls = Array.from({ length: 8 }, () => shop.addRows([pieces(-1)]));
    const failedRows = (await Promise.all(calls)).flatMap((result) => result.failed);
    expect(failedRows.map(({ key }) => key)).toEqual(Array.from({ length: 3 }, () => 'API.Stocks.NegativeStock'));
    expect(await shop.onHandByShelf()).toEqual({ 'A@W1': 0 });
  });
}
