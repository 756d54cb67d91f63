import { setTimeout } from 'node:timers/promises';
import type { Transaction } from '@back-office/database-postgres';
import { gatherStatistics } from '../testing/gather-statistics.js';
import { failedRow, propose, putStock, stockOf, stockShop, warehouse } from '../testing/shop.js';
import { LOCK_WAITS } from '../testing/lock-waits.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  await openShop(shop);
});

async function openShop(client: Client): Promise<void> {
  await client.put('/warehouse', { warehouses: [warehouse('W1'), warehouse('W2')] });
  await client.post('/int/products', {
    products: [
      {
        code: 'P',
        name: 'P',
        variants: [
          { code: 'A', barcode: '860-A', external_ref: 'ref-a' },
          { code: 'B', barcode: '860-B', external_ref: 'ref-b' },
        ],
      },
      { code: 'Q', name: 'Q', variants: [{ code: 'C', barcode: 'A', external_ref: '860-B' }] },
    ],
  });
}

interface StockResult {
  readonly updated: number;
  readonly failed: readonly { readonly input: unknown; readonly error: { readonly message: string } }[];
}

const put = (stocks: readonly unknown[], client = shop): Promise<Reply> => client.put('/int/stocks', { stocks });
const putRows = async (stocks: readonly unknown[], client = shop): Promise<StockResult> => {
  const { status, body } = await put(stocks, client);
  expect([status, Object.keys(body.data)]).toEqual([200, ['updated', 'failed']]);
  return body.data;
};
const writeRows = async (stocks: readonly unknown[], client = shop): Promise<void> =>
  expect(await putRows(stocks, client)).toEqual({ updated: stocks.length, failed: [] });
const expectRefused = async (stocks: readonly unknown[]): Promise<string[]> => {
  const stockBefore = [await readShelves(), await readMovements()];
  const { updated, failed } = await putRows(stocks);
  expect([updated, failed.map(({ input }) => input)]).toEqual([0, stocks]);
  expect([await readShelves(), await readMovements()]).toEqual(stockBefore);
  return failed.map(({ error }) => error.message.replace(/^API\.Stocks\./, ''));
};

const readOnHand = async (client = shop): Promise<Record<string, number>> =>
  Object.fromEntries((await readShelves(client)).map(({ shelf, on_hand }) => [shelf, on_hand]));
const readShelves = (client = shop) =>
  api.database.rows<{ shelf: string; on_hand: number; min_qty: number; updated_at: Date }>(
    `select v.code || '@' || w.code as shelf, s.on_hand, s.min_qty, s.updated_at
     from stocks s join product_variants v on v.app_id = s.app_id and v.id = s.product_variant_id join warehouses w on w.app_id = s.app_id and w.id = s.warehouse_id
     where s.app_id = $1 order by 1`,
    [client.appId],
  );
const readMovements = (client = shop) =>
  api.database.rows<object>(
    `select m.kind, w.code as warehouse, m.reference, m.booked_at, (
       select json_object_agg(v.code, l.qty order by v.code) from stock_movement_lines l
       join product_variants v on v.app_id = $1 and v.id = l.product_variant_id
       where l.app_id = $1 and l.movement_id = m.id
     ) as lines
     from stock_movements m join warehouses w on w.app_id = m.app_id and w.id = m.warehouse_id where m.app_id = $1 order by m.id`,
    [client.appId],
  );

const readVariantIds = async () =>
  (
    await api.database.rows<{ id: number }>(
      `select id from product_variants where app_id = $1 and code in ('A', 'B', 'C') order by id`,
      [shop.appId],
    )
  ).map(({ id }) => id);
const waitUntil = async (condition: () => Promise<boolean>): Promise<void> => {
  while (!(await condition())) await setTimeout(10);
};

const row = (fields: object = {}) => ({ code: 'A', warehouse_code: 'W1', qty: 1, ...fields });

describe('PUT /int/stocks', () => {
  it('adds a positive qty and subtracts a negative qty', async () => {
    await writeRows([row({ qty: 10 })]);
    await writeRows([row({ qty: 5 }), row({ code: 'B', qty: 2 })]);
    await writeRows([row({ qty: -4 })]);
    expect(await readOnHand()).toEqual({ 'A@W1': 11, 'B@W1': 2 });
  });

  it('does nothing for an empty list', async () => {
    await writeRows([]);
    expect(await readMovements()).toEqual([]);
  });

  it('ignores unknown fields', async () => {
    await writeRows([row({ on_hand: 99, reserved: 99, id: 1, app_id: 1, constructor: 1 })]);
    expect(await readOnHand()).toEqual({ 'A@W1': 1 });
  });

  it('sets updated_at from the clock', async () => {
    await writeRows([row()]);
    api.clock.forward({ seconds: 90 });
    await writeRows([row()]);
    expect(await readShelves()).toMatchObject([{ updated_at: api.clock.now() }]);
  });
});

describe('the variant of a row of PUT /int/stocks', () => {
  it.each([
    ['code', { code: 'B' }, 'B@W1'],
    ['barcode', { barcode: '860-B' }, 'B@W1'],
    ['external_ref', { external_ref: 'ref-b' }, 'B@W1'],
    ['code before barcode and external_ref', { code: 'B', barcode: '860-A', external_ref: 'ref-a' }, 'B@W1'],
    ['barcode before external_ref', { barcode: '860-B', external_ref: 'ref-a' }, 'B@W1'],
    ['barcode when the code finds none', { code: 'none', barcode: '860-B', external_ref: 'ref-a' }, 'B@W1'],
    ['external_ref when the others find none', { code: 'none', barcode: 'none', external_ref: 'ref-b' }, 'B@W1'],
    ['code, though it is a barcode of another variant', { code: 'A' }, 'A@W1'],
    ['barcode, though it is a code of another variant', { barcode: 'A' }, 'C@W1'],
    ['external_ref, though it is a barcode of another variant', { external_ref: '860-B' }, 'C@W1'],
    ['barcode when the code is null', { code: null, barcode: '860-B' }, 'B@W1'],
    ['barcode when the code is empty', { code: '', barcode: '860-B' }, 'B@W1'],
    ['barcode when the code is blank', { code: ' \t', barcode: '860-B' }, 'B@W1'],
  ])('is found by %s', async (_, identifiers, shelf) => {
    await writeRows([{ warehouse_code: 'W1', qty: 1, ...identifiers }]);
    expect(await readOnHand()).toEqual({ [shelf]: 1 });
  });

  it.each([
    ['by its code in another case', { code: 'a' }],
    ['by its code with a space before it', { code: ' A' }],
    ['by its code with a space after it', { code: 'A ' }],
    ['by a pattern', { code: '%' }],
    ['in full-width letters', { code: 'Ａ' }],
    ['by the code of its product', { code: 'P' }],
    ['by its barcode in the field code', { code: '860-A' }],
    ['by its barcode in another case', { barcode: '860-a' }],
    ['by its barcode with a space', { barcode: '860-A ' }],
    ['by its reference in another case', { external_ref: 'REF-A' }],
    ['by its reference with a space', { external_ref: ' ref-a' }],
    ['without an identifier', {}],
    ['with null identifiers', { code: null, barcode: null, external_ref: null }],
    ['with empty identifiers', { code: '', barcode: '', external_ref: '' }],
  ])('is not found (VariantNotFound): %s', async (_, identifiers) => {
    expect(await expectRefused([{ warehouse_code: 'W1', qty: 1, ...identifiers }])).toEqual(['VariantNotFound']);
  });

  it('is found by the identifiers that POST /int/products has trimmed', async () => {
    const variants = [{ code: '\u00a0T1 ', barcode: ' T-b\t', external_ref: '\nt-r ' }];
    await shop.post('/int/products', { products: [{ code: 'T', name: 'T', variants }] });
    await writeRows([
      row({ code: 'T1' }),
      row({ code: null, barcode: 'T-b' }),
      row({ code: null, external_ref: 't-r' }),
    ]);
    expect(await readOnHand()).toEqual({ 'T1@W1': 3 });
  });

  it('is found whatever characters its identifiers contain', async () => {
    const codes = ['ЦИПЕЛА-42', 'čĐ', '鞋', '👟', "'; drop table stocks; --", '{"a":1}', '\\', 'a,b{}', 'NULL'];
    await shop.post('/int/products', {
      products: codes.map((code) => ({ code, name: code, variants: [{ code }] })),
    });
    await writeRows(codes.map((code) => row({ code })));
    expect(await readOnHand()).toEqual(Object.fromEntries(codes.map((code) => [`${code}@W1`, 1])));
  });
});

describe('the warehouse of a row of PUT /int/stocks', () => {
  it.each([
    ['an unknown code', 'W3'],
    ['in another case', 'w1'],
    ['with a space', 'W1 '],
    ['null', null],
    ['absent', undefined],
    ['empty', ''],
    ['blank', ' '],
    ['a number', 1],
    ['too long', 'W'.repeat(256)],
    ['NUL', 'W1\0'],
    ['half of a surrogate pair', 'W1\udfff'],
  ])('is not found (WarehouseNotFound): %s', async (_, code) => {
    await shop.put('/warehouse', { warehouses: [warehouse('x', { code: null })] });
    const stockRow = code === undefined ? { code: 'A', qty: 1 } : row({ warehouse_code: code });
    expect(await expectRefused([stockRow])).toEqual(['WarehouseNotFound']);
  });

  it('may be unsellable', async () => {
    await shop.put('/warehouse', { warehouses: [warehouse('W1', { sellable: false })] });
    await writeRows([row({ qty: 4 })]);
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 4, reserved: 0, available: 0 });
  });
});

describe('PUT /int/stocks with an invalid row', () => {
  const INVALID_QTY = [
    undefined,
    null,
    '1',
    '',
    true,
    [],
    [1],
    {},
    1.5,
    -0.1,
    1e10,
    -1e10,
    1e300,
    9_007_199_254_740_992,
  ];

  it.each(INVALID_QTY)('fails with InvalidQty for qty %j', async (qty) => {
    const stockRow = qty === undefined ? { code: 'A', warehouse_code: 'W1' } : row({ qty });
    expect(await expectRefused([stockRow])).toEqual(['InvalidQty']);
  });

  it.each(['1', true, {}, 0.5, -1, 1e10])('fails with InvalidQty for min_qty %j', async (min_qty) => {
    expect(await expectRefused([row({ min_qty })])).toEqual(['InvalidQty']);
  });

  it.each([null, 5, 'A', true, [], [row()]])('fails with VariantNotFound for the row %j', async (invalidRow) => {
    expect(await expectRefused([invalidRow])).toEqual(['VariantNotFound']);
  });

  it.each([
    ['a number', 5],
    ['a flag', true],
    ['a list', ['A']],
    ['an object', { code: 'A' }],
    ['too long', 'x'.repeat(256)],
    ['with NUL', 'A\0'],
    ['with half of a surrogate pair', '\ud800'],
  ])(
    'fails with VariantNotFound for an invalid identifier (%s), even if another identifier finds a variant',
    async (_, identifier) => {
      expect(
        await expectRefused([
          row({ code: identifier, barcode: '860-A' }),
          row({ barcode: identifier }),
          row({ external_ref: identifier }),
          row({ code: identifier }),
        ]),
      ).toEqual(Array.from({ length: 4 }, () => 'VariantNotFound'));
    },
  );

  it('returns failed rows as sent, with their reasons, and writes the other rows', async () => {
    const unknownRow = { code: 'none', warehouse_code: 'W1', qty: 1, note: { any: ['thing'] } };
    expect(
      await putRows([
        row({ qty: 2 }),
        unknownRow,
        row({ warehouse_code: 'none' }),
        null,
        row({ code: 'B', qty: 3 }),
        row({ qty: '4' }),
        row({ code: 'C', qty: -1 }),
      ]),
    ).toEqual({
      updated: 2,
      failed: [
        failedRow(1, unknownRow, 'API.Stocks.VariantNotFound'),
        failedRow(2, row({ warehouse_code: 'none' }), 'API.Stocks.WarehouseNotFound', 'warehouse_code'),
        failedRow(3, null, 'API.Stocks.VariantNotFound'),
        failedRow(5, row({ qty: '4' }), 'API.Stocks.InvalidQty', 'qty'),
        failedRow(6, row({ code: 'C', qty: -1 }), 'API.Stocks.NegativeStock', 'qty'),
      ],
    });
    expect(await readOnHand()).toEqual({ 'A@W1': 2, 'B@W1': 3 });
  });
});

describe('PUT /int/stocks beyond the limits', () => {
  it('fails with NegativeStock when on hand would become negative', async () => {
    await writeRows([row({ qty: 5 })]);
    expect(await expectRefused([row({ qty: -6 })])).toEqual(['NegativeStock']);
    expect(await expectRefused([row({ code: 'B', qty: -1 })])).toEqual(['NegativeStock']);
    expect(await expectRefused([row({ warehouse_code: 'W2', qty: -1 })])).toEqual(['NegativeStock']);
    await writeRows([row({ qty: -5 })]);
    expect(await readOnHand()).toEqual({ 'A@W1': 0 });
  });

  it('lets on hand become smaller than the reserved pieces', async () => {
    await stockShop(shop, [{ code: 'S', stock: 3 }]);
    await propose(shop, [{ code: 'S', qty: 2 }]);
    await putStock(shop, [row({ code: 'S', qty: -2 })]);
    expect(await stockOf(shop, 'S')).toEqual({ on_hand: 1, reserved: 2, available: 0 });
  });

  it('fails with InvalidQty when on hand would exceed 1,000,000,000', async () => {
    await writeRows([row({ qty: 1_000_000_000 })]);
    expect(await expectRefused([row({ qty: 1 })])).toEqual(['InvalidQty']);
    await writeRows([row({ qty: -1_000_000_000 })]);
    expect(await readOnHand()).toEqual({ 'A@W1': 0 });
  });
});

describe('PUT /int/stocks with one shelf in several rows', () => {
  it('adds the sum of rows that name one shelf by different identifiers', async () => {
    await writeRows([row({ qty: 2 }), row({ code: null, barcode: '860-A', qty: 3 }), row({ qty: -1 })]);
    expect(await readOnHand()).toEqual({ 'A@W1': 4 });
    expect(await readMovements()).toMatchObject([{ lines: { A: 4 } }]);
  });

  it('applies rows in input order, and fails those that would make stock negative', async () => {
    await writeRows([row({ qty: 5 })]);
    expect(await putRows([row({ qty: -7 }), row({ qty: 10 }), row({ qty: -14 }), row({ qty: -2 })])).toEqual({
      updated: 2,
      failed: [
        failedRow(0, row({ qty: -7 }), 'API.Stocks.NegativeStock', 'qty'),
        failedRow(3, row({ qty: -2 }), 'API.Stocks.NegativeStock', 'qty'),
      ],
    });
    expect(await readOnHand()).toEqual({ 'A@W1': 5 + 10 - 14 });
  });
});

describe('the minimum of PUT /int/stocks', () => {
  it('is min_qty of the row for a new shelf, by default 0', async () => {
    await writeRows([row({ min_qty: 7 }), row({ code: 'B', min_qty: null }), row({ code: 'C' })]);
    expect((await readShelves()).map(({ min_qty }) => min_qty)).toEqual([7, 0, 0]);
  });

  it('stays unchanged for an existing shelf', async () => {
    await writeRows([row({ min_qty: 7 })]);
    await writeRows([row({ min_qty: 9 }), row({ min_qty: 0 })]);
    expect(await readShelves()).toMatchObject([{ on_hand: 3, min_qty: 7 }]);
  });

  it('comes from the last row of a shelf', async () => {
    await writeRows([row({ min_qty: 7 }), row({ min_qty: 8 }), row(), row({ min_qty: null })]);
    expect(await readShelves()).toMatchObject([{ min_qty: 8 }]);
  });

  it('is ignored in a failed row', async () => {
    expect((await putRows([row({ qty: -1, min_qty: 7 }), row()])).updated).toBe(1);
    expect(await readShelves()).toMatchObject([{ min_qty: 0 }]);
  });
});

describe('the ledger of PUT /int/stocks', () => {
  it('adds up to the pieces on hand', async () => {
    for (const qty of [9, -4, 0, 2, -7]) await put([row({ qty }), row({ code: 'B', qty: -qty })]);
    const [{ sum }] = (await api.database.rows(
      `select sum(qty)::int from stock_movement_lines l join product_variants v on v.app_id = l.app_id and v.id = l.product_variant_id
       where l.app_id = $1 and v.code = 'A'`,
      [shop.appId],
    )) as [{ sum: number }];
    expect([sum, (await readOnHand())['A@W1']]).toEqual([0, 0]);
  });
});

describe('PUT /int/stocks with an unreadable body', () => {
  it.each([
    [{}],
    [{ stock: [row()] }],
    [{ stocks: null }],
    [{ stocks: row() }],
    [{ stocks: 'A' }],
    [{ stocks: { 0: row(), length: 1 } }],
    [[row()]],
  ])('answers 400 for %j and writes nothing', async (body) => {
    const { status, body: answer } = await shop.put('/int/stocks', body);
    expect([status, answer]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
    expect([await readShelves(), await readMovements()]).toEqual([[], []]);
  });

  it('answers 413 for more than 10,000 rows and writes nothing', async () => {
    const { status, body } = await put(Array.from({ length: 10_001 }, () => row()));
    expect([status, body]).toEqual([413, { errors: { detail: 'Request Entity Too Large' } }]);
    expect([await readShelves(), await readMovements()]).toEqual([[], []]);
  });
});

describe('PUT /int/stocks with many rows', () => {
  const manyRows = (count: number, qty = 1) =>
    Array.from({ length: count }, (_, index) => ({ code: `M${index}`, warehouse_code: `W${(index % 2) + 1}`, qty }));
  const addVariants = (count: number) =>
    shop.post('/int/products', {
      products: [{ code: 'M', name: 'M', variants: manyRows(count).map(({ code }) => ({ code })) }],
    });

  it('writes 1,000 rows with as many statements as one row', async () => {
    await addVariants(1_000);
    const countStatements = async (stocks: readonly object[]): Promise<number> => {
      api.statements.length = 0;
      await writeRows(stocks);
      return api.statements.length;
    };
    await writeRows([]);
    const statementsForOne = await countStatements(manyRows(1));
    expect(await countStatements(manyRows(1_000))).toBe(statementsForOne);
    expect(await countStatements(manyRows(1_000, -1))).toBe(statementsForOne);
  });

  it('writes 10,000 new and existing shelves', async () => {
    // Without statistics of this app, the planner would choose a slow plan.
    await gatherStatistics(api.database);
    await addVariants(10_000);
    await writeRows(manyRows(5_000, 2));
    await writeRows(manyRows(10_000, 3));
    const sums = await api.database.rows(
      'select on_hand, count(*)::int from stocks where app_id = $1 group by 1 order by 1',
      [shop.appId],
    );
    expect(sums).toEqual([3, 5].map((on_hand) => ({ on_hand, count: 5_000 })));
    expect(await readMovements()).toHaveLength(4);
  });
});

const INSERT_SHELF = `
  insert into stocks (app_id, product_variant_id, warehouse_id, on_hand, min_qty, updated_at)
  select $1, $2, id, 0, 0, now() from warehouses where app_id = $1 and code = 'W1'`;

const LOCK_SHELF = 'select from stocks where app_id = $1 and product_variant_id = $2 for update';

async function holdLock(text: string, values: readonly unknown[]): Promise<{ rollBack(): Promise<void> }> {
  let endTransaction = (): void => {};
  const endSignal = new Promise<void>((resolve) => (endTransaction = resolve));
  let transactionEnd = Promise.resolve();
  await new Promise<void>((resolveStart) => {
    const work = async (transaction: Transaction): Promise<void> => {
      await transaction.rows(text, values);
      resolveStart();
      await endSignal;
    };
    transactionEnd = api.database.transaction(work, { dryRun: true });
  });
  return {
    rollBack: () => {
      endTransaction();
      return transactionEnd;
    },
  };
}

/** A connection reports its statistics at most once a second, so the function waits before it reads them. */
async function countDeadlocks(): Promise<number> {
  await setTimeout(1_100);
  await Promise.all(Array.from({ length: 20 }, () => api.database.rows('select pg_sleep(0.01)')));
  const [statistics] = await api.database.rows<{ deadlocks: number }>(
    'select deadlocks from pg_stat_database where datname = current_database()',
  );
  return statistics?.deadlocks ?? Number.NaN;
}

describe('concurrent PUT /int/stocks', () => {
  const CALL_COUNT = 8;
  const codes = Array.from({ length: 100 }, (_, index) => `V${index}`);
  const everyShelf = codes.flatMap((code) => ['W1', 'W2'].map((warehouse_code) => ({ code, warehouse_code })));
  const shuffleShelves = (callIndex: number, qty: number) =>
    everyShelf
      .map((shelf, index) => ({ shelf, key: (index * (2 * callIndex + 3)) % 211 }))
      .sort((a, b) => a.key - b.key)
      .map(({ shelf }) => ({ ...shelf, qty }));

  beforeEach(() =>
    shop.post('/int/products', {
      products: [{ code: 'V', name: 'V', variants: codes.map((code) => ({ code })) }],
    }),
  );

  it('neither deadlocks nor loses additions, even on new shelves', async () => {
    for (const round of [1, 2]) {
      api.statements.length = 0;
      await writeRows([]);
      const statementCount = api.statements.length;
      api.statements.length = 0;
      await Promise.all(
        Array.from({ length: CALL_COUNT }, (_, callIndex) => writeRows(shuffleShelves(callIndex, callIndex + 1))),
      );
      // A transaction that ends in a deadlock runs again, so extra statements would show a deadlock.
      expect(api.statements).toHaveLength(CALL_COUNT * (statementCount + 3));
      const sum = ((CALL_COUNT * (CALL_COUNT + 1)) / 2) * round;
      expect(new Set(Object.values(await readOnHand()))).toEqual(new Set([sum]));
    }
    expect(Object.keys(await readOnHand())).toHaveLength(200);
  });

  it('does not deadlock when a call creates a new shelf', async () => {
    const deadlocksBefore = await countDeadlocks();
    await writeRows([row({ code: 'C' })]);
    const [a, b, c] = (await readVariantIds()) as [number, number, number];
    const newShelf = await holdLock(INSERT_SHELF, [shop.appId, a]);
    const firstCall = writeRows([row(), row({ code: 'B' })]);
    await waitUntil(async () => (await api.database.rows(LOCK_WAITS)).length === 1);
    await api.database.rows(INSERT_SHELF, [shop.appId, b]);
    const lastShelf = await holdLock(LOCK_SHELF, [shop.appId, c]);
    const secondCall = writeRows([row({ code: 'C' }), row({ code: 'B' }), row()]);
    await waitUntil(async () => (await api.database.rows(LOCK_WAITS)).length === 2);
    await newShelf.rollBack();
    // After the rollback, the first call needs a moment until it waits for its next lock.
    await setTimeout(200);
    await lastShelf.rollBack();
    await Promise.all([firstCall, secondCall]);
    expect(await readOnHand()).toEqual({ 'A@W1': 2, 'B@W1': 2, 'C@W1': 2 });
    expect((await countDeadlocks()) - deadlocksBefore).toBe(0);
  });

  it('does not delay proformas of other shelves', async () => {
    await stockShop(shop, [{ code: 'S', stock: 5 }]);
    await writeRows([row()]);
    const shelf = await holdLock(LOCK_SHELF, [shop.appId, (await readVariantIds())[0]]);
    const call = writeRows([row()]);
    await waitUntil(async () => (await api.database.rows(LOCK_WAITS)).length === 1);
    await propose(shop, [{ code: 'S', qty: 2 }]);
    expect(await api.database.rows(LOCK_WAITS)).toHaveLength(1);
    await shelf.rollBack();
    await call;
    expect(await stockOf(shop, 'S')).toEqual({ on_hand: 5, reserved: 2, available: 3 });
  });

  it('locks shelves in a fixed order', async () => {
    const orderedRows = [row(), row({ code: 'B' })];
    await writeRows(orderedRows);
    // PostgreSQL stores an updated row in a new place, so A is now after B.
    await writeRows([row()]);
    const lockStatement = 'select from stocks where app_id = $1 and product_variant_id = $2 for update skip locked';
    const [a, b] = (await readVariantIds()) as [number, number];
    let call: Promise<void> | undefined;
    await api.database.transaction(async (transaction) => {
      await transaction.rows(lockStatement, [shop.appId, a]);
      call = writeRows(orderedRows.toReversed());
      await waitUntil(async () => (await api.database.rows(LOCK_WAITS)).length > 0);
      expect(await transaction.rows(lockStatement, [shop.appId, b])).toHaveLength(1);
    });
    await call;
    expect(await readOnHand()).toEqual({ 'A@W1': 3, 'B@W1': 2 });
  });
});

describe('GET /stocks/aggregate', () => {
  const aggregate = async (query = '', client = shop) => {
    const { status, body } = await client.get(`/stocks/aggregate${query}`);
    expect([status, Object.keys(body)]).toEqual([200, ['data']]);
    return body.data;
  };
  const codesOf = async (query: string, client = shop): Promise<string[]> =>
    (await aggregate(query, client)).map(({ code }: { code: string }) => code);
  const readProductId = async (code: string, client = shop): Promise<number> =>
    (await client.get(`/products?code=${code}`)).body.data.id;

  it('shows on hand, reserved and available per variant and warehouse', async () => {
    await stockShop(shop, [{ code: 'S', stock: 5 }]);
    await writeRows([row({ code: 'S', warehouse_code: 'W2', qty: 2 })]);
    await propose(shop, [{ code: 'S', qty: 4 }]);
    expect(await aggregate('?code=S')).toEqual([
      {
        product_id: expect.any(Number),
        product_variant_id: expect.any(Number),
        code: 'S',
        on_hand: 7,
        reserved: 4,
        available: 3,
        warehouses: [
          { warehouse_id: expect.any(Number), warehouse_code: 'W1', on_hand: 5, reserved: 4, available: 1 },
          { warehouse_id: expect.any(Number), warehouse_code: 'W2', on_hand: 2, reserved: 0, available: 2 },
        ],
      },
    ]);
  });

  it('lists a variant without stock with zeros and no warehouse', async () => {
    const [variant] = await aggregate('?code=A');
    expect(variant).toMatchObject({ code: 'A', on_hand: 0, reserved: 0, available: 0, warehouses: [] });
  });

  it('counts unsellable stock as on hand, not as available', async () => {
    await writeRows([row({ qty: 3 }), row({ warehouse_code: 'W2', qty: 4 })]);
    await shop.put('/warehouse', { warehouses: [warehouse('W2', { sellable: false })] });
    expect((await aggregate('?code=A'))[0]).toMatchObject({
      on_hand: 7,
      available: 3,
      warehouses: [{ available: 3 }, { warehouse_code: 'W2', on_hand: 4, available: 0 }],
    });
  });

  it('filters by code, by barcode, by product_id and by all three', async () => {
    const [idOfP, idOfQ] = [await readProductId('P'), await readProductId('Q')];
    expect(await codesOf('?code=A')).toEqual(['A']);
    expect(await codesOf('?barcode=A')).toEqual(['C']);
    expect(await codesOf(`?productId=${idOfP}`)).toEqual(['A', 'B']);
    expect(await codesOf(`?productId=&product_id=${idOfQ}`)).toEqual(['C']);
    const { product_variant_id: variantId } = (await aggregate('?code=B'))[0] as { product_variant_id: number };
    expect(await codesOf(`?productVariantId=${variantId}`)).toEqual(['B']);
    expect(await codesOf('?warehouseId=987654321')).toEqual([]);
    expect(await codesOf(`?product_id=${idOfP}`)).toEqual(['A', 'B']);
    expect(await codesOf(`?code=B&barcode=860-B&product_id=${idOfP}`)).toEqual(['B']);
    expect(await codesOf(`?code=B&barcode=860-A`)).toEqual([]);
    expect(await codesOf(`?code=B&product_id=${idOfQ}`)).toEqual([]);
  });

  it.each(['code=a', 'code=A%20', 'code=%20A', 'barcode=860-a', 'barcode=860-A%20', 'code=P', 'code=%25'])(
    'finds nothing unless the text matches exactly: %s',
    async (query) => {
      expect(await codesOf(`?${query}`)).toEqual([]);
    },
  );

  it.each(['0', '-1', '987654321', '9007199254740993', '99999999999999999999'])(
    'finds nothing for the unknown product_id %s',
    async (id) => {
      expect(await codesOf(`?product_id=${id}`)).toEqual([]);
    },
  );

  it.each([
    'product_id=P',
    'productId=P',
    'productVariantId=1.5',
    'warehouseId=W1',
    'product_id=1.5',
    'product_id=1e3',
    'product_id=1&product_id=2',
    'product_id=%2B1',
    'code=A&code=B',
    'code[x]=A',
    'barcode[]=A',
    'code=A%00',
    'barcode=%00',
  ])('is answered 400 for %s', async (query) => {
    const { status, body } = await shop.get(`/stocks/aggregate?${query}`);
    expect([status, body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });

  it('has pages of 30 by default and 10,000 at most', async () => {
    const variants = Array.from({ length: 40 }, (_, index) => ({ code: `N${index}` }));
    await shop.post('/int/products', { products: [{ code: 'N', name: 'N', variants }] });
    const allCodes = ['A', 'B', 'C', ...variants.map(({ code }) => code)];
    expect(await codesOf('')).toEqual(allCodes.slice(0, 30));
    expect(await codesOf('?offset=30')).toEqual(allCodes.slice(30));
    expect(await codesOf('?offset=2&limit=3')).toEqual(allCodes.slice(2, 5));
    expect(await codesOf('?limit=10000')).toEqual(allCodes);
    for (const limit of ['10001', '99999999999999999999']) expect(await codesOf(`?limit=${limit}`)).toEqual(allCodes);
    for (const limit of ['0', '-1', 'x', '1.5', '', '5&limit=6']) {
      expect(await codesOf(`?limit=${limit}`)).toEqual(allCodes.slice(0, 30));
    }
    expect(await codesOf('?offset=-1&limit=2')).toEqual(['A', 'B']);
    expect(await codesOf('?offset=x&limit=2')).toEqual(['A', 'B']);
    expect(await codesOf('?offset=43')).toEqual([]);
    expect(await codesOf('?offset=999999999999999')).toEqual([]);
  });

  it('takes one statement for any number of variants', async () => {
    await aggregate('?limit=1');
    api.statements.length = 0;
    await aggregate('?limit=1');
    const statementsForOne = api.statements.length;
    await aggregate();
    expect(api.statements.length).toBe(2 * statementsForOne);
  });
});
