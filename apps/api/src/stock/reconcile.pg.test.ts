import { setTimeout } from 'node:timers/promises';
import { gatherStatistics } from '../testing/gather-statistics.js';
import { propose, putStock, stockOf, stockShop, warehouse } from '../testing/shop.js';
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
  const variants = [{ code: 'A', barcode: '860-A', external_ref: 'ref-a' }, { code: 'B' }, { code: 'C', barcode: 'A' }];
  await client.post('/int/products', { products: [{ code: 'P', name: 'P', variants }] });
}

interface ReconcileResult {
  readonly movement_id: number | null;
  readonly updated: number;
  readonly failed: readonly { readonly product: unknown; readonly error: string }[];
}

const post = (products: unknown, fields: object = {}, client = shop): Promise<Reply> =>
  client.post('/stock/reconcile', { warehouse_code: 'W1', products, ...fields });
const reconcileRows = async (
  products: readonly unknown[],
  fields: object = {},
  client = shop,
): Promise<ReconcileResult> => {
  const { status, body } = await post(products, fields, client);
  expect([status, Object.keys(body.data ?? body)]).toEqual([200, ['movement_id', 'updated', 'failed']]);
  return body.data;
};
const countStock = async (products: readonly unknown[], fields: object = {}, client = shop): Promise<number | null> => {
  const { movement_id, ...counts } = await reconcileRows(products, fields, client);
  expect(counts).toEqual({ updated: products.length, failed: [] });
  return movement_id;
};
const expectRefused = async (products: readonly unknown[]): Promise<string[]> => {
  const stockBefore = [await readOnHand(), await readMovements()];
  const { movement_id, updated, failed } = await reconcileRows(products);
  expect([movement_id, updated, failed.map(({ product }) => product)]).toEqual([null, 0, products]);
  expect([await readOnHand(), await readMovements()]).toEqual(stockBefore);
  return failed.map(({ error }) => error.replace(/^API\.Stocks\./, ''));
};

const readOnHand = async (client = shop): Promise<Record<string, number>> => {
  const rows = await api.database.rows<{ shelf: string; on_hand: number }>(
    `select v.code || '@' || w.code as shelf, s.on_hand
     from stocks s join product_variants v on v.app_id = s.app_id and v.id = s.product_variant_id join warehouses w on w.app_id = s.app_id and w.id = s.warehouse_id
     where s.app_id = $1 order by 1`,
    [client.appId],
  );
  return Object.fromEntries(rows.map(({ shelf, on_hand }) => [shelf, on_hand]));
};
const readMovements = () =>
  api.database.rows<{ id: number }>(
    `select m.id, m.kind, w.code as warehouse, m.reference, m.booked_at, (
       select json_object_agg(v.code, l.qty order by v.code) from stock_movement_lines l
       join product_variants v on v.app_id = $1 and v.id = l.product_variant_id
       where l.app_id = $1 and l.movement_id = m.id
     ) as lines
     from stock_movements m join warehouses w on w.app_id = m.app_id and w.id = m.warehouse_id where m.app_id = $1 order by m.id`,
    [shop.appId],
  );
const readLedger = async (): Promise<Record<string, number>> => {
  const rows = await api.database.rows<{ shelf: string; qty: number }>(
    `select v.code || '@' || w.code as shelf, sum(l.qty)::int as qty
     from stock_movement_lines l join stock_movements m on m.app_id = l.app_id and m.id = l.movement_id
     join product_variants v on v.app_id = l.app_id and v.id = l.product_variant_id
     join warehouses w on w.app_id = m.app_id and w.id = m.warehouse_id
     where l.app_id = $1 and m.kind in ('adjust', 'reconcile', 'ship') group by 1 order by 1`,
    [shop.appId],
  );
  return Object.fromEntries(rows.map(({ shelf, qty }) => [shelf, qty]));
};

const row = (fields: object = {}) => ({ sku: 'A', qty: 1, ...fields });
const stockRow = (qty: number, fields: object = {}) => ({ code: 'A', warehouse_code: 'W1', qty, ...fields });

describe('POST /stock/reconcile', () => {
  it('sets on hand to the count', async () => {
    await putStock(shop, [stockRow(10), stockRow(3, { code: 'B' })]);
    await countStock([row({ qty: 4 }), row({ sku: 'B', qty: 9 }), row({ sku: 'C', qty: 5 })]);
    expect(await readOnHand()).toEqual({ 'A@W1': 4, 'B@W1': 9, 'C@W1': 5 });
  });

  it('accepts a count below the reserved pieces', async () => {
    await stockShop(shop, [{ code: 'S', stock: 5 }]);
    await propose(shop, [{ code: 'S', qty: 4 }]);
    await countStock([row({ sku: 'S', qty: 1 })]);
    expect(await stockOf(shop, 'S')).toEqual({ on_hand: 1, reserved: 4, available: 0 });
    await countStock([row({ sku: 'S', qty: 6 })]);
    expect(await stockOf(shop, 'S')).toEqual({ on_hand: 6, reserved: 4, available: 2 });
  });

  it('accepts counts for a warehouse that does not sell', async () => {
    await shop.put('/warehouse', { warehouses: [warehouse('W1', { sellable: false })] });
    await countStock([row({ qty: 4 })]);
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 4, reserved: 0, available: 0 });
  });

  it('keeps the minimum of a shelf', async () => {
    await putStock(shop, [stockRow(1, { min_qty: 7 })]);
    await countStock([row({ qty: 5 })]);
    expect(await api.database.rows('select min_qty from stocks where app_id = $1', [shop.appId])).toEqual([
      { min_qty: 7 },
    ]);
  });

  it('does nothing for an empty list', async () => {
    expect(await countStock([])).toBeNull();
    expect(await readMovements()).toEqual([]);
  });

  it('ignores unknown fields', async () => {
    await countStock([row({ qty: 2, code: 'B', barcode: '860-A', on_hand: 99, warehouse_code: 'W2' })], { id: 5 });
    expect(await readOnHand()).toEqual({ 'A@W1': 2 });
  });
});

describe('matching by POST /stock/reconcile', () => {
  it.each([
    ['unknown', 'none'],
    ['in another case', 'a'],
    ['with a space before it', ' A'],
    ['with a space after it', 'A '],
    ['a pattern', '%'],
    ['a barcode', '860-A'],
    ['a reference', 'ref-a'],
    ['a code of a product', 'P'],
    ['absent', undefined],
    ['null', null],
    ['empty', ''],
    ['blank', ' \t'],
    ['a number', 5],
    ['a list', ['A']],
    ['too long', 'A'.repeat(256)],
    ['with NUL', 'A\0'],
    ['with half of a surrogate pair', '\ud800'],
  ])('fails an entry whose SKU is %s', async (_, sku) => {
    expect(await expectRefused([sku === undefined ? { qty: 1 } : row({ sku })])).toEqual(['VariantNotFound']);
  });

  it.each(['W3', 'w1', ' W1', 'W1 ', '%'])(
    'answers 404 and writes nothing for the unknown warehouse %s',
    async (code) => {
      const { status, body } = await post([row()], { warehouse_code: code });
      expect([status, body]).toEqual([404, { errors: { Warehouses: ['API.Warehouses.NotFound'] } }]);
      expect(await readOnHand()).toEqual({});
    },
  );

  it('does not find a deleted warehouse', async () => {
    await shop.put('/warehouse', { warehouses: [{ code: 'W1', delete: true }] });
    expect((await post([row()])).status).toBe(404);
  });

  it('translates the key of an unknown warehouse', async () => {
    await shop.patch('/app/settings', {
      translations: {
        en: { 'API.Warehouses.NotFound': 'No such warehouse', 'API.Stocks.VariantNotFound': 'No such SKU' },
      },
    });
    expect((await post([], { warehouse_code: 'W3' })).body).toEqual({ errors: { Warehouses: ['No such warehouse'] } });
    expect((await reconcileRows([row({ sku: 'none' })])).failed).toMatchObject([{ error: 'No such SKU' }]);
  });
});

describe('POST /stock/reconcile with failed entries', () => {
  it('lists failed entries as sent, with their reasons, and writes the other entries', async () => {
    const unknownRow = { sku: 'none', qty: 1, note: { any: ['thing'] } };
    const rows = [row({ qty: 2 }), unknownRow, null, row({ sku: 'B', qty: 3 }), row({ qty: '4' }), 5];
    const { movement_id, ...result } = await reconcileRows(rows);
    expect(movement_id).toEqual(expect.any(Number));
    expect(result).toEqual({
      updated: 2,
      failed: [
        { product: unknownRow, error: 'API.Stocks.VariantNotFound', index: 1, field: null, on_hand: null },
        { product: null, error: 'API.Stocks.VariantNotFound', index: 2, field: null, on_hand: null },
        { product: row({ qty: '4' }), error: 'API.Stocks.InvalidQty', index: 4, field: 'qty', on_hand: null },
        { product: 5, error: 'API.Stocks.VariantNotFound', index: 5, field: null, on_hand: null },
      ],
    });
    expect(await readOnHand()).toEqual({ 'A@W1': 2, 'B@W1': 3 });
  });

  it.each([undefined, null, '1', '', true, [1], {}, 1.5, -1, 1e10, 1e300])(
    'fails with InvalidQty for qty %j',
    async (qty) => {
      expect(await expectRefused([qty === undefined ? { sku: 'A' } : row({ qty })])).toEqual(['InvalidQty']);
    },
  );

  it('ignores a failed row beside a valid one of the same SKU', async () => {
    await putStock(shop, [stockRow(10)]);
    expect(await reconcileRows([row({ qty: 4 }), row({ qty: -1 })])).toMatchObject({ updated: 1, failed: [{}] });
    expect(await readOnHand()).toEqual({ 'A@W1': 4 });
  });
});

describe('expected_qty of POST /stock/reconcile', () => {
  it('fails a row when another number of pieces is on hand, and shows that number', async () => {
    await reconcileRows([row({ qty: 5 }), row({ sku: 'B', qty: 6 })]);
    const stale = row({ qty: 1, expected_qty: 4 });
    expect(await reconcileRows([stale, row({ sku: 'B', qty: 2, expected_qty: 6 })])).toMatchObject({
      updated: 1,
      failed: [{ product: stale, error: 'API.Stocks.ExpectedQtyDiffers', index: 0, field: 'expected_qty', on_hand: 5 }],
    });
    expect(await readOnHand()).toEqual({ 'A@W1': 5, 'B@W1': 2 });
  });

  it('may be null or absent, and must otherwise be a number of pieces', async () => {
    expect((await reconcileRows([row({ qty: 1, expected_qty: null })])).failed).toEqual([]);
    for (const expected_qty of ['1', -1, 1.5, true, 1e10])
      expect((await reconcileRows([row({ qty: 1, expected_qty })])).failed).toMatchObject([
        { error: 'API.Stocks.InvalidQty', field: 'expected_qty' },
      ]);
  });
});

describe('POST /stock/reconcile with an invalid body', () => {
  it.each([
    ['absent', undefined, "can't be blank"],
    ['null', null, "can't be blank"],
    ['empty', '', "can't be blank"],
    ['blank', ' ', "can't be blank"],
    ['too long', 'W'.repeat(256), 'is too long'],
    ['with NUL', 'W1\0', 'is invalid'],
  ])('refuses a warehouse_code that is %s', async (_, code, rule) => {
    const { status, body } = await post([row()], { warehouse_code: code });
    expect([status, body]).toEqual([422, { errors: { warehouse_code: [rule] } }]);
  });

  it.each([
    [{ warehouse_code: 'W1' }],
    [{ warehouse_code: 'W1', products: null }],
    [{ warehouse_code: 'W1', products: { 0: row() } }],
    [{ warehouse_code: 'W1', products: 'A' }],
    [{ warehouse_code: 5, products: [row()] }],
    [{ products: null }],
    [{}],
  ])('answers 400 for %j', async (body) => {
    const { status, body: answer } = await shop.post('/stock/reconcile', body);
    expect([status, answer]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });

  it('answers 413 for more than 10,000 rows and writes nothing', async () => {
    const { status } = await post(Array.from({ length: 10_001 }, () => row()));
    expect([status, await readOnHand()]).toEqual([413, {}]);
  });
});

describe('POST /stock/reconcile with many rows', () => {
  const manyRows = (count: number, qty: number) =>
    Array.from({ length: count }, (_, index) => ({ sku: `M${index}`, qty }));
  const addCatalogue = (count: number) =>
    shop.post('/int/products', {
      products: [{ code: 'M', name: 'M', variants: manyRows(count, 0).map(({ sku }) => ({ code: sku })) }],
    });

  it('writes 10,000 rows with as many statements as one row', async () => {
    // Without statistics of this app, the planner would choose a slow plan.
    await gatherStatistics(api.database);
    await addCatalogue(10_000);
    const countStatements = async (products: readonly object[]): Promise<number> => {
      api.statements.length = 0;
      await countStock(products);
      return api.statements.length;
    };
    await countStock([]);
    const statementsForOne = await countStatements(manyRows(1, 7));
    expect(statementsForOne).toBe(7);
    expect(await countStatements(manyRows(10_000, 3))).toBe(statementsForOne);
    expect(await countStatements(manyRows(10_000, 2))).toBe(statementsForOne);
    const sums = await api.database.rows(
      'select on_hand, count(*)::int from stocks where app_id = $1 group by 1 order by 1',
      [shop.appId],
    );
    expect(sums).toEqual([{ on_hand: 2, count: 10_000 }]);
    expect(await readMovements()).toHaveLength(3);
  });
});

describe('concurrent POST /stock/reconcile', () => {
  const CALL_COUNT = 6;
  const codes = Array.from({ length: 100 }, (_, index) => `V${index}`);
  const shuffleCodes = (callIndex: number): string[] =>
    codes
      .map((code, index) => ({ code, key: (index * (2 * callIndex + 3)) % 211 }))
      .sort((a, b) => a.key - b.key)
      .map(({ code }) => code);
  const reconcile = (callIndex: number, qty: number) =>
    countStock(shuffleCodes(callIndex).map((sku) => ({ sku, qty })));
  const addStock = async (callIndex: number, qty: number): Promise<void> => {
    const shelves = shuffleCodes(callIndex).flatMap((code) =>
      ['W1', 'W2'].map((warehouse_code) => ({ code, warehouse_code, qty })),
    );
    const { body } = await shop.put('/int/stocks', { stocks: shelves });
    expect(body.data).toEqual({ updated: shelves.length, failed: [] });
  };
  const countStatementsWith = (part: string): number => api.statements.filter((text) => text.includes(part)).length;

  beforeEach(() =>
    shop.post('/int/products', {
      products: [{ code: 'V', name: 'V', price: 9, vat_rate: 20, variants: codes.map((code) => ({ code })) }],
    }),
  );

  it('runs calls for one warehouse one after another', async () => {
    await Promise.all(Array.from({ length: CALL_COUNT }, (_, callIndex) => reconcile(callIndex, callIndex + 1)));
    const qty = new Set(Object.values(await readOnHand()));
    expect(qty.size).toBe(1);
    expect([...qty][0]).toBeLessThanOrEqual(CALL_COUNT);
    expect(await readLedger()).toEqual(await readOnHand());
  });

  it('waits for a call that adds stock, and then counts the new shelves of that call', async () => {
    let call: Promise<number | null> | undefined;
    await api.database.transaction(async (transaction) => {
      await transaction.rows(`select from warehouses where app_id = $1 and code = 'W1' for no key update`, [
        shop.appId,
      ]);
      await transaction.rows(
        `insert into stocks (app_id, product_variant_id, warehouse_id, on_hand, updated_at)
         select v.app_id, v.id, w.id, 5, $2 from product_variants v join warehouses w on w.app_id = v.app_id
         where v.app_id = $1 and v.code = 'A' and w.code = 'W1'`,
        [shop.appId, api.clock.now()],
      );
      call = countStock([row({ qty: 3 })]);
      while ((await api.database.rows(LOCK_WAITS)).length === 0) await setTimeout(10);
    });
    await call;
    expect(await readOnHand()).toEqual({ 'A@W1': 3 });
    expect(await readMovements()).toMatchObject([{ lines: { A: -2 } }]);
  });

  it('neither deadlocks with PUT /int/stocks nor loses additions', async () => {
    for (const round of [1, 2]) {
      api.statements.length = 0;
      await Promise.all(
        Array.from({ length: CALL_COUNT }, (_, callIndex) => [
          reconcile(callIndex, 1_000 * (callIndex + 1)),
          addStock(callIndex, 1),
        ]).flat(),
      );
      // A transaction that ends in a deadlock runs again, so extra statements would show a deadlock.
      expect(countStatementsWith('from warehouses')).toBe(2 * CALL_COUNT);
      const stockAfter = await readOnHand();
      const counts = Object.entries(stockAfter).filter(([shelf]) => shelf.endsWith('@W1'));
      expect(new Set(counts.map(([, qty]) => qty)).size).toBe(1);
      expect((counts[0]?.[1] ?? 0) % 1_000).toBeLessThanOrEqual(CALL_COUNT);
      expect(counts[0]?.[1]).toBeGreaterThanOrEqual(1_000);
      expect(
        Object.entries(stockAfter).filter(([shelf, qty]) => shelf.endsWith('@W2') && qty === CALL_COUNT * round),
      ).toHaveLength(codes.length);
      expect(await readLedger()).toEqual(stockAfter);
    }
  });

  it('accounts for every piece under concurrent reservations', async () => {
    await putStock(
      shop,
      codes.map((code) => ({ code, warehouse_code: 'W1', qty: 50 })),
    );
    const proformas = Array.from({ length: CALL_COUNT }, (_, callIndex) =>
      propose(
        shop,
        shuffleCodes(callIndex)
          .slice(0, 20)
          .map((code) => ({ code, qty: 1 })),
      ),
    );
    await Promise.all([
      ...proformas,
      ...Array.from({ length: CALL_COUNT }, (_, callIndex) => reconcile(callIndex, 40 + callIndex)),
    ]);
    const [sums] = await api.database.rows<{ reserved: number; lines: number }>(
      `select (select sum(reserved)::int from stocks where app_id = $1) as reserved,
         (select sum(qty)::int from stock_reservations where app_id = $1) as lines`,
      [shop.appId],
    );
    expect(sums).toEqual({ reserved: CALL_COUNT * 20, lines: CALL_COUNT * 20 });
    expect(await readLedger()).toEqual(await readOnHand());
  });
});
