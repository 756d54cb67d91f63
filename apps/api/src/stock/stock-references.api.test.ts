import { stockOf, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  await stockShop(shop, [{ code: 'A', price: 100, stock: 10 }]);
});

const ROW = { code: 'A', warehouse_code: 'W1', qty: 5 };
const add = (body: object) => shop.put('/int/stocks', body);
const count = (body: object) => shop.post('/stock/reconcile', { warehouse_code: 'W1', ...body });

describe('a stock call with a reference', () => {
  it('adds a delivery once, also when it is loaded again a day later', async () => {
    const note = { reference: ' delivery-4711 ', stocks: [ROW, { ...ROW, code: 'none' }] };
    const first = await add(note);
    expect(first.body.data).toEqual({
      updated: 1,
      failed: [expect.objectContaining({ index: 1 })],
      movement_ids: [expect.any(Number)],
    });
    api.clock.forward({ hours: 25 });
    const repeated = await add({ ...note, reference: 'delivery-4711' });
    expect([repeated.status, repeated.body.data]).toEqual([200, { ...first.body.data, repeated: true }]);
    expect(await stockOf(shop, 'A')).toMatchObject({ on_hand: 15 });
    const taken = await add({ ...note, stocks: [ROW] });
    expect([taken.status, taken.body]).toEqual([422, { errors: { Stocks: ['API.Stocks.ReferenceTaken'] } }]);
  });

  it('sets a count once', async () => {
    const inventory = { reference: 'inventory-1', products: [{ sku: 'A', qty: 7 }] };
    const first = (await count(inventory)).body.data;
    expect(first).toMatchObject({ movement_id: first.movement_ids[0], updated: 1 });
    await add({ stocks: [ROW] });
    expect((await count(inventory)).body.data).toEqual({ ...first, repeated: true });
    expect(await stockOf(shop, 'A')).toMatchObject({ on_hand: 12 });
  });

  it.each([
    [{ reference: '  ' }, 422],
    [{ reference: 'x'.repeat(256) }, 422],
    [{ reference: 5 }, 400],
    [{ all_or_nothing: 'yes' }, 400],
  ])('with %j is answered %d and writes nothing', async (fields, expected) => {
    expect((await add({ stocks: [ROW], ...fields })).status).toBe(expected);
    expect((await count({ products: [{ sku: 'A', qty: 1 }], ...fields })).status).toBe(expected);
    expect(await stockOf(shop, 'A')).toMatchObject({ on_hand: 10 });
  });
});

describe('a move between warehouses that is all or nothing', () => {
  it('adds nothing when the pieces are missing', async () => {
    const stocks = [
      { ...ROW, qty: -50 },
      { ...ROW, qty: 50 },
    ];
    const { body } = await add({ all_or_nothing: true, stocks });
    expect(body.data).toMatchObject({ updated: 0, failed: [{ index: 0 }] });
    expect(await stockOf(shop, 'A')).toMatchObject({ on_hand: 10 });
  });
});
