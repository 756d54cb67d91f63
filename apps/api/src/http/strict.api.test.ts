import { evaluate, propose, stockShop, warehouse } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

const STRICT = { Prefer: 'handling=strict' };

let api: TestApi;
let shop: Client;
let strict: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  strict = shop.with(STRICT);
});

const resultOf = ({ status, body }: Reply) => [status, body?.errors];

describe('Prefer: handling=strict', () => {
  it('is acknowledged in the answer, and does not affect a valid call', async () => {
    const reply = await strict.get(
      '/proforma_orders?status=draft,paid&limit=5&orderBy=debt%20desc&date_from=2026-01-01',
    );
    expect([reply.status, reply.headers['preference-applied'], reply.body]).toEqual([
      200,
      'handling=strict',
      { data: [] },
    ]);
    expect((await shop.get('/proforma_orders')).headers).not.toHaveProperty('preference-applied');
  });

  it.each(['wait=10, handling=strict', 'HANDLING = "Strict"', 'respond-async,handling=strict', 'handling=strict; x=1'])(
    'is recognized in %s',
    async (prefer) => {
      expect((await shop.with({ Prefer: prefer }).get('/orders?x=1')).status).toBe(422);
    },
  );

  it.each(['handling=lenient', 'strict', 'handling=strictly'])('is not recognized in %s', async (prefer) => {
    expect((await shop.with({ Prefer: prefer }).get('/orders?x=1')).status).toBe(200);
  });

  it('refuses unknown parameters by name', async () => {
    expect(resultOf(await strict.get('/orders?limti=5&limit=5&constructor2=1'))).toEqual([
      422,
      { limti: ['is unknown'], constructor2: ['is unknown'] },
    ]);
    expect((await shop.get('/orders?limti=5')).status).toBe(200);
  });

  it('refuses names of properties that every object inherits', async () => {
    expect(resultOf(await strict.get('/orders?toString=1&valueOf=1'))).toEqual([
      422,
      { toString: ['is unknown'], valueOf: ['is unknown'] },
    ]);
    const body = JSON.parse('{"__proto__": 1, "constructor": 1, "warehouses": []}') as object;
    const reply = await strict.put('/warehouse', body);
    expect(reply.status).toBe(422);
    expect(Object.keys(reply.body.errors as object)).toEqual(['__proto__', 'constructor']);
  });

  it.each([
    ['/proforma_orders?status=darft', 'status'],
    ['/proforma_orders?status=draft,darft', 'status'],
    ['/proforma_orders?has_alerts=maybe', 'has_alerts'],
    ['/proforma_orders?date_from=yesterday', 'date_from'],
    ['/proforma_orders?orderBy=nothing', 'orderBy'],
    ['/proforma_orders?limit=many', 'limit'],
    ['/proforma_orders?offset=-1', 'offset'],
    ['/proforma_orders?expiring_within=-1', 'expiring_within'],
    ['/orders?orderBy=debt%20up', 'orderBy'],
    ['/stocks?orderBy=qty', 'orderBy'],
    ['/customers?orderBy=name', 'orderBy'],
    ['/products?orderBy=colour', 'orderBy'],
    ['/products?pageNo=0', 'pageNo'],
    ['/cdn/files?kind=song', 'kind'],
    ['/cdn/files?unused=often', 'unused'],
    ['/cdn/files?min_size=big', 'min_size'],
    ['/cdn/trash?order_by=colour', 'order_by'],
  ])('refuses a value that the list would otherwise ignore: %s', async (path, parameter) => {
    expect((await shop.get(path)).status).toBe(200);
    expect(resultOf(await strict.get(path))).toEqual([422, { [parameter]: ['is invalid'] }]);
  });

  it('refuses unknown fields of the body, also in rows and lists', async () => {
    expect(resultOf(await strict.post('/warehouses', { warehouse: warehouse('W', { colour: 1 }), extra: 1 }))).toEqual([
      422,
      { 'warehouse.colour': ['is unknown'], extra: ['is unknown'] },
    ]);
    expect((await shop.get('/warehouses')).body.data).toEqual([]);
    const products = [
      { code: 'A', name: 'A', variants: [{ code: 'A', colour: 'red' }] },
      { code: 'B', naem: 'B' },
    ];
    expect(resultOf(await strict.post('/int/products', { products }))).toEqual([
      422,
      { 'products.0.variants.0.colour': ['is unknown'], 'products.1.naem': ['is unknown'] },
    ]);
    expect(resultOf(await strict.patch('/app/settings', { proforma: { lifetime: 3 } }))).toEqual([
      422,
      { 'proforma.lifetime': ['is unknown'] },
    ]);
  });

  it('accepts objects whose keys the client chooses', async () => {
    const translations = { sr: { 'is invalid': 'nije ispravno' } };
    expect((await strict.patch('/app/settings', { translations })).status).toBe(200);
  });

  it('refuses unknown fields of a form', async () => {
    const file = { name: 'a.txt', bytes: Buffer.from('text') };
    expect(resultOf(await strict.upload('/cdn/files', file, { foldre: 'x' }))).toEqual([
      422,
      { foldre: ['is unknown'] },
    ]);
    expect((await strict.upload('/cdn/files', file, { folder: 'x' })).status).toBe(201);
  });

  it('points to each refused part in a problem document', async () => {
    const client = shop.with({ ...STRICT, Accept: 'application/problem+json, application/json' });
    const { body } = await client.put('/warehouse?dryrun=true', { warehouses: [{ ...warehouse('W'), 'a/b': 1 }] });
    expect(body.errors).toEqual([
      { key: 'Request.UnknownParameter', message: expect.any(String), details: { parameter: 'dryrun' } },
      { key: 'Request.UnknownField', message: expect.any(String), pointer: '/warehouses/0/a~1b' },
    ]);
  });

  it('lists at most 100 refused parts', async () => {
    const warehouses = Array.from({ length: 500 }, (_, index) => ({ ...warehouse(`W${index}`), extra: index }));
    expect(Object.keys((await strict.put('/warehouse', { warehouses })).body.errors)).toHaveLength(100);
  });

  it('reports a missing or final record before ignored parts', async () => {
    await stockShop(shop, [{ code: 'A' }]);
    const { id } = await propose(shop, [{ code: 'A', qty: 1 }]);
    await shop.delete(`/proforma_orders/${id}`);
    expect((await strict.post('/proforma_orders/999/warehouse_confirm', { x: 1 })).status).toBe(404);
    expect(resultOf(await strict.post(`/proforma_orders/${id}/warehouse_confirm`, { x: 1 }))).toEqual([
      422,
      { ProformaOrders: ['API.ProformaOrders.AlreadyFinal'] },
    ]);
    expect(await evaluate(strict, [{ code: 'A', qty: 1 }])).toBeGreaterThan(0);
  });
});

describe('the parameter fields', () => {
  it('selects fields of a record, of its rows, and of nested lists', async () => {
    await stockShop(shop, [{ code: 'A' }, { code: 'B' }]);
    const { id, proforma_number } = await propose(shop, [{ code: 'A', qty: 2 }]);
    const get = async (path: string) => (await shop.get(path)).body;
    expect(await get(`/proforma_orders/${id}?fields=id,items.code,items.qty`)).toEqual({
      data: { id, items: [{ code: 'A', qty: 2 }] },
    });
    expect(await get('/proforma_orders?fields=proforma_number')).toEqual({ data: [{ proforma_number }] });
    expect(await get('/products?fields=products.code,products.variants.code')).toEqual({
      data: { products: ['A', 'B'].map((code) => ({ code, variants: [{ code }] })) },
    });
    expect(await get('/products?code=A&fields=code')).toEqual({ data: { code: 'A' } });
    expect(await get('/app/settings?fields[]=name&fields[]=media.prefix')).toEqual({
      data: { name: 'Test', media: { prefix: expect.any(String) } },
    });
  });

  it('returns the whole value when one path is the start of another', async () => {
    const { media } = (await shop.get('/app/settings')).body.data;
    for (const fields of ['media.prefix,media', 'media,media.prefix'])
      expect((await shop.get(`/app/settings?fields=${fields}`)).body).toEqual({ data: { media } });
  });

  it('ignores unknown names and names of inherited properties', async () => {
    expect((await shop.get('/app/settings?fields=name,none,toString,name.deep')).body).toEqual({
      data: { name: 'Test' },
    });
  });

  it('keeps the cursor of a list', async () => {
    await shop.put('/warehouse', { warehouses: [warehouse('W')] });
    await stockShop(shop, [{ code: 'A' }, { code: 'B' }]);
    for (let count = 0; count < 2; count += 1) await propose(shop, [{ code: 'A', qty: 1 }]);
    const page = await shop.get('/proforma_orders?limit=1&fields=id');
    expect(page.headers['next-cursor']).toEqual(expect.any(String));
    expect(Object.keys(page.body.data[0])).toEqual(['id']);
  });

  it.each(['a..b', '.', 'a.b.c.d.e.f', Array.from({ length: 101 }, (_, index) => `f${index}`).join(',')])(
    'is answered 400 for %s',
    async (fields) => {
      expect((await shop.get(`/orders?fields=${fields}`)).status).toBe(400);
    },
  );
});
