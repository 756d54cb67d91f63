import { methodId, propose, NO_PAYMENT_SOURCE, stockShop } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  await stockShop(shop, [
    { code: 'A', price: 100, stock: 1_000 },
    { code: 'B', price: 33.33, vat: 10, stock: 1_000 },
  ]);
});

interface OrderParts {
  readonly id: number;
  readonly data_part: number;
  readonly time_part: number;
}

const ONE_ITEM = [{ code: 'A', qty: 1 }];
const convertProforma = async (id: number, client = shop) =>
  (await client.post(`/proforma_orders/${id}/convert`)).body.data;
const makeOrder = async (items: readonly object[] = ONE_ITEM, fields: object = {}, client = shop) =>
  convertProforma((await propose(client, items, fields)).id, client);
const pay = async (id: number, amount: number, client = shop): Promise<void> => {
  const payment = { payment_method_id: await methodId(client, 'cash'), amount };
  expect((await client.post(`/proforma_orders/${id}/pay`, { payment })).status).toBe(200);
};
const get = ({ id, data_part: data, time_part: time }: OrderParts, client = shop) =>
  client.get(`/orders/${id}?dataPart=${data}&timePart=${time}`);
const list = async (query = '', client = shop) => (await client.get(`/orders${query}`)).body.data;
const idsOf = (rows: readonly OrderParts[]): number[] => rows.map(({ id }) => id);
const now = (): string => api.clock.now().toISOString().slice(0, 19);

describe('GET /orders/{id}', () => {
  it('returns all fields of the order', async () => {
    const items = [
      { code: 'A', qty: 2 },
      { code: 'B', qty: 1 },
    ];
    const proforma = await propose(shop, items, { comment: 'ring twice', tags: ['x'] });
    await pay(proforma.id, 100);
    const newOrder = await convertProforma(proforma.id);
    const line = { id: expect.any(Number), product_id: expect.any(Number), product_variant_id: expect.any(Number) };
    expect((await get(newOrder)).body.data).toEqual({
      id: newOrder.id,
      data_part: newOrder.data_part,
      // Months since January 2020; the test clock starts in November 2026.
      time_part: 82,
      order_number: expect.stringMatching(/^O-2026-[0-9A-HJKMNP-TV-Z]{8}$/),
      order_date: now(),
      invoice_number: null,
      external_ref: null,
      order_status_id: 1,
      order_status: 'open',
      payment_status_id: 2,
      payment_status: 'partial',
      delivery_status_id: 1,
      delivery_status: 'pending',
      tracking: [],
      customer_id: null,
      customer_email: 'ana@example.com',
      customer_first_name: 'Ana',
      customer_last_name: 'Kovačević',
      customer_phone: '+381601112223',
      app_location_id: null,
      sales: 233.33,
      discount: 0,
      net_sales: 196.97,
      vat: 36.36,
      end_sales: 233.33,
      paid: 100,
      debt: 133.33,
      market_id: 1,
      currency_id: 941,
      sales_channel_id: 1,
      sales_channel: 'web',
      proforma_order_id: proforma.id,
      proforma_number: proforma.proforma_number,
      comment: 'ring twice',
      tags: ['x'],
      inserted_at: now(),
      updated_at: now(),
      items: [
        {
          ...line,
          code: 'A',
          barcode: null,
          name: 'Product A',
          qty: 2,
          price: 100,
          vat_rate: 20,
          sales: 200,
          discount: 0,
          end_sales: 200,
          promotions: [],
          warehouse_code: 'W1',
        },
        {
          ...line,
          code: 'B',
          barcode: null,
          name: 'Product B',
          qty: 1,
          price: 33.33,
          vat_rate: 10,
          sales: 33.33,
          discount: 0,
          end_sales: 33.33,
          promotions: [],
          warehouse_code: 'W1',
        },
      ],
      fee_items: [],
      payments: [
        {
          id: expect.any(Number),
          amount: 100,
          payment_method: 'Cash',
          payment_method_id: await methodId(shop, 'cash'),
          payment_status: 'settled',
          payment_date: now(),
          finalized: true,
          ...NO_PAYMENT_SOURCE,
        },
      ],
      tax_brackets: [
        { vat_rate: 10, net: 30.3, vat: 3.03, gross: 33.33 },
        { vat_rate: 20, net: 166.67, vat: 33.33, gross: 200 },
      ],
      delivery_area: {
        address_line_1: 'Bulevar 1',
        city: 'Novi Sad',
        postcode: '21000',
        country: null,
        shipment_method_code: null,
        pickup_point_code: null,
      },
    });
    expect(newOrder.data_part).toBeGreaterThanOrEqual(1);
    expect(newOrder.data_part).toBeLessThanOrEqual(64);
  });

  it.each([
    ['unpaid', 0, 1],
    ['partial', 99.99, 2],
    ['paid', 100, 3],
  ])('shows an order as %s when %d of 100 is paid', async (status, amount, id) => {
    const proforma = await propose(shop, ONE_ITEM);
    if (amount > 0) await pay(proforma.id, amount);
    const newOrder = await convertProforma(proforma.id);
    expect((await get(newOrder)).body.data).toMatchObject({
      payment_status: status,
      payment_status_id: id,
      paid: amount,
    });
  });

  it('shows a free order as paid', async () => {
    await stockShop(shop, [{ code: 'GIFT', price: 0 }]);
    expect(await makeOrder([{ code: 'GIFT', qty: 1 }])).toMatchObject({
      payment_status: 'paid',
      debt: 0,
      payments: [],
    });
  });

  it('has the confirmed quantities and omits lines without confirmed pieces', async () => {
    const items = [
      { code: 'A', qty: 3 },
      { code: 'B', qty: 1 },
    ];
    const { id, items: lines } = await propose(shop, items);
    const adjustments = lines.map((line: { proforma_order_item_id: number }, index: number) => ({
      proforma_order_item_id: line.proforma_order_item_id,
      qty_confirmed: index === 0 ? 2 : 0,
    }));
    await shop.post(`/proforma_orders/${id}/warehouse_confirm`, { adjustments });
    const { data } = (await get(await convertProforma(id))).body;
    expect(data).toMatchObject({ items: [{ code: 'A', qty: 2, sales: 200 }], sales: 200, end_sales: 200 });
    expect(data.items).toHaveLength(1);
  });

  it('has data_part and time_part of its customer', async () => {
    const fields = { email: 'ana@example.com', first_name: 'Ana', last_name: 'K', external_ref: 'ana' };
    const customer = (await shop.post('/customers', { customer: fields })).body.data;
    api.clock.forward({ hours: 24 * 40 });
    const newOrder = await makeOrder(ONE_ITEM, { customer_external_ref: 'ana', guest: null });
    expect(newOrder).toMatchObject({
      customer_id: customer.id,
      customer_email: 'ana@example.com',
      customer_phone: null,
      data_part: customer.data_part,
      time_part: customer.time_part,
    });
    expect((await get(newOrder)).body.data).toEqual(newOrder);
    expect(await makeOrder()).toMatchObject({ time_part: customer.time_part + 1 });
  });

  it.each([
    ['another dataPart', ({ data_part: part }: OrderParts) => ({ data_part: (part % 64) + 1 })],
    ['another timePart', ({ time_part: part }: OrderParts) => ({ time_part: part - 1 })],
    ['its parts exchanged', ({ data_part, time_part }: OrderParts) => ({ data_part: time_part, time_part: data_part })],
    ['a negative dataPart', ({ data_part: part }: OrderParts) => ({ data_part: -part })],
    ['a dataPart beyond 16 bits', () => ({ data_part: 2 ** 15 })],
    ['a timePart beyond 32 bits', () => ({ time_part: 2 ** 31 })],
  ])('finds nothing with %s', async (_, changeParts) => {
    const newOrder = await makeOrder();
    const { status, text } = await get({ ...newOrder, ...changeParts(newOrder) });
    expect([status, text]).toEqual([404, '']);
    expect((await get(newOrder)).status).toBe(200);
  });

  it.each([
    '',
    '?dataPart=1',
    '?timePart=1',
    '?dataPart=1&timePart=x',
    '?dataPart[]=1&timePart=1',
    '?dataPart=1.5&timePart=1',
  ])('is answered 400 with the query "%s"', async (query) => {
    const { id } = await makeOrder();
    const { status, body } = await shop.get(`/orders/${id}${query}`);
    expect([status, body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });
});

describe('GET /orders', () => {
  it('shows the same columns as the full record', async () => {
    const newOrder = await makeOrder([{ code: 'B', qty: 3 }], { comment: 'x', tags: ['a', 'b'] });
    const { items: _1, fee_items: _2, payments: _3, tax_brackets: _4, delivery_area: _5, ...columns } = newOrder;
    expect(await list()).toEqual([columns]);
  });

  it.each([
    ['JPY', 7, 21],
    ['KWD', 0.125, 0.375],
  ])('shows amounts with as many decimals as %s has', async (currency, price, total) => {
    const client = await api.app(currency);
    await stockShop(client, [{ code: 'C', price }]);
    const { data_part: _, ...newOrder } = await makeOrder([{ code: 'C', qty: 3 }], {}, client);
    const [row] = await list('', client);
    expect(row).toMatchObject({
      sales: total,
      end_sales: total,
      debt: total,
      vat: newOrder.vat,
      net_sales: newOrder.net_sales,
    });
  });

  it('lists orders newest first, then by id', async () => {
    const firstOrder = await makeOrder();
    const secondOrder = await makeOrder();
    api.clock.forward({ seconds: 1 });
    const thirdOrder = await makeOrder();
    expect(idsOf(await list())).toEqual(idsOf([thirdOrder, secondOrder, firstOrder]));
  });

  describe('of an app with 35 orders', () => {
    let largeApp: Client;
    let allOrders: OrderParts[];

    beforeAll(async () => {
      largeApp = await api.app();
      await stockShop(largeApp, [{ code: 'A', stock: 1_000 }]);
      for (let count = 0; count < 35; count += 1) await makeOrder(ONE_ITEM, {}, largeApp);
      allOrders = await list('?limit=100', largeApp);
    });

    it('shows 30 orders by default', async () => {
      expect(allOrders).toHaveLength(35);
      expect(await list('', largeApp)).toEqual(allOrders.slice(0, 30));
      expect(await list('?offset=10', largeApp)).toEqual(allOrders.slice(10));
    });

    it('shows every order once over all pages', async () => {
      const pages = [];
      for (let offset = 0; offset < 40; offset += 10) pages.push(await list(`?offset=${offset}&limit=10`, largeApp));
      expect(pages.map((page) => page.length)).toEqual([10, 10, 10, 5]);
      expect(pages.flat()).toEqual(allOrders);
    });

    it.each(['limit=0', 'limit=-1', 'limit=x', 'limit=1.5', 'limit=', 'offset=-1', 'offset=x', 'limit=1&limit=2'])(
      'falls back to the default page for %s',
      async (query) => {
        expect(await list(`?${query}`, largeApp)).toEqual(allOrders.slice(0, 30));
      },
    );

    it.each(['99999999999999999999', '10001', '10000'])('shows at most 10,000 orders for limit %s', async (limit) => {
      expect(await list(`?limit=${limit}`, largeApp)).toEqual(allOrders);
    });

    it.each(['35', '2147483648', '99999999999999999999'])('returns an empty list at offset %s', async (offset) => {
      expect(await list(`?offset=${offset}`, largeApp)).toEqual([]);
    });

    it('takes one statement for any number of orders', async () => {
      await list('?limit=1', largeApp);
      api.statements.length = 0;
      await list('?limit=35', largeApp);
      expect(api.statements).toHaveLength(1);
    });
  });
});
