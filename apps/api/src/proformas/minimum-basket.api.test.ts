import { evaluate, setUp, stockOf, stockShop } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

const KEY = 'API.ProformaOrders.BasketBelowMinimum';
const REFUSED = [422, { errors: { ProformaOrders: [KEY] } }];

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await newShop();
});

async function newShop(currency = 'RSD'): Promise<Client> {
  const client = await api.app(currency);
  await stockShop(client, [{ code: 'A', price: 10, stock: 10 }]);
  return client;
}

const requireAtLeast = (minimum_basket_amount: number | null, client = shop) =>
  client.patch('/app/settings', { proforma: { minimum_basket_amount } });
const create = (id: number, client = shop): Promise<Reply> =>
  client.post('/proforma_orders', { order_processing_id: id });
const order = async (qty: number, more: object = {}): Promise<Reply> =>
  create(await evaluate(shop, [{ code: 'A', qty }], more));
const outcome = ({ status, body }: Reply) => (status === 201 ? 'made' : [status, body]);

describe('the minimum amount of a basket', () => {
  it('is 0 in a new app', async () => {
    const { data } = (await shop.get('/app/settings')).body;
    expect(data.proforma.minimum_basket_amount).toBe(0);
    expect(outcome(await order(1))).toBe('made');
  });

  it('is in the currency and refuses only smaller baskets', async () => {
    await requireAtLeast(20);
    expect(outcome(await order(1))).toEqual(REFUSED);
    expect(outcome(await order(2))).toBe('made');
    await requireAtLeast(20.01);
    expect(outcome(await order(2))).toEqual(REFUSED);
    await requireAtLeast(null);
    expect(outcome(await order(1))).toBe('made');
  });

  it('is in whole units for a currency without decimals', async () => {
    shop = await newShop('JPY');
    await requireAtLeast(20);
    expect([outcome(await order(1)), outcome(await order(2))]).toEqual([REFUSED, 'made']);
  });

  it('counts goods after discounts, without shipment', async () => {
    await setUp(shop, 'shipment_methods', [{ code: 'courier', name: 'Courier', price: 100, vat_rate: 20 }]);
    await requireAtLeast(20);
    expect(outcome(await order(1, { shipment_method_code: 'courier' }))).toEqual(REFUSED);
    await setUp(shop, 'promotions', [{ code: 'TEN', name: 'Ten off', kind: 'percentage', value: 10 }]);
    expect(outcome(await order(2))).toEqual(REFUSED);
    expect(outcome(await order(3))).toBe('made');
  });

  it('applies to earlier evaluations, which stay usable', async () => {
    const id = await evaluate(shop, [{ code: 'A', qty: 1 }]);
    await requireAtLeast(20);
    expect(outcome(await create(id))).toEqual(REFUSED);
    expect(await stockOf(shop, 'A')).toMatchObject({ reserved: 0 });
    await requireAtLeast(0);
    expect(outcome(await create(id))).toBe('made');
  });

  it('applies to one app', async () => {
    const other = await newShop();
    await requireAtLeast(10_000, other);
    expect(outcome(await order(1))).toBe('made');
  });

  it('is refused in the translation of the app', async () => {
    await shop.patch('/app/settings', { translations: { en: { [KEY]: 'At least 20 RSD, please' } } });
    await requireAtLeast(20);
    expect(outcome(await order(1))).toEqual([422, { errors: { ProformaOrders: ['At least 20 RSD, please'] } }]);
  });

  it('prevents a change of currency, unless it changes too', async () => {
    const empty = await api.app();
    await requireAtLeast(20, empty);
    const { status, body } = await empty.patch('/app/settings', { currency: 'JPY' });
    expect([status, body]).toEqual([422, { errors: { currency: ['is invalid'] } }]);
    const both = await empty.patch('/app/settings', { currency: 'JPY', proforma: { minimum_basket_amount: 2_000 } });
    expect(both.body.data).toMatchObject({ currency: 'JPY', proforma: { minimum_basket_amount: 2_000 } });
  });

  it.each([-1, 100_000_000_000_001, 1.005])('cannot be %d', async (amount) => {
    const { status, body } = await requireAtLeast(amount);
    expect([status, body]).toEqual([422, { errors: { 'proforma.minimum_basket_amount': ['is invalid'] } }]);
  });

  it.each(['1000', true])('is answered 400 for %j', async (amount) => {
    const { status } = await shop.patch('/app/settings', { proforma: { minimum_basket_amount: amount } });
    expect(status).toBe(400);
  });
});
