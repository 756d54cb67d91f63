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

const order = (externalRef: string, orderNumber: string | null = null): ImportedOrder => ({
  orderNumber,
  externalRef,
  orderDate: null,
  locationCode: null,
  customer: null,
  items: [{ code: 'A', qty: 2, price: null }],
  payments: [],
  currency: 'RSD',
});

/** Generates these order numbers in turn, then repeats the last; records the years that were asked for. */
function drawing(...numbers: string[]): { readonly orders: SqlImportedOrders; readonly years: number[] } {
  const years: number[] = [];
  const draw = (year: number): string => numbers[Math.min(years.push(year), numbers.length) - 1] ?? '';
  return { orders: new SqlImportedOrders(api.postgres, api.clock, draw), years };
}

const numbers = async (): Promise<string[]> => {
  const rows = await api.database.rows<{ order_number: string }>(
    'select order_number from orders where app_id = $1 order by id',
    [shop.appId],
  );
  return rows.map((row) => row.order_number);
};
const sold = (): Promise<unknown> =>
  api.database.rows('select quantity from product_sales where app_id = $1', [shop.appId]);

describe('an order whose generated number is taken', () => {
  it('gets another number and is written once', async () => {
    await drawing().orders.add(shop.appId, order('first', 'O-1'));
    const { orders, years } = drawing('O-1', 'O-1', 'O-2');
    expect(await orders.add(shop.appId, order('second'))).toEqual({ id: expect.any(Number) });
    expect([await numbers(), years]).toEqual([
      ['O-1', 'O-2'],
      [2026, 2026, 2026],
    ]);
    expect(await sold()).toEqual([{ quantity: 4 }]);
  });

  it('fails after five attempts and writes nothing', async () => {
    await drawing().orders.add(shop.appId, order('first', 'O-1'));
    const { orders, years } = drawing('O-1');
    await expect(orders.add(shop.appId, order('second'))).rejects.toMatchObject({ code: '23505' });
    expect([await numbers(), years.length]).toEqual([['O-1'], 5]);
    expect(await sold()).toEqual([{ quantity: 2 }]);
  });

  it('is refused when its reference is taken too', async () => {
    await drawing().orders.add(shop.appId, order('first', 'O-1'));
    const { orders } = drawing('O-1', 'O-2');
    expect(await orders.add(shop.appId, order('first'))).toEqual(ORDER_ALREADY_EXISTS);
    expect(await numbers()).toEqual(['O-1']);
  });

  it('can have the number of an order of another app', async () => {
    const stranger = await api.app();
    await stockShop(stranger, [{ code: 'A' }]);
    await drawing().orders.add(stranger.appId, order('first', 'O-1'));
    await drawing('O-1').orders.add(shop.appId, order('first'));
    expect(await numbers()).toEqual(['O-1']);
  });
});

describe('an order with a taken number', () => {
  it('is refused without generating a number', async () => {
    const { orders, years } = drawing('O-2');
    await orders.add(shop.appId, order('first', 'O-1'));
    expect(await orders.add(shop.appId, order('second', 'O-1'))).toEqual(ORDER_ALREADY_EXISTS);
    expect([await numbers(), years]).toEqual([['O-1'], []]);
  });
});
