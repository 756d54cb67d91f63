import { testApi, type Client, type TestApi } from '../testing/test-api.js';
import { evaluate, methodId, propose, stockOf, stockShop } from '../testing/shop.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
  shop = await api.app();
  await stockShop(shop, [{ code: 'A', price: 100, stock: 1_000 }]);
});
afterAll(() => api.close());

describe('a basket on its way to an order', () => {
  it('becomes a proforma', async () => {
    const proforma = await propose(shop, [{ code: 'A', qty: 2 }]);
    expect(proforma).toMatchObject({ proforma_status: 'draft', sales: 200, end_sales: 200, paid: 0, debt: 200 });
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 1000, reserved: 2, available: 998 });
  });
});
