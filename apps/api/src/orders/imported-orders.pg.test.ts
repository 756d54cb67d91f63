import { importOrder, methodId, newCustomer, NO_PAYMENT_SOURCE, propose, stockShop } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';

let api: TestApi;
let shop: Client;
let cashMethodId: number;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  cashMethodId = await methodId(shop, 'cash');
  await shop.put('/warehouse', { warehouses: [] });
  await shop.post('/int/products', {
    products: [
      {
        code: 'P',
        name: 'Product P',
        price: 100,
        vat_rate: 20,
        variants: [
          { code: 'A', barcode: '860-A', external_ref: 'ref-a' },
          { code: 'B', barcode: '860-B', external_ref: 'ref-b', price: 33.33, vat_rate: 10 },
        ],
      },
      { code: 'Q', name: 'Product Q', vat_rate: 20, variants: [{ code: 'C', barcode: 'A', external_ref: '860-B' }] },
      { code: 'R', name: 'Product R', price: 5, variants: [{ code: 'D' }] },
      { code: 'S', name: 'Product S', price: 7, vat_rate: 20, active: false, variants: [{ code: 'OLD' }] },
    ],
  });
});

const ONE_ITEM = [{ code: 'A', qty: 1 }];
let referenceCount = 0;
const orderFields = (fields: object = {}) => ({
  external_ref: `ref ${(referenceCount += 1)}`,
  items: ONE_ITEM,
  ...fields,
});
const post = (fields: object, client = shop): Promise<Reply> => client.post('/int/orders', { order: fields });
const addOrder = (fields: object = {}, client = shop) => importOrder(client, orderFields(fields));
const now = (): string => api.clock.now().toISOString().slice(0, 19);
const countOrders = async (client = shop): Promise<number> => (await client.get('/orders')).body.data.length;

const expectRefused = async (fields: object): Promise<unknown> => {
  const countBefore = await countOrders();
  const { status, body } = await post(orderFields(fields));
  expect(await countOrders()).toBe(countBefore);
  return [status, body];
};

async function addLocation(code: string, client = shop): Promise<number> {
  const [location] = await api.database.rows<{ id: number }>(
    `insert into app_locations (app_id, code, name, latitude, longitude, inserted_at, updated_at)
     values ($1, $2, $2, 44.8, 20.4, now(), now()) returning id`,
    [client.appId, code],
  );
  return location!.id;
}

describe('POST /int/orders', () => {
  it('imports an order with consistent totals and its payments', async () => {
    const locationId = await addLocation('DOWNTOWN');
    const items = [
      { code: 'A', qty: 2, price: 90.5 },
      { code: 'B', qty: 3 },
    ];
    const payments = [
      { payment_method_id: cashMethodId, amount: 100 },
      { payment_method_id: await methodId(shop, 'card'), amount: 0.99 },
    ];
    const newOrder = await addOrder({
      external_ref: 'erp-7',
      order_number: 'WEB-7',
      order_date: '2026-10-01T08:30:00',
      app_location_code: 'DOWNTOWN',
      items,
      payments,
    });
    const line = { id: expect.any(Number), product_id: expect.any(Number), product_variant_id: expect.any(Number) };
    const payment = {
      ...NO_PAYMENT_SOURCE,
      id: expect.any(Number),
      payment_status: 'settled',
      payment_date: now(),
      finalized: true,
    };
    expect(newOrder).toEqual({
      id: newOrder.id,
      data_part: newOrder.data_part,
      // Months since January 2020; the test clock starts in November 2026.
      time_part: 82,
      order_number: 'WEB-7',
      order_date: '2026-10-01T08:30:00',
      invoice_number: null,
      external_ref: 'erp-7',
      order_status_id: 1,
      order_status: 'open',
      payment_status_id: 2,
      payment_status: 'partial',
      delivery_status_id: 1,
      delivery_status: 'pending',
      tracking: [],
      customer_id: null,
      customer_email: null,
      customer_first_name: null,
      customer_last_name: null,
      customer_phone: null,
      app_location_id: locationId,
      sales: 280.99,
      discount: 0,
      net_sales: 241.73,
      vat: 39.26,
      end_sales: 280.99,
      paid: 100.99,
      debt: 180,
      market_id: 1,
      currency_id: 941,
      sales_channel_id: 1,
      sales_channel: 'web',
      proforma_order_id: null,
      proforma_number: null,
      comment: null,
      tags: [],
      inserted_at: now(),
      updated_at: now(),
      items: [
        {
          ...line,
          code: 'A',
          barcode: '860-A',
          name: 'Product P',
          qty: 2,
          price: 90.5,
          vat_rate: 20,
          sales: 181,
          discount: 0,
          end_sales: 181,
          promotions: [],
          warehouse_code: null,
        },
        {
          ...line,
          code: 'B',
          barcode: '860-B',
          name: 'Product P',
          qty: 3,
          price: 33.33,
          vat_rate: 10,
          sales: 99.99,
          discount: 0,
          end_sales: 99.99,
          promotions: [],
          warehouse_code: null,
        },
      ],
      fee_items: [],
      payments: [
        { ...payment, amount: 100, payment_method: 'Cash', payment_method_id: cashMethodId },
        { ...payment, amount: 0.99, payment_method: 'Card', payment_method_id: payments[1]!.payment_method_id },
      ],
      tax_brackets: [
        { vat_rate: 10, net: 90.9, vat: 9.09, gross: 99.99 },
        { vat_rate: 20, net: 150.83, vat: 30.17, gross: 181 },
      ],
      delivery_area: {
        address_line_1: null,
        city: null,
        postcode: null,
        country: null,
        shipment_method_code: null,
        pickup_point_code: null,
      },
    });
    expect(newOrder.data_part).toBeGreaterThanOrEqual(1);
    expect(newOrder.data_part).toBeLessThanOrEqual(64);
    const parts = `dataPart=${newOrder.data_part}&timePart=${newOrder.time_part}`;
    expect((await shop.get(`/orders/${newOrder.id}?${parts}`)).body.data).toEqual(newOrder);
  });

  it('needs only an external reference and an item', async () => {
    const newOrder = await addOrder();
    expect(newOrder).toMatchObject({
      order_number: expect.stringMatching(/^O-2026-[0-9A-HJKMNP-TV-Z]{8}$/),
      order_date: now(),
      sales: 100,
      vat: 16.67,
      payments: [],
      payment_status: 'unpaid',
      debt: 100,
    });
  });

  it.each([
    ['nulls', null],
    ['empty texts', ''],
    ['blank texts', ' \t'],
  ])('treats %s as absent', async (_, emptyValue) => {
    const texts = { order_number: emptyValue, app_location_code: emptyValue };
    const nulls = emptyValue === null ? { order_date: null, customer_id: null, payments: null } : {};
    const items = [{ code: 'A', barcode: '', external_ref: null, qty: 1, price: null }];
    expect(
      await addOrder({ ...texts, ...nulls, customer_external_ref: emptyValue === null ? null : '', items }),
    ).toMatchObject({
      order_number: expect.stringMatching(/^O-2026-/),
      app_location_id: null,
      customer_id: null,
      sales: 100,
    });
  });

  it.each([
    ['the variant’s own price and VAT', { code: 'B', qty: 2 }, { price: 33.33, vat_rate: 10, sales: 66.66 }],
    ['the product’s price and VAT', { code: 'A', qty: 2 }, { price: 100, vat_rate: 20, sales: 200 }],
    ['the price that is sent', { code: 'A', qty: 2, price: 0.01 }, { price: 0.01, vat_rate: 20, sales: 0.02 }],
    ['a price of 0', { code: 'A', qty: 2, price: 0 }, { price: 0, vat_rate: 20, sales: 0 }],
    ['a price where the catalogue has none', { code: 'C', qty: 1, price: 9 }, { price: 9, vat_rate: 20, sales: 9 }],
    ['no VAT, counted as 0', { code: 'D', qty: 1 }, { price: 5, vat_rate: null, sales: 5 }],
    ['a product that is no longer sold', { code: 'OLD', qty: 1 }, { price: 7, vat_rate: 20, sales: 7 }],
  ])('stores %s', async (_, item, expected) => {
    const newOrder = await addOrder({ items: [item] });
    expect(newOrder.items).toMatchObject([expected]);
    expect(newOrder.end_sales).toBe(newOrder.net_sales + newOrder.vat);
  });

  it.each([
    ['JPY', 7, 21],
    ['KWD', 0.125, 0.375],
  ])('returns amounts with the decimals of %s', async (currency, price, total) => {
    const client = await api.app(currency);
    await stockShop(client, [{ code: 'X', price: 1 }]);
    const items = [{ code: 'X', qty: 3, price }];
    const payments = [{ payment_method_id: await methodId(client, 'cash'), amount: total }];
    expect(await importOrder(client, orderFields({ items, payments }))).toMatchObject({
      end_sales: total,
      paid: total,
      debt: 0,
    });
    const finerReply = await post(orderFields({ items: [{ code: 'X', qty: 1, price: price + price / 100 }] }), client);
    expect([finerReply.status, finerReply.body]).toEqual([422, { errors: { 'items.0.price': ['is invalid'] } }]);
  });

  it('ignores unknown fields', async () => {
    const unknownFields = { id: 1, app_id: 1, paid: 5, order_status_id: 3, sales: 1, data_part: 7, time_part: 7 };
    expect(await addOrder(unknownFields)).toMatchObject({ paid: 0, order_status: 'open', sales: 100, time_part: 82 });
  });

  it('takes 1,000 items with as many statements as one item', async () => {
    const countStatements = async (items: readonly object[]): Promise<number> => {
      api.statements.length = 0;
      await addOrder({ items });
      return api.statements.length;
    };
    await addOrder();
    const statementsForOne = await countStatements(ONE_ITEM);
    expect(await countStatements(Array.from({ length: 1_000 }, () => ({ code: 'B', qty: 1 })))).toBe(statementsForOne);
  });
});

describe('the customer of POST /int/orders', () => {
  const customerFields = (external_ref: string) => ({
    external_ref,
    email: 'ana@example.com',
    first_name: 'Ana',
    last_name: 'K',
  });

  it.each([
    ['three parts', (c: CustomerParts) => ({ customer_id: c.id, data_part: c.data_part, time_part: c.time_part })],
    ['an external reference', () => ({ customer_external_ref: 'crm-1' })],
    [
      'three parts before the reference',
      (c: CustomerParts) => ({
        customer_id: c.id,
        data_part: c.data_part,
        time_part: c.time_part,
        customer_external_ref: 'x',
      }),
    ],
  ])('is identified by %s, and determines data_part and time_part of the order', async (_, name) => {
    const addedCustomer = (await shop.post('/customers', { customer: { ...customerFields('crm-1'), phone: '+381' } }))
      .body.data;
    api.clock.forward({ hours: 24 * 60 });
    expect(await addOrder(name(addedCustomer))).toMatchObject({
      customer_id: addedCustomer.id,
      customer_email: 'ana@example.com',
      customer_first_name: 'Ana',
      customer_last_name: 'K',
      customer_phone: '+381',
      data_part: addedCustomer.data_part,
      time_part: addedCustomer.time_part,
    });
    api.clock.forward({ hours: -24 * 60 });
  });

  it('is not shown to a token that reads neither orders nor customers', async () => {
    await shop.post('/customers', { customer: customerFields('crm-1') });
    const emailFor = async (...scopes: readonly string[]) => {
      const { body } = await shop.post('/access_tokens', { access_token: { name: 'ERP', scopes } });
      const client = api.clientWith(shop.appId, body.data.access_token);
      return (await addOrder({ customer_external_ref: 'crm-1' }, client)).customer_email;
    };
    expect(await emailFor('orders:write')).toBe(null);
    expect(await emailFor('orders:write', 'orders:read')).toBe('ana@example.com');
  });

  it('is not found (API.Customers.NotFound) by any other identifier', async () => {
    const ownCustomer = (await shop.post('/customers', { customer: customerFields('crm-1') })).body
      .data as CustomerParts;
    const otherApp = await api.app();
    const foreignCustomer = await newCustomer(otherApp, 'mira@example.com');
    const { id: customer_id, data_part, time_part } = ownCustomer;
    for (const name of [
      { customer_external_ref: 'CRM-1' },
      { customer_external_ref: 'crm-1 ' },
      { customer_id, data_part: (data_part % 64) + 1, time_part },
      { customer_id, data_part, time_part: time_part + 1 },
      { customer_id: 987_654, data_part, time_part },
      { customer_id: Number.MAX_SAFE_INTEGER, data_part, time_part },
      { customer_id: -1, data_part: -1, time_part: -1 },
      { ...foreignCustomer },
      { customer_id: 987_654, data_part, time_part, customer_external_ref: 'crm-1' },
    ]) {
      expect(await expectRefused(name)).toEqual([422, { errors: { Customers: ['API.Customers.NotFound'] } }]);
    }
  });

  it.each([
    [{ customer_id: 1 }, 'data_part'],
    [{ customer_id: 1, time_part: 1 }, 'data_part'],
    [{ customer_id: 1, data_part: 1, time_part: null }, 'time_part'],
  ])('needs data_part and time_part with an id: %j', async (name, field) => {
    expect(await expectRefused(name)).toEqual([422, { errors: { [field]: ["can't be blank"] } }]);
  });

  interface CustomerParts {
    readonly id: number;
    readonly data_part: number;
    readonly time_part: number;
  }
});

describe('an item of POST /int/orders', () => {
  it.each([
    ['code', { code: 'B' }, 'B'],
    ['barcode', { barcode: '860-B' }, 'B'],
    ['external_ref', { external_ref: 'ref-b' }, 'B'],
    ['code before barcode and external_ref', { code: 'B', barcode: '860-A', external_ref: 'ref-a' }, 'B'],
    ['barcode before external_ref', { barcode: '860-B', external_ref: 'ref-a' }, 'B'],
    ['barcode when the code finds none', { code: 'none', barcode: '860-B', external_ref: 'ref-a' }, 'B'],
    ['external_ref when the others find none', { code: 'none', barcode: 'none', external_ref: 'ref-b' }, 'B'],
    ['code, though it is a barcode of another variant', { code: 'A' }, 'A'],
    ['barcode, though it is a code of another variant', { barcode: 'A' }, 'C'],
    ['external_ref, though it is a barcode of another variant', { external_ref: '860-B' }, 'C'],
  ])('is found by %s', async (_, identifiers, code) => {
    expect((await addOrder({ items: [{ ...identifiers, qty: 1, price: 1 }] })).items).toMatchObject([{ code }]);
  });

  it.each([
    ['an unknown code', { code: 'none' }],
    ['another case', { code: 'a' }],
    ['a space', { code: 'A ' }],
    ['a product’s code', { code: 'P' }],
    ['a code as barcode', { barcode: 'B' }],
    ['nothing', {}],
    ['empty texts', { code: '', barcode: '', external_ref: '' }],
  ])('fails with API.Order.ProductNotFound for %s', async (_, identifiers) => {
    const items = [...ONE_ITEM, { qty: 1, ...identifiers }];
    expect(await expectRefused({ items })).toEqual([422, { error: 'API.Order.ProductNotFound' }]);
  });

  it('fails with API.Order.AppLocationNotFound when a location code does not match exactly', async () => {
    const id = await addLocation('L1');
    await addLocation('L2', await api.app());
    expect(await addOrder({ app_location_code: 'L1' })).toMatchObject({ app_location_id: id });
    for (const app_location_code of ['l1', 'L1 ', 'L2', 'L']) {
      expect(await expectRefused({ app_location_code })).toEqual([422, { error: 'API.Order.AppLocationNotFound' }]);
    }
  });
});

describe('POST /int/orders with an invalid order', () => {
  const ALREADY_EXISTS = [422, { error: 'API.Order.OrderAlreadyExists' }];

  it('returns API.Order.OrderAlreadyExists for a taken reference or number', async () => {
    await addOrder({ external_ref: 'erp-1', order_number: 'N-1' });
    expect(await expectRefused({ external_ref: 'erp-1' })).toEqual(ALREADY_EXISTS);
    expect(await expectRefused({ external_ref: 'erp-1', order_number: 'N-2' })).toEqual(ALREADY_EXISTS);
    expect(await expectRefused({ external_ref: 'erp-2', order_number: 'N-1' })).toEqual(ALREADY_EXISTS);
    await addOrder({ external_ref: 'ERP-1', order_number: 'n-1' });
    expect(await expectRefused({ external_ref: 'erp-1 ' })).toEqual(ALREADY_EXISTS);
    expect(await countOrders()).toBe(2);
    const otherApp = await api.app();
    await stockShop(otherApp, [{ code: 'A' }]);
    expect((await post(orderFields({ external_ref: 'erp-1', order_number: 'N-1' }), otherApp)).status).toBe(201);
  });

  it('returns API.Order.OrderAlreadyExists for a reference that was stored with spaces', async () => {
    await addOrder({ external_ref: 'erp-1' });
    await api.database.rows(`update orders set external_ref = ' erp-1 ' where app_id = $1`, [shop.appId]);
    expect(await expectRefused({ external_ref: ' erp-1 ' })).toEqual(ALREADY_EXISTS);
    await addOrder({ external_ref: 'erp-1' });
  });

  it('returns API.Order.OrderAlreadyExists for the number of a converted order', async () => {
    await stockShop(shop, [{ code: 'A' }]);
    const { id } = await propose(shop, ONE_ITEM);
    const { order_number } = (await shop.post(`/proforma_orders/${id}/convert`)).body.data;
    expect(await expectRefused({ order_number })).toEqual(ALREADY_EXISTS);
  });

  it('returns refusals in the language of the token', async () => {
    await shop.patch('/app/settings', {
      translations: {
        sr: { 'API.Order.OrderAlreadyExists': 'Već postoji', 'API.Utils.WrongDataType': 'Pogrešan tip' },
      },
    });
    const token = await api.container.get(TOKENS.Apps).issueToken({ appId: shop.appId, language: 'sr' });
    const serbianClient = api.withOrigins({ ...shop, token: token as string }, [api.origin]);
    await addOrder({ external_ref: 'erp-1' });
    expect((await post(orderFields({ external_ref: 'erp-1' }), serbianClient)).body).toEqual({ error: 'Već postoji' });
    expect((await post(orderFields({ external_ref: 1 }), serbianClient)).body.errors.Utils).toEqual(['Pogrešan tip']);
  });

  it('returns API.Products.MissingPrice when neither the order nor the catalogue has a price', async () => {
    const items = [...ONE_ITEM, { code: 'C', qty: 1 }];
    expect(await expectRefused({ items })).toEqual([422, { errors: { Products: ['API.Products.MissingPrice'] } }]);
  });

  it('returns API.PaymentMethod.NotSupported for a method that the app does not have', async () => {
    const foreignMethodId = await methodId(await api.app(), 'cash');
    for (const payment_method_id of [foreignMethodId, 0, -1, 987_654, Number.MAX_SAFE_INTEGER]) {
      const payments = [
        { payment_method_id: cashMethodId, amount: 1 },
        { payment_method_id, amount: 1 },
      ];
      expect(await expectRefused({ payments })).toEqual([
        422,
        { errors: { PaymentMethod: ['API.PaymentMethod.NotSupported'] } },
      ]);
    }
  });

  const longText = 'x'.repeat(256);
  it.each([
    [
      'nothing',
      { external_ref: undefined, items: undefined },
      { external_ref: ["can't be blank"], items: ["can't be blank"] },
    ],
    ['nulls', { external_ref: null, items: null }, { external_ref: ["can't be blank"], items: ["can't be blank"] }],
    [
      'a blank reference and no items',
      { external_ref: ' ', items: [] },
      { external_ref: ["can't be blank"], items: ["can't be blank"] },
    ],
    [
      'long texts',
      { external_ref: longText, order_number: longText, app_location_code: longText },
      { external_ref: ['is too long'], order_number: ['is too long'], app_location_code: ['is too long'] },
    ],
    [
      'invalid texts',
      { external_ref: 'a\0', order_number: '\ud800' },
      { external_ref: ['is invalid'], order_number: ['is invalid'] },
    ],
    ['a day that does not exist', { order_date: '2026-02-30' }, { order_date: ['is invalid'] }],
    ['an empty item', { items: [{}] }, { 'items.0.qty': ["can't be blank"] }],
    ['a quantity of 0', { items: [...ONE_ITEM, { code: 'A', qty: 0 }] }, { 'items.1.qty': ['must be greater than 0'] }],
    ['a huge quantity', { items: [{ code: 'A', qty: 1_000_001 }] }, { 'items.0.qty': ['is invalid'] }],
    ['a negative price', { items: [{ code: 'A', qty: 1, price: -1 }] }, { 'items.0.price': ['is invalid'] }],
    [
      'prices of three decimals',
      { items: [{ code: 'A', qty: 1, price: 0.001 }, ...ONE_ITEM, { code: 'A', qty: 1, price: 1.005 }] },
      { 'items.0.price': ['is invalid'], 'items.2.price': ['is invalid'] },
    ],
    ['an excessive total', { items: [{ code: 'A', qty: 1_000_000, price: 1e12 }] }, { items: ['is invalid'] }],
    ['1,001 items', { items: Array.from({ length: 1_001 }, () => ONE_ITEM[0]) }, { items: ['is too long'] }],
    [
      'an empty payment',
      { payments: [{}] },
      { 'payments.0.payment_method_id': ["can't be blank"], 'payments.0.amount': ["can't be blank"] },
    ],
  ])('reports every failing field of %s', async (_, fields, errors) => {
    expect(await expectRefused(fields)).toEqual([422, { errors }]);
  });

  it.each([
    [0, 'must be greater than 0'],
    [-1, 'must be greater than 0'],
    [0.001, 'is invalid'],
    [1e13, 'is invalid'],
  ])('refuses a payment of %d: %s', async (amount, text) => {
    const payments = [{ payment_method_id: cashMethodId, amount }];
    expect(await expectRefused({ payments })).toEqual([422, { errors: { 'payments.0.amount': [text] } }]);
  });

  it('refuses payments whose sum is too large', async () => {
    const payments = Array.from({ length: 2 }, () => ({ payment_method_id: cashMethodId, amount: 1e12 }));
    expect((await addOrder({ payments: payments.slice(0, 1) })).paid).toBe(1e12);
    expect(await expectRefused({ payments })).toEqual([422, { errors: { payments: ['is invalid'] } }]);
  });
});

describe('POST /int/orders with values of a wrong type', () => {
  const expectWrongTypes = async (fields: object) => {
    const [status, body] = (await expectRefused(fields)) as [number, { errors: { Utils: string[]; fields: object[] } }];
    expect([status, body.errors.Utils]).toEqual([400, ['API.Utils.WrongDataType']]);
    return body.errors.fields;
  };
  const field = (name: string, expected_type: string, received_type: string, received_value: unknown) => ({
    field: name,
    expected_type,
    received_type,
    received_value,
  });

  it('returns every wrong field with its path, both types and the value', async () => {
    const fields = await expectWrongTypes({
      external_ref: 5,
      order_number: true,
      order_date: 20_261_121,
      app_location_code: ['L1'],
      customer_id: '7',
      data_part: 1.5,
      customer_external_ref: { a: 1 },
      items: [
        { code: 'A', qty: '2', price: '9.90' },
        { code: 1, barcode: 2, external_ref: [null], qty: 1.5 },
        { code: 'A', qty: 1 },
        { code: 'A', qty: [1], price: {} },
      ],
      payments: [{ payment_method_id: 'cash', amount: '5' }],
    });
    expect(fields).toEqual(
      expect.arrayContaining([
        field('external_ref', 'string', 'integer', 5),
        field('order_number', 'string', 'boolean', true),
        field('order_date', 'string', 'integer', 20_261_121),
        field('app_location_code', 'string', 'array', ['L1']),
        field('customer_id', 'integer', 'string', '7'),
        field('data_part', 'integer', 'number', 1.5),
        field('customer_external_ref', 'string', 'object', { a: 1 }),
        field('items.0.qty', 'integer', 'string', '2'),
        field('items.0.price', 'number', 'string', '9.90'),
        field('items.1.code', 'string', 'integer', 1),
        field('items.1.barcode', 'string', 'integer', 2),
        field('items.1.external_ref', 'string', 'array', [null]),
        field('items.1.qty', 'integer', 'number', 1.5),
        field('items.3.qty', 'integer', 'array', [1]),
        field('items.3.price', 'number', 'object', {}),
        field('payments.0.payment_method_id', 'integer', 'string', 'cash'),
        field('payments.0.amount', 'number', 'string', '5'),
      ]),
    );
    expect(fields).toHaveLength(17);
  });

  it.each([
    ['a text', 'A', 'string'],
    ['a number', 5, 'integer'],
    ['an object', { 0: { code: 'A', qty: 1 } }, 'object'],
    ['true', true, 'boolean'],
  ])('reports a list that is %s', async (_, items, type) => {
    expect(await expectWrongTypes({ items })).toEqual([field('items', 'array', type, items)]);
    expect(await expectWrongTypes({ payments: items })).toEqual([field('payments', 'array', type, items)]);
  });

  it('reports entries that are not objects, and wrong fields of other entries', async () => {
    const items = [null, 5, { code: 'A', qty: 'x' }, [{ code: 'A', qty: 'y' }], 'A', { code: 'A', qty: 1 }];
    expect(await expectWrongTypes({ items })).toEqual(
      expect.arrayContaining([
        field('items.0', 'object', 'null', null),
        field('items.1', 'object', 'integer', 5),
        field('items.2.qty', 'integer', 'string', 'x'),
        field('items.3', 'object', 'array', items[3]),
        field('items.4', 'object', 'string', 'A'),
      ]),
    );
    expect(await expectWrongTypes({ items })).toHaveLength(5);
  });

  it('reports only wrong types and checks no other rule', async () => {
    expect(
      await expectWrongTypes({
        external_ref: '',
        order_date: 'yesterday',
        items: [{ code: 'none', qty: 0, price: 'x' }],
      }),
    ).toEqual([field('items.0.price', 'number', 'string', 'x')]);
  });

  it.each([
    ['no order', {}],
    ['null as the order', { order: null }],
    ['a list as the order', { order: [] }],
    ['a text as the order', { order: 'x' }],
    ['fields outside the order', { external_ref: 'x', items: ONE_ITEM }],
  ])('answers 400 for %s', async (_, body) => {
    const reply = await shop.post('/int/orders', body);
    expect([reply.status, reply.body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });
});

describe('concurrent calls of POST /int/orders', () => {
  const callTwentyTimes = (call: (index: number) => Promise<Reply>) =>
    Promise.all(Array.from({ length: 20 }, (_, index) => call(index)));

  it('create all orders, and count every piece', async () => {
    const items = [
      { code: 'A', qty: 1 },
      { code: 'D', qty: 2 },
    ];
    const replies = await callTwentyTimes((index) =>
      post(orderFields({ items: index % 2 === 0 ? items : items.toReversed() })),
    );
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
    const readSoldPieces = async (code: string) => (await shop.get(`/products?code=${code}`)).body.data.sales_quantity;
    expect([await readSoldPieces('P'), await readSoldPieces('R')]).toEqual([20, 40]);
  });

  it('create only one order for one Idempotency-Key, and repeat its answer', async () => {
    const keyedShop = shop.keyed('one');
    const fields = orderFields();
    const replies = await callTwentyTimes(() => post(fields, keyedShop));
    expect(replies.map(({ status }) => status).filter((status) => status !== 201 && status !== 409)).toEqual([]);
    const repeatedReply = await post(fields, keyedShop);
    expect([repeatedReply.status, repeatedReply.headers['idempotency-replayed']]).toEqual([201, 'true']);
    expect(repeatedReply.body).toEqual(replies.find(({ status }) => status === 201)!.body);
    expect(await countOrders()).toBe(1);
  });
});
