import { propose, putStock, stockOf, warehouse } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';

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
  const warehouses = [warehouse('W1'), warehouse('W2'), warehouse('CLOSED', { sellable: false })];
  await client.put('/warehouse', { warehouses });
  await client.post('/int/products', {
    products: [
      {
        code: 'P',
        name: 'Product P',
        price: 10,
        vat_rate: 20,
        variants: [{ code: 'A', barcode: '860-A' }, { code: 'B' }],
      },
      { code: 'Q', name: 'Product Q', price: 10, vat_rate: 20, variants: [{ code: 'C' }] },
    ],
  });
  await putStock(client, [
    { code: 'C', warehouse_code: 'CLOSED', qty: 7 },
    { code: 'C', warehouse_code: 'W1', qty: 3, min_qty: 2 },
    { code: 'A', warehouse_code: 'W2', qty: 2 },
    { code: 'B', warehouse_code: 'W1', qty: 4 },
    { code: 'A', warehouse_code: 'W1', qty: 5 },
  ]);
}

interface Row {
  readonly id: number;
  readonly product_id: number;
  readonly product_variant_id: number;
  readonly warehouse_id: number;
  readonly code: string;
  readonly warehouse_code: string | null;
}

const listStock = async (query = '', client = shop): Promise<Row[]> => {
  const { status, body } = await client.get(`/stocks?${query}`);
  expect(status).toBe(200);
  return body.data;
};
const listShelves = async (query = '', client = shop): Promise<string[]> =>
  (await listStock(query, client)).map((row) => `${row.code}@${row.warehouse_code}`);
const rowOf = async (shelf: string): Promise<Row> =>
  (await listStock()).find((row) => `${row.code}@${row.warehouse_code}` === shelf)!;

const ALL_SHELVES = ['A@W1', 'A@W2', 'B@W1', 'C@W1', 'C@CLOSED'];

describe('GET /stocks', () => {
  it('shows stock and reservations per variant and warehouse', async () => {
    await propose(shop, [{ code: 'A', qty: 2 }]);
    const [row] = await listStock();
    expect(row).toEqual({
      id: expect.any(Number),
      product_id: expect.any(Number),
      product_variant_id: expect.any(Number),
      product_name: 'Product P',
      code: 'A',
      barcode: '860-A',
      warehouse_id: expect.any(Number),
      warehouse_code: 'W1',
      on_hand: 5,
      reserved: 2,
      available: 3,
      min_qty: 0,
      updated_at: api.clock.now().toISOString().slice(0, 19),
    });
    expect(await rowOf('C@W1')).toMatchObject({ barcode: null, min_qty: 2, product_name: 'Product Q' });
  });

  it('shows no available stock in a warehouse that does not sell', async () => {
    expect(await rowOf('C@CLOSED')).toMatchObject({ on_hand: 7, reserved: 0, available: 0 });
    expect(await stockOf(shop, 'C')).toMatchObject({ on_hand: 10, available: 3 });
  });

  it('filters by warehouse, by product, by variant and by all three', async () => {
    const row = await rowOf('A@W1');
    expect(await listShelves(`warehouseId=${row.warehouse_id}`)).toEqual(['A@W1', 'B@W1', 'C@W1']);
    expect(await listShelves(`productId=${row.product_id}`)).toEqual(['A@W1', 'A@W2', 'B@W1']);
    expect(await listShelves(`productVariantId=${row.product_variant_id}`)).toEqual(['A@W1', 'A@W2']);
    const bothFilters = `warehouseId=${row.warehouse_id}&productVariantId=${row.product_variant_id}`;
    expect(await listShelves(bothFilters)).toEqual(['A@W1']);
    const { product_id: productIdOfC } = await rowOf('C@W1');
    expect(await listShelves(`${bothFilters}&productId=${productIdOfC}`)).toEqual([]);
  });

  it('accepts a language and ignores it', async () => {
    expect(await listStock('languageId=1')).toEqual(await listStock());
  });

  it('has pages of 30 by default', async () => {
    const variants = Array.from({ length: 40 }, (_, index) => ({ code: `N${index}` }));
    await shop.post('/int/products', { products: [{ code: 'N', name: 'N', variants }] });
    await putStock(
      shop,
      variants.map(({ code }) => ({ code, warehouse_code: 'W1', qty: 1 })),
    );
    expect(await listStock()).toHaveLength(30);
    expect(await listStock('limit=10001')).toHaveLength(45);
  });

  it('takes one statement for any number of shelves', async () => {
    await listStock('limit=1');
    api.statements.length = 0;
    await listStock();
    expect(api.statements).toHaveLength(1);
  });
});

describe('the filters of GET /stocks', () => {
  const FILTERS = [
    ['warehouseId', 'Stocks.InvalidWarehouseId'],
    ['productId', 'Stocks.InvalidProductId'],
    ['productVariantId', 'Stocks.InvalidProductVariantId'],
    ['languageId', 'Stocks.InvalidLanguageId'],
  ] as const;

  const getErrors = async (query: string, client = shop) => {
    const { status, body } = await client.get(`/stocks?${query}`);
    return [status, body];
  };

  describe.each(FILTERS)('%s', (name, key) => {
    it.each(['x', '1.5', '1e3', '%2B1', '%201', '1%20', '%20', '0x1', '1,2', 'null', 'W1', '１', 'true'])(
      'is answered 400 with its message key for "%s"',
      async (value) => {
        expect(await getErrors(`${name}=${value}`)).toEqual([400, { errors: { Stocks: [key] } }]);
      },
    );

    it.each([`${name}=1&${name}=2`, `${name}[]=1`, `${name}[x]=1`])(
      'is answered 400 with its message key when repeated: %s',
      async (query) => {
        expect(await getErrors(query)).toEqual([400, { errors: { Stocks: [key] } }]);
      },
    );

    it('is ignored when empty', async () => {
      expect(await listShelves(`${name}=`)).toEqual(ALL_SHELVES);
    });

    it('is answered 400 without a message key for text with NUL', async () => {
      expect(await getErrors(`${name}=1%00`)).toEqual([400, { errors: { detail: 'Bad Request' } }]);
    });
  });

  it.each(['0', '-1', '987654321', '9007199254740993', '9'.repeat(30)])(
    'finds nothing for the unknown id %s',
    async (id) => {
      for (const [name] of FILTERS.filter(([filter]) => filter !== 'languageId')) {
        expect(await listStock(`${name}=${id}`)).toEqual([]);
      }
      expect(await listShelves(`languageId=${id}`)).toEqual(ALL_SHELVES);
    },
  );

  it('are all reported when several are invalid', async () => {
    expect(await getErrors('languageId=x&warehouseId=x&productId=1&productVariantId=')).toEqual([
      400,
      { errors: { Stocks: ['Stocks.InvalidWarehouseId', 'Stocks.InvalidLanguageId'] } },
    ]);
  });

  it('have error messages translated for the app', async () => {
    await shop.patch('/app/settings', {
      translations: { sr: { 'Stocks.InvalidWarehouseId': 'Magacin mora biti ceo broj' } },
    });
    const token = await api.container.get(TOKENS.Apps).issueToken({ appId: shop.appId, language: 'sr' });
    const serbianClient = api.withOrigins({ ...shop, token: token as string }, [api.origin]);
    expect(await getErrors('warehouseId=x', serbianClient)).toEqual([
      400,
      { errors: { Stocks: ['Magacin mora biti ceo broj'] } },
    ]);
  });
});
