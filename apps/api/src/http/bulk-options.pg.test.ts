import { watchWrites, type WriteCounters } from '../testing/write-counters.js';
import { propose, putStock, stockOf, warehouse } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;
let readWriteCounters: () => Promise<WriteCounters>;

beforeAll(async () => {
  api = await testApi();
  readWriteCounters = await watchWrites(api.database);
  // Ids of different tables must differ, so that a mix-up of ids fails the test.
  for (const [index, table] of [
    'warehouses',
    'products',
    'product_variants',
    'product_attribute_defs',
    'app_locations',
    'orders',
  ].entries()) {
    await api.database.source.query(`alter table ${table} alter column id restart with ${(index + 1) * 1_000_000}`);
  }
});
afterAll(() => api.close());

let ids: Record<string, number>;
let order: { readonly id: number; readonly data_part: number; readonly time_part: number };

beforeEach(async () => {
  shop = await api.app();
  await shop.put('/warehouse', { warehouses: [warehouse('W1'), warehouse('W2')] });
  await shop.post('/int/products', {
    products: [
      {
        code: 'P',
        name: 'P',
        price: 100,
        vat_rate: 20,
        variants: [
          { code: 'A', barcode: 'bar-a', external_ref: 'ref-a' },
          { code: 'B', barcode: 'bar-b', external_ref: 'ref-b' },
        ],
      },
      { code: 'Q', name: 'Q', variants: [{ code: 'C', barcode: 'bar-c', external_ref: 'ref-c' }] },
    ],
  });
  await putStock(shop, [{ code: 'A', warehouse_code: 'W1', qty: 10 }]);
  await shop.put('/int/product_attributes', {
    product_attributes: [{ code: 'A', attributes: [{ external_ref: 'material', value: 'cotton' }] }],
  });
  await shop.post('/int/app_locations', {
    app_locations: [locationOf('L', { external_ref: 'ref-l' }), locationOf('L2')],
  });
  const proforma = await propose(shop, [{ code: 'A', qty: 2 }]);
  order = (await shop.post(`/proforma_orders/${proforma.id}/convert`)).body.data;
  const tableQueries = ['warehouses', 'products', 'product_variants', 'app_locations'].map(
    (table) => `select id, code from ${table} where app_id = $1`,
  );
  const definitionsQuery = 'select id, external_ref from product_attribute_defs where app_id = $1';
  const rows = await api.database.rows<{ id: number; code: string }>(
    [...tableQueries, definitionsQuery].join(' union all '),
    [shop.appId],
  );
  ids = Object.fromEntries(rows.map(({ id, code }) => [code, id]));
});

const locationOf = (code: string, overrides: object = {}) => ({
  code,
  name: code,
  latitude: 44.8,
  longitude: 20.4,
  ...overrides,
});
const orderIdentifier = () => ({ id: order.id, data_part: order.data_part, time_part: order.time_part });

interface Match {
  readonly record: string;
  readonly identifier: string | null;
  readonly id: number | null;
  readonly others: readonly { readonly identifier: string; readonly value: unknown; readonly id: number | null }[];
}

const foundMatch = (
  record: string,
  identifier: string,
  id: number | null | undefined,
  others: Match['others'] = [],
): Match => ({
  record,
  identifier,
  id: id ?? null,
  others,
});
const missingMatch = (record: string): Match => ({ record, identifier: null, id: null, others: [] });
const otherMatch = (identifier: string, value: unknown, id: number | null | undefined) => ({
  identifier,
  value,
  id: id ?? null,
});

const matchesOf = (reply: Reply): Match[][] => {
  expect([reply.status, Object.keys(reply.body)]).toEqual([200, ['data', 'explain']]);
  return reply.body.explain.map((row: { matches: Match[] }) => {
    expect(Object.keys(row)).toEqual(['matches']);
    return row.matches;
  });
};

const CALLS_BY_NAME = {
  'POST /int/products': (query: string) =>
    shop.post(`/int/products${query}`, {
      products: [
        { code: 'P', name: 'Renamed' },
        { code: 'N', name: 'N', variants: [{ code: 'N-1' }] },
      ],
    }),
  'PUT /int/stocks': (query: string) =>
    shop.put(`/int/stocks${query}`, {
      stocks: [
        { code: 'A', warehouse_code: 'W1', qty: 5 },
        { code: 'B', warehouse_code: 'W2', qty: 1 },
      ],
    }),
  'POST /stock/reconcile': (query: string) =>
    shop.post(`/stock/reconcile${query}`, {
      warehouse_code: 'W1',
      products: [
        { sku: 'A', qty: 3 },
        { sku: 'B', qty: 2 },
      ],
    }),
  'PUT /warehouse': (query: string) =>
    shop.put(`/warehouse${query}`, {
      warehouses: [warehouse('W1', { name: 'Renamed' }), warehouse('W3'), { code: 'W2', delete: true }],
    }),
  'PUT /int/product_attributes': (query: string) =>
    shop.put(`/int/product_attributes${query}`, {
      product_attributes: [
        {
          code: 'A',
          attributes: [
            { external_ref: 'material', value: 'wool' },
            { external_ref: 'size', value: 'M' },
          ],
        },
      ],
    }),
  'POST /int/app_locations': (query: string) =>
    shop.post(`/int/app_locations${query}`, {
      app_locations: [locationOf('L', { city: 'Novi Sad' }), locationOf('L3'), locationOf('L3', { city: 'Niš' })],
    }),
  'PUT /orders/bulk_update': (query: string) =>
    shop.put(`/orders/bulk_update${query}`, {
      orders: [{ ...orderIdentifier(), delivery_status_id: 2, invoice_number: 'F-1' }],
    }),
} as const;
type CallName = keyof typeof CALLS_BY_NAME;
const CALL_NAMES = Object.keys(CALLS_BY_NAME) as CallName[];
const verifyProducts = (query: string) =>
  shop.post(`/product/verify${query}`, { products: [{ code: 'A' }, { code: 'none' }] });

const detectWrite = async (call: () => Promise<Reply>): Promise<[Reply, boolean]> => {
  const counterBefore = (await readWriteCounters()).get(shop.appId);
  const reply = await call();
  return [reply, (await readWriteCounters()).get(shop.appId) !== counterBefore];
};

describe('explain=true', () => {
  it('on POST /int/products explains the product and each variant', async () => {
    const products = [
      {
        id: ids['P'],
        code: 'P',
        variants: [{ barcode: 'bar-b' }, { code: 'N-1' }, { code: 'A', barcode: null, external_ref: 'ref-c' }],
      },
      {
        code: 'P',
        variants: [
          { code: 'B', external_ref: 'unknown' },
          { code: 'A', barcode: 'bar-b' },
        ],
      },
      { code: 'N', name: 'N', variants: [{ code: 'N-2' }] },
      { code: 'N', variants: [{ code: 'N-2' }] },
      { code: 'Q', variants: [{ code: 'A' }, { code: 'C' }] },
      { id: ids['Q'], code: 'P' },
      null,
      { code: 'Z' },
    ];
    const reply = await shop.post('/int/products?explain=true', { products });
    const [, createdProduct] = reply.body.data.products;
    expect(reply.body.data.failed.map(({ error }: { error: object }) => error)).toMatchObject([
      { message: 'API.Products.ExternalRefAlreadyExists' },
      { message: 'API.Products.BarcodeAlreadyExists' },
      { message: 'API.Products.VariantOfAnotherProduct' },
      { message: 'API.Products.CodeAlreadyExists' },
      { message: 'API.Products.WrongDataType' },
      { message: 'API.Products.NameCantBeBlank' },
    ]);
    const newIds = [createdProduct.id, createdProduct.variants[0].id];
    expect(newIds).toEqual([expect.any(Number), expect.any(Number)]);
    expect(matchesOf(reply)).toEqual([
      [
        foundMatch('product', 'id', ids['P']),
        foundMatch('variant', 'barcode', ids['B']),
        missingMatch('variant'),
        foundMatch('variant', 'code', ids['A'], [otherMatch('external_ref', 'ref-c', ids['C'])]),
      ],
      [
        foundMatch('product', 'code', ids['P']),
        foundMatch('variant', 'code', ids['B']),
        foundMatch('variant', 'code', ids['A'], [otherMatch('barcode', 'bar-b', ids['B'])]),
      ],
      [missingMatch('product'), missingMatch('variant')],
      [foundMatch('product', 'code', newIds[0]), foundMatch('variant', 'code', newIds[1])],
      [
        foundMatch('product', 'code', ids['Q']),
        foundMatch('variant', 'code', ids['A']),
        foundMatch('variant', 'code', ids['C']),
      ],
      [foundMatch('product', 'id', ids['Q'], [otherMatch('code', 'P', ids['P'])])],
      [],
      [missingMatch('product')],
    ]);
  });

  it('on POST /int/products explains a barcode that another variant keeps', async () => {
    const products = [
      { code: 'Q', variants: [{ code: 'C', barcode: 'bar-a' }] },
      { code: 'P', variants: [{ code: 'A' }] },
    ];
    const reply = await shop.post('/int/products?explain=1', { products });
    expect(reply.body.data.failed).toMatchObject([{ error: { message: 'API.Products.BarcodeAlreadyExists' } }]);
    expect(matchesOf(reply)).toEqual([
      [
        foundMatch('product', 'code', ids['Q']),
        foundMatch('variant', 'code', ids['C'], [otherMatch('barcode', 'bar-a', ids['A'])]),
      ],
      [foundMatch('product', 'code', ids['P']), foundMatch('variant', 'code', ids['A'])],
    ]);
  });

  it('on PUT /int/stocks explains the variant and the warehouse', async () => {
    const stocks = [
      { code: 'A', barcode: 'bar-b', external_ref: 'ref-c', warehouse_code: 'W1', qty: 1 },
      { code: 'none', barcode: 'bar-b', external_ref: 'ref-b', warehouse_code: 'W2', qty: 1 },
      { external_ref: 'ref-c', warehouse_code: 'none', qty: 1 },
      { code: 'none', warehouse_code: 'W1', qty: 1 },
      { code: 'C', warehouse_code: 'W1', qty: -1 },
      { code: 'A', warehouse_code: 'W1', qty: 'x' },
    ];
    const reply = await shop.put('/int/stocks?explain=true', { stocks });
    expect(reply.body.data).toMatchObject({ updated: 2, failed: [{}, {}, {}, {}] });
    const others = [otherMatch('barcode', 'bar-b', ids['B']), otherMatch('external_ref', 'ref-c', ids['C'])];
    expect(matchesOf(reply)).toEqual([
      [foundMatch('variant', 'code', ids['A'], others), foundMatch('warehouse', 'code', ids['W1'])],
      [foundMatch('variant', 'barcode', ids['B']), foundMatch('warehouse', 'code', ids['W2'])],
      [foundMatch('variant', 'external_ref', ids['C']), missingMatch('warehouse')],
      [missingMatch('variant'), foundMatch('warehouse', 'code', ids['W1'])],
      [foundMatch('variant', 'code', ids['C']), foundMatch('warehouse', 'code', ids['W1'])],
      [],
    ]);
  });

  it('on PUT /warehouse explains the warehouse', async () => {
    const warehouses = [
      warehouse('W1'),
      { ...warehouse('x'), code: undefined, id: ids['W2'] },
      { ...warehouse('W1'), id: ids['W1'] },
      warehouse('W3'),
      warehouse('W3', { name: 'again' }),
      { code: 'W2', delete: true },
    ];
    const reply = await shop.put('/warehouse?explain=true', { warehouses });
    const createdId = reply.body.data.warehouses[3].id;
    expect(createdId).toEqual(expect.any(Number));
    expect(matchesOf(reply)).toEqual([
      [foundMatch('warehouse', 'code', ids['W1'])],
      [foundMatch('warehouse', 'id', ids['W2'])],
      [foundMatch('warehouse', 'code', ids['W1'])],
      [missingMatch('warehouse')],
      [foundMatch('warehouse', 'code', createdId)],
      [foundMatch('warehouse', 'code', ids['W2'])],
    ]);
  });

  it('on PUT /int/product_attributes explains the variant and the definitions', async () => {
    const attributes = [
      { external_ref: 'material', value: 'x' },
      { external_ref: 'size', value: 'M' },
    ];
    const product_attributes = [
      { code: 'A', barcode: 'bar-c', attributes },
      { external_ref: 'ref-c', attributes: attributes.toReversed() },
    ];
    const reply = await shop.put('/int/product_attributes?explain=true', { product_attributes });
    const [, size] = (await shop.get('/product_attribute_defs')).body.data;
    const definition = 'product_attribute_def';
    expect(matchesOf(reply)).toEqual([
      [
        foundMatch('variant', 'code', ids['A'], [otherMatch('barcode', 'bar-c', ids['C'])]),
        foundMatch(definition, 'external_ref', ids['material']),
        missingMatch(definition),
      ],
      [
        foundMatch('variant', 'external_ref', ids['C']),
        foundMatch(definition, 'external_ref', size.id),
        foundMatch(definition, 'external_ref', ids['material']),
      ],
    ]);
  });

  it('on PUT /orders/bulk_update matches an order only with both parts', async () => {
    const orders = [
      { ...orderIdentifier(), invoice_number: 'F-1' },
      { ...orderIdentifier(), time_part: order.time_part + 1 },
      { ...orderIdentifier(), id: 987_654_321 },
      { ...orderIdentifier(), delivery_status_id: 9 },
      null,
    ];
    const reply = await shop.put('/orders/bulk_update?explain=true', { orders });
    expect(reply.body.data).toMatchObject({ updated: 1, failed: [{}, {}, {}, {}] });
    expect(matchesOf(reply)).toEqual([
      [foundMatch('order', 'id', order.id)],
      [missingMatch('order')],
      [missingMatch('order')],
      [],
      [],
    ]);
  });

  it('on POST /product/verify explains the product when no variant matches', async () => {
    const products = [
      { code: ' a ', barcode: 'BAR-C' },
      { code: 'none', barcode: 'bar-b' },
      { code: 'p' },
      { code: 'none' },
      { code: 'A', barcode: 'bar-a' },
    ];
    const reply = await shop.post('/product/verify?explain=true', { products });
    expect(matchesOf(reply)).toEqual([
      [foundMatch('variant', 'code', ids['A'], [otherMatch('barcode', 'BAR-C', ids['C'])])],
      [foundMatch('variant', 'barcode', ids['B'])],
      [missingMatch('variant'), foundMatch('product', 'code', ids['P'])],
      [missingMatch('variant'), missingMatch('product')],
      [foundMatch('variant', 'code', ids['A'])],
    ]);
  });

  it.each(CALL_NAMES)('on %s adds `explain` only when requested', async (name) => {
    expect(Object.keys((await CALLS_BY_NAME[name]('?dry_run=true&explain=true')).body)).toEqual(['data', 'explain']);
    for (const query of ['?dry_run=true', '?dry_run=1&explain=false', '?dry_run=true&explain=0', '?dry_run=false']) {
      const { body } = await CALLS_BY_NAME[name](query);
      expect(Object.keys(body)).toEqual(['data']);
    }
  });

  it('is replayed under the same Idempotency-Key', async () => {
    const call = (client: Client) =>
      client.put('/int/stocks?explain=true', { stocks: [{ code: 'A', warehouse_code: 'W1', qty: 1 }] });
    const [firstReply, secondReply] = [await call(shop.keyed('k')), await call(shop.keyed('k'))];
    expect(secondReply.text).toBe(firstReply.text);
    expect(matchesOf(secondReply)).toHaveLength(1);
    expect((await stockOf(shop, 'A')).on_hand).toBe(11);
  });
});

describe('dry_run=true', () => {
  it.each(CALL_NAMES)('on %s writes nothing and answers as the real call does', async (name) => {
    const [dryRun, hasWritten] = await detectWrite(() => CALLS_BY_NAME[name]('?dry_run=true&explain=true'));
    expect([dryRun.status, hasWritten]).toEqual([200, false]);
    const [realReply, realCallHasWritten] = await detectWrite(() => CALLS_BY_NAME[name]('?explain=true'));
    expect(realCallHasWritten).toBe(true);
    const existingIds = new Set([...Object.values(ids), order.id]);
    const realBodyWithoutNewIds = JSON.parse(JSON.stringify(realReply.body), (key, value: unknown) =>
      (key === 'id' || key === 'movement_id') && !existingIds.has(value as number) ? null : value,
    ) as object;
    expect(dryRun.body).toEqual(realBodyWithoutNewIds);
  });

  it('on POST /int/products returns no ids for new records, also in later rows', async () => {
    const products = [
      { code: 'N', name: 'N', variants: [{ code: 'N-1' }] },
      { code: 'N', variants: [{ code: 'N-1' }, { code: 'N-2' }] },
      { code: 'P', variants: [{ code: 'P-9' }] },
    ];
    const { data } = (await shop.post('/int/products?dry_run=1', { products })).body;
    const variant = (code: string, created: boolean) => ({
      id: null,
      code,
      barcode: null,
      external_ref: null,
      created,
      matched_by: created ? null : 'code',
    });
    expect(data).toEqual({
      products: [
        { id: null, code: 'N', created: true, variants: [variant('N-1', true)] },
        { id: null, code: 'N', created: false, variants: [variant('N-1', false), variant('N-2', true)] },
        { id: ids['P'], code: 'P', created: false, variants: [variant('P-9', true)] },
      ],
      failed: [],
    });
  });

  it('on PUT /int/product_attributes counts new definitions without returning ids for them', async () => {
    const attribute = (external_ref: string, value: string) => ({ external_ref, value });
    const product_attributes = [
      { code: 'A', attributes: [attribute('size', 'M'), attribute('material', 'wool')] },
      { code: 'C', attributes: [attribute('size', 'L'), attribute('fit', 'slim')] },
    ];
    const call = (query: string) => shop.put(`/int/product_attributes${query}`, { product_attributes });
    const [{ status, body }, hasWritten] = await detectWrite(() => call('?dry_run=true&explain=true'));
    expect([status, hasWritten]).toEqual([200, false]);
    expect(body.data).toEqual({ products: 2, definitions_created: 2 });
    const definitionRecord = 'product_attribute_def';
    expect(body.explain).toEqual([
      {
        matches: [
          foundMatch('variant', 'code', ids['A']),
          missingMatch(definitionRecord),
          foundMatch(definitionRecord, 'external_ref', ids['material']),
        ],
      },
      // The second row matches the definition that the first row would create.
      {
        matches: [
          foundMatch('variant', 'code', ids['C']),
          foundMatch(definitionRecord, 'external_ref', null),
          missingMatch(definitionRecord),
        ],
      },
    ]);
    expect((await shop.get('/product_attribute_defs')).body.data).toMatchObject([{ external_ref: 'material' }]);
    expect((await call('?dry_run=true')).body.data).toEqual({ products: 2, definitions_created: 2 });
    expect((await call('')).body.data).toEqual({ products: 2, definitions_created: 2 });
    expect((await call('?dry_run=true')).body.data).toEqual({ products: 2, definitions_created: 0 });
  });

  it('on PUT /int/product_attributes refuses two new definitions with the same code', async () => {
    const product_attributes = [
      { code: 'A', attributes: [{ external_ref: 'size', code: 'S', value: 'M' }] },
      { code: 'B', attributes: [{ external_ref: 'fit', code: 'S', value: 'L' }] },
    ];
    const [reply, hasWritten] = await detectWrite(() =>
      shop.put('/int/product_attributes?dry_run=true', { product_attributes }),
    );
    expect([reply.status, hasWritten, reply.body]).toEqual([
      422,
      false,
      { errors: { ProductAttributeDefs: ['API.ProductAttributeDefs.CodeAlreadyExists'] } },
    ]);
  });

  it('on POST /stock/reconcile returns no movement', async () => {
    const { data } = (await CALLS_BY_NAME['POST /stock/reconcile']('?dry_run=true')).body;
    expect(data).toEqual({ movement_id: null, updated: 2, failed: [] });
  });

  it('fails the same rows and refuses the same calls as the real call', async () => {
    const stocks = [{ code: 'A', warehouse_code: 'W1', qty: -11 }];
    const [reply, hasWritten] = await detectWrite(() => shop.put('/int/stocks?dry_run=true', { stocks }));
    expect([hasWritten, reply.body.data]).toMatchObject([
      false,
      { updated: 0, failed: [{ error: { message: 'API.Stocks.NegativeStock' } }] },
    ]);
    const warehouses = [{ code: 'W1', delete: true }];
    const [refusedReply] = await detectWrite(() => shop.put('/warehouse?dry_run=true', { warehouses }));
    expect([refusedReply.status, refusedReply.body]).toEqual([
      422,
      { errors: { Warehouses: ['API.Warehouses.HasStock'] } },
    ]);
    const unknownWarehouse = { warehouse_code: 'none', products: [] };
    expect((await shop.post('/stock/reconcile?dry_run=true', unknownWarehouse)).status).toBe(404);
  });

  it('releases its locks', async () => {
    await Promise.all(
      CALL_NAMES.flatMap((name) => [CALLS_BY_NAME[name]('?dry_run=true'), CALLS_BY_NAME[name]('?dry_run=true')]),
    );
    const [reply, hasWritten] = await detectWrite(() => CALLS_BY_NAME['PUT /int/stocks'](''));
    expect([reply.status, hasWritten]).toEqual([200, true]);
  });

  it('stores no answer, so the real call can use the same Idempotency-Key', async () => {
    const body = { stocks: [{ code: 'A', warehouse_code: 'W1', qty: 5 }] };
    const keyedShop = shop.keyed('k');
    const firstReply = await keyedShop.put('/int/stocks?dry_run=true', body);
    const secondReply = await keyedShop.put('/int/stocks?dry_run=true', body);
    expect([firstReply.status, secondReply.text, secondReply.headers['idempotency-replayed']]).toEqual([
      200,
      firstReply.text,
      undefined,
    ]);
    expect((await keyedShop.put('/int/stocks', body)).status).toBe(200);
    expect((await stockOf(shop, 'A')).on_hand).toBe(15);
  });
});

describe('an option that is neither true nor false', () => {
  it.each([...CALL_NAMES, 'POST /product/verify'] as const)('makes %s answer 400 and write nothing', async (name) => {
    const call = name === 'POST /product/verify' ? verifyProducts : CALLS_BY_NAME[name];
    for (const query of ['?explain=yes', '?explain=', '?explain', '?explain=true&explain=true', '?explain[]=true']) {
      const [{ status, body }, hasWritten] = await detectWrite(() => call(query));
      expect([status, body, hasWritten]).toEqual([400, { errors: { detail: 'Bad Request' } }, false]);
    }
  });

  it.each(CALL_NAMES)('as dry_run of %s is answered 400, and nothing is written', async (name) => {
    for (const query of ['?dry_run=yes', '?dry_run=TRUE', '?dry_run=', '?dry_run', '?dry_run=true&dry_run=false']) {
      const [{ status }, hasWritten] = await detectWrite(() => CALLS_BY_NAME[name](query));
      expect([status, hasWritten]).toEqual([400, false]);
    }
  });
});
