import { evaluate, setUp, stockOf, stockShop } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

const REFUSAL_KEY = 'API.ProformaOrders.BasketBelowMinimum';
const REFUSAL = [422, { errors: { ProformaOrders: [REFUSAL_KEY] } }];

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

const setMinimum = (minimum_basket_amount: number | null, client = shop) =>
  client.patch('/app/settings', { proforma: { minimum_basket_amount } });
const createProforma = (id: number, client = shop): Promise<Reply> =>
  client.post('/proforma_orders', { order_processing_id: id });
const orderPieces = async (qty: number, options: object = {}): Promise<Reply> =>
  createProforma(await evaluate(shop, [{ code: 'A', qty }], options));
const outcomeOf = ({ status, body }: Reply) => (status === 201 ? 'made' : [status, body]);

describe('the minimum amount of a basket', () => {
  it('is 0 in a new app', async () => {
    const { data } = (await shop.get('/app/settings')).body;
    expect(data.proforma.minimum_basket_amount).toBe(0);
    expect(outcomeOf(await orderPieces(1))).toBe('made');
  });

  it('refuses only baskets below the minimum, in the currency of the app', async () => {
    await setMinimum(20);
    expect(outcomeOf(await orderPieces(1))).toEqual(REFUSAL);
    expect(outcomeOf(await orderPieces(2))).toBe('made');
    await setMinimum(20.01);
    expect(outcomeOf(await orderPieces(2))).toEqual(REFUSAL);
    await setMinimum(null);
    expect(outcomeOf(await orderPieces(1))).toBe('made');
  });

  it('is in whole units for a currency without decimals', async () => {
    shop = await newShop('JPY');
    await setMinimum(20);
    expect([outcomeOf(await orderPieces(1)), outcomeOf(await orderPieces(2))]).toEqual([REFUSAL, 'made']);
  });

  it('is compared with the price of goods after discounts, without shipment', async () => {
    await setUp(shop, 'shipment_methods', [{ code: 'courier', name: 'Courier', price: 100, vat_rate: 20 }]);
    await setMinimum(20);
    expect(outcomeOf(await orderPieces(1, { shipment_method_code: 'courier' }))).toEqual(REFUSAL);
    await setUp(shop, 'promotions', [{ code: 'TEN', name: 'Ten off', kind: 'percentage', value: 10 }]);
    expect(outcomeOf(await orderPieces(2))).toEqual(REFUSAL);
    expect(outcomeOf(await orderPieces(3))).toBe('made');
  });

  it('refuses an evaluation below a later minimum, but keeps the evaluation usable', async () => {
    const id = await evaluate(shop, [{ code: 'A', qty: 1 }]);
    await setMinimum(20);
    expect(outcomeOf(await createProforma(id))).toEqual(REFUSAL);
    expect(await stockOf(shop, 'A')).toMatchObject({ reserved: 0 });
    await setMinimum(0);
    expect(outcomeOf(await createProforma(id))).toBe('made');
  });

  it('does not restrict baskets of other apps', async () => {
    const otherApp = await newShop();
    await setMinimum(10_000, otherApp);
    expect(outcomeOf(await orderPieces(1))).toBe('made');
  });

  it('refuses a basket with a translated message', async () => {
    await shop.patch('/app/settings', { translations: { en: { [REFUSAL_KEY]: 'At least 20 RSD, please' } } });
    await setMinimum(20);
    expect(outcomeOf(await orderPieces(1))).toEqual([422, { errors: { ProformaOrders: ['At least 20 RSD, please'] } }]);
  });

  it('prevents a change of the currency unless the minimum changes too', async () => {
    const emptyApp = await api.app();
    await setMinimum(20, emptyApp);
    const { status, body } = await emptyApp.patch('/app/settings', { currency: 'JPY' });
    expect([status, body]).toEqual([422, { errors: { currency: ['is invalid'] } }]);
    const reply = await emptyApp.patch('/app/settings', {
      currency: 'JPY',
      proforma: { minimum_basket_amount: 2_000 },
    });
    expect(reply.body.data).toMatchObject({ currency: 'JPY', proforma: { minimum_basket_amount: 2_000 } });
  });

  it.each([-1, 100_000_000_000_001, 1.005])('cannot be %d', async (amount) => {
    const { status, body } = await setMinimum(amount);
    expect([status, body]).toEqual([422, { errors: { 'proforma.minimum_basket_amount': ['is invalid'] } }]);
  });

  it.each(['1000', true])('is answered 400 when it is %j', async (amount) => {
    const { status } = await shop.patch('/app/settings', { proforma: { minimum_basket_amount: amount } });
    expect(status).toBe(400);
  });
});
