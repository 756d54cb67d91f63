import { propose, putStock, warehouse } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

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
      { code: 'P', name: 'P', price: 10, vat_rate: 20, variants: [{ code: 'A' }, { code: 'B' }] },
      { code: 'Q', name: 'Q', price: 10, vat_rate: 20, variants: [{ code: 'C' }] },
    ],
  });
}

interface Line {
  readonly id: number;
  readonly movement_id: number;
  readonly kind: string;
  readonly booked_at: string;
  readonly warehouse_id: number;
  readonly warehouse_code: string;
  readonly product_id: number;
  readonly code: string;
  readonly qty: number;
}

const ALL_TIME = 'dateFrom=0001-01-01&dateUntil=9999-12-31';
const listLines = async (query = ALL_TIME, client = shop): Promise<Line[]> => {
  const { status, body } = await client.get(`/stock_movements?${query}`);
  expect(status).toBe(200);
  return body.data;
};
const listSummaries = async (query = ALL_TIME): Promise<string[]> =>
  (await listLines(query)).map((line) => `${line.kind} ${line.qty} ${line.code}@${line.warehouse_code}`);
const bookStock = (qty: number, code = 'A', warehouse_code = 'W1') => putStock(shop, [{ code, warehouse_code, qty }]);
const now = (): string => api.clock.now().toISOString().slice(0, 19);

describe('GET /stock_movements', () => {
  it('shows every line with its movement, in booking order', async () => {
    await bookStock(5);
    api.clock.forward({ seconds: 1 });
    const { id, proforma_number: number } = await propose(shop, [{ code: 'A', qty: 2 }]);
    api.clock.forward({ seconds: 1 });
    await shop.delete(`/proforma_orders/${id}`);
    expect(await listSummaries()).toEqual(['adjust 5 A@W1', 'reserve 2 A@W1', 'release -2 A@W1']);
    const [firstLine, secondLine] = await listLines();
    expect(firstLine).toEqual({
      id: expect.any(Number),
      movement_id: expect.any(Number),
      kind: 'adjust',
      booked_at: expect.any(String),
      warehouse_id: expect.any(Number),
      warehouse_code: 'W1',
      product_id: expect.any(Number),
      product_variant_id: expect.any(Number),
      code: 'A',
      qty: 5,
      reference: null,
    });
    expect(secondLine).toMatchObject({ reference: number });
  });

  it('shows lines whose sums equal on hand and reserved', async () => {
    await bookStock(5);
    const { id } = await propose(shop, [{ code: 'A', qty: 2 }]);
    const order = (await shop.post(`/proforma_orders/${id}/convert`)).body.data;
    const { data_part, time_part } = order;
    const shipment = { id: order.id, data_part, time_part, delivery_status_id: 2 };
    expect((await shop.put('/orders/bulk_update', { orders: [shipment] })).body.data.updated).toBe(1);
    await propose(shop, [{ code: 'A', qty: 1 }]);
    const lines = await listLines();
    const totalOf = (...kinds: string[]) =>
      lines.filter(({ kind }) => kinds.includes(kind)).reduce((sum, { qty }) => sum + qty, 0);
    const [stock] = (await shop.get('/stocks')).body.data;
    expect([stock.on_hand, stock.reserved]).toEqual([3, 1]);
    expect([totalOf('adjust', 'reconcile', 'ship'), totalOf('reserve', 'release', 'ship')]).toEqual([3, 1]);
  });

  it('filters by warehouse and product', async () => {
    await bookStock(1, 'A', 'W1');
    await bookStock(2, 'B', 'W2');
    await bookStock(3, 'C', 'W2');
    const [a, , c] = await listLines();
    expect(await listSummaries(`${ALL_TIME}&warehouseId=${c!.warehouse_id}`)).toEqual([
      'adjust 2 B@W2',
      'adjust 3 C@W2',
    ]);
    expect(await listSummaries(`${ALL_TIME}&productId=${a!.product_id}`)).toEqual(['adjust 1 A@W1', 'adjust 2 B@W2']);
    expect(await listSummaries(`${ALL_TIME}&productId=${a!.product_id}&warehouseId=${c!.warehouse_id}`)).toEqual([
      'adjust 2 B@W2',
    ]);
    expect(await listSummaries(`${ALL_TIME}&warehouseId=&productId=`)).toHaveLength(3);
    for (const id of ['0', '-1', '987654321', '9'.repeat(30)]) {
      expect(await listSummaries(`${ALL_TIME}&warehouseId=${id}`)).toEqual([]);
      expect(await listSummaries(`${ALL_TIME}&productId=${id}`)).toEqual([]);
    }
  });

  it('is not paged', async () => {
    for (let qty = 1; qty <= 3; qty += 1) await bookStock(qty);
    expect(await listSummaries(`${ALL_TIME}&limit=1&offset=1`)).toHaveLength(3);
  });

  it('is empty without movements in the app', async () => {
    expect(await listLines()).toEqual([]);
    await bookStock(1);
    expect(await listLines(ALL_TIME, await api.app())).toEqual([]);
  });

  it('shows each line once and in order when several batches are read', async () => {
    const codes = Array.from({ length: 6_000 }, (_, index) => `N${index}`);
    await shop.post('/int/products', {
      products: [{ code: 'N', name: 'N', variants: codes.map((code) => ({ code })) }],
    });
    const stocks = codes.map((code) => ({ code, warehouse_code: 'W1', qty: 1 }));
    for (const _ of [1, 2]) expect((await shop.put('/int/stocks', { stocks })).body.data.updated).toBe(6_000);
    const lines = await listLines();
    expect(lines).toHaveLength(12_000);
    expect(new Set(lines.map(({ movement_id: id }) => id)).size).toBe(2);
    const ids = lines.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
  });

  it('continues correctly between times a microsecond apart', async () => {
    await bookStock(1);
    // The service writes times without microseconds, but other programs may write them.
    await api.database.rows(
      `insert into stock_movements (app_id, warehouse_id, kind, booked_at)
       select app_id, warehouse_id, 'adjust', $2::timestamptz + n * interval '1 microsecond'
       from stock_movements, generate_series(10001, 1, -1) as n where app_id = $1`,
      [shop.appId, api.clock.now()],
    );
    await api.database.rows(
      `insert into stock_movement_lines (app_id, movement_id, product_variant_id, qty)
       select m.app_id, m.id, l.product_variant_id, 1 from stock_movements m
       join stock_movement_lines l on l.app_id = m.app_id and l.movement_id <> m.id where m.app_id = $1`,
      [shop.appId],
    );
    const lines = await listLines();
    expect(lines).toHaveLength(10_002);
    const ids = lines.slice(1).map(({ movement_id: id }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => b - a));
  });
});

describe('GET /stock_movements with dateFrom and dateUntil', () => {
  const day = '2026-11-22';

  beforeEach(async () => {
    const noon = Date.parse(`${day}T12:00:00Z`);
    const start = api.clock.now().getTime();
    for (const [index, moment] of [noon - 12 * 3_600_000, noon, noon + 12 * 3_600_000 - 300].entries()) {
      api.clock.forward({ seconds: (moment - api.clock.now().getTime()) / 1_000 });
      await bookStock(index + 1);
    }
    api.clock.forward({ seconds: (start - api.clock.now().getTime()) / 1_000 });
  });

  const listQuantities = async (query: string): Promise<number[]> => (await listLines(query)).map(({ qty }) => qty);

  it.each([
    [`dateFrom=${day}&dateUntil=2026-11-23`, [1, 2, 3]],
    [`dateFrom=${day}T00:00:00&dateUntil=${day}T23:59:59`, [1, 2, 3]],
    [`dateFrom=${day}&dateUntil=${day}`, [1]],
    [`dateFrom=${day}&dateUntil=${day}T11:59:59`, [1]],
    [`dateFrom=${day}T00:00:01&dateUntil=${day}T12:00:00`, [2]],
    [`dateFrom=${day}T12:00:00&dateUntil=${day}T12:00:00`, [2]],
    [`dateFrom=${day}T23:59:59&dateUntil=${day}T23:59:59Z`, [3]],
    [`dateFrom=${day}T13:00:00%2B01:00&dateUntil=${day}T13:00:00%2B01:00`, [2]],
    [`dateFrom=2026-11-23&dateUntil=${day}`, []],
  ])('includes both ends, and treats a date as midnight: %s finds %j', async (query, expected) => {
    expect(await listQuantities(query)).toEqual(expected);
  });

  it.each([
    '',
    `dateFrom=${day}`,
    `dateUntil=${day}`,
    `dateFrom=&dateUntil=${day}`,
    `dateFrom=${day}&dateUntil=`,
    `dateFrom=${day}&dateUntil=2026-02-30`,
    `dateFrom=yesterday&dateUntil=${day}`,
    `dateFrom=${day}&dateUntil=${day}&dateUntil=${day}`,
    `dateFrom[]=${day}&dateUntil=${day}`,
    `dateFrom=${day}&dateUntil=${day}%00`,
    `dateFrom=${day}&dateUntil=${day}&warehouseId=x`,
    `dateFrom=${day}&dateUntil=${day}&productId=1.5`,
    `dateFrom=${day}&dateUntil=${day}&productId=1&productId=2`,
  ])('is answered 400 for "%s"', async (query) => {
    const { status, body } = await shop.get(`/stock_movements?${query}`);
    expect([status, body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });

  it('sends JSON that must not be cached', async () => {
    const { headers } = await shop.get(`/stock_movements?dateFrom=${now()}&dateUntil=${now()}`);
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  });
});
