import { GUEST, methodId, newCustomer, propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

type Customer = Awaited<ReturnType<typeof newCustomer>>;

let api: TestApi;
let shop: Client;
let mira: Customer;
/** Mira's proformas, the oldest first. */
let made: number[];

beforeAll(async () => {
  api = await testApi();
  shop = await newShop();
  mira = await newCustomer(shop, 'mira@example.com');
  const vera = await newCustomer(shop, 'vera@example.com');
  made = [];
  for (const [qty, buyer] of [
    [2, mira],
    [9, vera],
    [3, mira],
    [8, { guest: GUEST }],
    [1, mira],
  ] as const) {
    const { id } = await propose(shop, [{ code: 'A', qty }], buyer);
    if (buyer === mira) made.push(id);
    api.clock.forward({ hours: 1 });
  }
  const payment = { payment_method_id: await methodId(shop, 'cash'), amount: 0 };
  expect((await shop.post(`/proforma_orders/${made[1]}/pay`, { payment })).status).toBe(200);
});
afterAll(() => api.close());

async function newShop(): Promise<Client> {
  const client = await api.app();
  await stockShop(client, [{ code: 'A', price: 100, stock: 1_000 }]);
  return client;
}

const pathOf = ({ customer_id: id, data_part: data, time_part: time }: Customer): string =>
  `/customers/${id}/proforma_orders?dataPart=${data}&timePart=${time}`;
const list = async (query = '', customer = mira, client = shop): Promise<Record<string, unknown>[]> => {
  const { status, body } = await client.get(`${pathOf(customer)}&${query}`);
  expect(status).toBe(200);
  return body.data;
};
/** Listed proformas as 1 to 3, the oldest being 1. */
const found = async (query = ''): Promise<number[]> =>
  (await list(query)).map(({ id }) => made.indexOf(id as number) + 1);

describe('GET /customers/{id}/proforma_orders', () => {
  it('lists only proformas of the customer, newest first', async () => {
    expect(await found()).toEqual([3, 2, 1]);
  });

  it('shows the same fields as GET /proforma_orders', async () => {
    const { body } = await shop.get(`/proforma_orders?customer_id=${mira.customer_id}`);
    expect(body.data).toHaveLength(3);
    expect(await list()).toEqual(body.data);
  });

  it.each([
    ['limit=2', [3, 2]],
    ['limit=2&offset=2', [1]],
    ['offset=3', []],
    ['orderBy=end_sales', [3, 1, 2]],
    ['orderBy=end_sales desc', [2, 1, 3]],
    ['orderBy=nothing', [3, 2, 1]],
    ['orderBy=inserted_at asc&limit=1&offset=1', [2]],
    ['status=paid', [2]],
    ['status=nothing', [3, 2, 1]],
    ['expiring_within=0', []],
    ['has_alerts=true', []],
  ])('accepts %s', async (query, expected) => {
    expect(await found(query)).toEqual(expected);
  });

  it.each(['customer_id=1', 'anonymous=true', 'unknown=1'])('ignores %s', async (query) => {
    expect(await found(query)).toEqual([3, 2, 1]);
  });

  it('is empty for a customer without proformas', async () => {
    expect(await list('', await newCustomer(shop, 'new@example.com'))).toEqual([]);
  });

  it('answers 404 for a customer that does not exist', async () => {
    const other = await newShop();
    const missing = await shop.get(`/customers/987654321?dataPart=1&timePart=1`);
    const { customer_id: id, data_part: data, time_part: time } = mira;
    const answers = [
      await shop.get(pathOf({ ...mira, customer_id: 987_654_321 })),
      await shop.get(pathOf({ ...mira, data_part: (data % 64) + 1 })),
      await shop.get(pathOf({ ...mira, time_part: time + 1 })),
      await shop.get(`/customers/${id}/proforma_orders?dataPart=40000&timePart=3000000000`),
      await other.get(pathOf(mira)),
    ];
    expect(missing.status).toBe(404);
    expect(answers.map(({ status, body }) => [status, body])).toEqual(answers.map(() => [404, missing.body]));
  });

  it.each(['', '?dataPart=1', '?dataPart=1&timePart=x'])('answers 400 for the parts %p', async (query) => {
    const { status, body } = await shop.get(`/customers/${mira.customer_id}/proforma_orders${query}`);
    expect([status, body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });
});
