import { SqlImportedOrders } from '@back-office/database-postgres/testing';
import { ORDER_ALREADY_EXISTS, type ImportedOrder } from '@back-office/orders';
import { stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  await stockShop(shop, [{ code: 'A' }]);
});

const importedOrder = (externalRef: string, orderNumber: string | null = null): ImportedOrder => ({
  orderNumber,
  externalRef,
  orderDate: null,
  locationCode: null,
  customer: null,
  items: [{ code: 'A', qty: 2, price: null }],
  payments: [],
  currency: 'RSD',
});

function makeOrdersWithNumbers(...numbers: string[]): { readonly orders: SqlImportedOrders; readonly years: number[] } {
  const years: number[] = [];
  const drawNumber = (year: number): string => numbers[Math.min(years.push(year), numbers.length) - 1] ?? '';
  return { orders: new SqlImportedOrders(api.postgres, api.clock, drawNumber), years };
}

const readNumbers = async (): Promise<string[]> => {
  const rows = await api.database.rows<{ order_number: string }>(
    'select order_number from orders where app_id = $1 order by id',
    [shop.appId],
  );
  return rows.map((row) => row.order_number);
};
const readSoldQuantities = (): Promise<unknown> =>
  api.database.rows('select quantity from product_sales where app_id = $1', [shop.appId]);

describe('an order whose generated number is taken', () => {
  it('gets another number, and is written only once', async () => {
    await makeOrdersWithNumbers().orders.add(shop.appId, importedOrder('first', 'O-1'));
    const { orders, years } = makeOrdersWithNumbers('O-1', 'O-1', 'O-2');
    expect(await orders.add(shop.appId, importedOrder('second'))).toEqual({ id: expect.any(Number) });
    expect([await readNumbers(), years]).toEqual([
      ['O-1', 'O-2'],
      [2026, 2026, 2026],
    ]);
    expect(await readSoldQuantities()).toEqual([{ quantity: 4 }]);
  });

  it('is refused after five attempts, and nothing is written', async () => {
    await makeOrdersWithNumbers().orders.add(shop.appId, importedOrder('first', 'O-1'));
    const { orders, years } = makeOrdersWithNumbers('O-1');
    await expect(orders.add(shop.appId, importedOrder('second'))).rejects.toMatchObject({ code: '23505' });
    expect([await readNumbers(), years.length]).toEqual([['O-1'], 5]);
    expect(await readSoldQuantities()).toEqual([{ quantity: 2 }]);
  });

  it('is refused when its reference is taken too', async () => {
    await makeOrdersWithNumbers().orders.add(shop.appId, importedOrder('first', 'O-1'));
    const { orders } = makeOrdersWithNumbers('O-1', 'O-2');
    expect(await orders.add(shop.appId, importedOrder('first'))).toEqual(ORDER_ALREADY_EXISTS);
    expect(await readNumbers()).toEqual(['O-1']);
  });

  it('can have the number of an order in another app', async () => {
    const otherApp = await api.app();
    await stockShop(otherApp, [{ code: 'A' }]);
    await makeOrdersWithNumbers().orders.add(otherApp.appId, importedOrder('first', 'O-1'));
    await makeOrdersWithNumbers('O-1').orders.add(shop.appId, importedOrder('first'));
    expect(await readNumbers()).toEqual(['O-1']);
  });
});

describe('an order with a taken number', () => {
  it('is refused without generating a number', async () => {
    const { orders, years } = makeOrdersWithNumbers('O-2');
    await orders.add(shop.appId, importedOrder('first', 'O-1'));
    expect(await orders.add(shop.appId, importedOrder('second', 'O-1'))).toEqual(ORDER_ALREADY_EXISTS);
    expect([await readNumbers(), years]).toEqual([['O-1'], []]);
  });
});
