import { GUEST, methodId, newCustomer, propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

type Customer = Awaited<ReturnType<typeof newCustomer>>;

let api: TestApi;
let shop: Client;
let mira: Customer;
let miraProformaIds: number[];

beforeAll(async () => {
  api = await testApi();
  shop = await newShop();
  mira = await newCustomer(shop, 'mira@example.com');
  const vera = await newCustomer(shop, 'vera@example.com');
  miraProformaIds = [];
  for (const [qty, buyer] of [
    [2, mira],
    [9, vera],
    [3, mira],
    [8, { guest: GUEST }],
    [1, mira],
  ] as const) {
    const { id } = await propose(shop, [{ code: 'A', qty }], buyer);
    if (buyer === mira) miraProformaIds.push(id);
    api.clock.forward({ hours: 1 });
  }
  const payment = { payment_method_id: await methodId(shop, 'cash'), amount: 0 };
  expect((await shop.post(`/proforma_orders/${miraProformaIds[1]}/pay`, { payment })).status).toBe(200);
});
afterAll(() => api.close());

async function newShop(): Promise<Client> {
  const client = await api.app();
  await stockShop(client, [{ code: 'A', price: 100, stock: 1_000 }]);
  return client;
}

const pathOf = ({ customer_id: id, data_part: data, time_part: time }: Customer): string =>
  `/customers/${id}/proforma_orders?dataPart=${data}&timePart=${time}`;
const listProformas = async (query = '', customer = mira, client = shop): Promise<Record<string, unknown>[]> => {
  const { status, body } = await client.get(`${pathOf(customer)}&${query}`);
  expect(status).toBe(200);
  return body.data;
};
const listPositions = async (query = ''): Promise<number[]> =>
  (await listProformas(query)).map(({ id }) => miraProformaIds.indexOf(id as number) + 1);

describe('GET /customers/{id}/proforma_orders', () => {
  it('lists only proformas of the customer, with the newest first', async () => {
    expect(await listPositions()).toEqual([3, 2, 1]);
  });

  it('shows the same fields as GET /proforma_orders', async () => {
    const { body } = await shop.get(`/proforma_orders?customer_id=${mira.customer_id}`);
    expect(body.data).toHaveLength(3);
    expect(await listProformas()).toEqual(body.data);
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
    expect(await listPositions(query)).toEqual(expected);
  });

  it.each(['customer_id=1', 'anonymous=true', 'unknown=1'])('ignores %s', async (query) => {
    expect(await listPositions(query)).toEqual([3, 2, 1]);
  });

  it('returns an empty list for a customer without proformas', async () => {
    expect(await listProformas('', await newCustomer(shop, 'new@example.com'))).toEqual([]);
  });

  it('returns 404 for a customer that does not exist', async () => {
    const otherApp = await newShop();
    const missingReply = await shop.get(`/customers/987654321?dataPart=1&timePart=1`);
    const { customer_id: id, data_part: data, time_part: time } = mira;
    const replies = [
      await shop.get(pathOf({ ...mira, customer_id: 987_654_321 })),
      await shop.get(pathOf({ ...mira, data_part: (data % 64) + 1 })),
      await shop.get(pathOf({ ...mira, time_part: time + 1 })),
      await shop.get(`/customers/${id}/proforma_orders?dataPart=40000&timePart=3000000000`),
      await otherApp.get(pathOf(mira)),
    ];
    expect(missingReply.status).toBe(404);
    expect(replies.map(({ status, body }) => [status, body])).toEqual(replies.map(() => [404, missingReply.body]));
  });

  it.each(['', '?dataPart=1', '?dataPart=1&timePart=x'])('returns 400 for the query %p', async (query) => {
    const { status, body } = await shop.get(`/customers/${mira.customer_id}/proforma_orders${query}`);
    expect([status, body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });
});
