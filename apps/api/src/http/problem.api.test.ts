import { evaluate, methodId, propose, putStock, stockShop, warehouse } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

const PROBLEMS = { Accept: 'application/problem+json, application/json' };

let api: TestApi;
let shop: Client;
let client: Client;

beforeAll(async () => {
  api = await testApi({ JSON_LIMIT: '1000000' });
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  client = shop.with(PROBLEMS);
});

function errorsOf({ status, headers, body }: Reply): [status: number, errors: object[]] {
  expect(headers['content-type']).toBe('application/problem+json');
  expect(body).toMatchObject({ type: 'about:blank', status, request_id: headers['x-request-id'] });
  expect(body.detail).toBe(body.errors[0].message);
  return [status, body.errors];
}

describe('Accept: application/problem+json', () => {
  it('does not change successful answers', async () => {
    const { status, headers, body } = await client.get('/app/settings');
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body.data.name).toBe('Test');
  });

  it.each(['application/json', '*/*', 'application/problem+json;q=0, */*'])(
    'has no effect within the header %s',
    async (accept) => {
      const { headers, body } = await shop.with({ Accept: accept }).post('/proforma_orders', {});
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(body).toEqual({ errors: { order_processing_id: ["can't be blank"] } });
    },
  );

  it('is answered 406 as a problem document when it excludes JSON', async () => {
    expect(errorsOf(await shop.with({ Accept: 'application/problem+json' }).get('/app/settings'))).toEqual([
      406,
      [{ key: 'Request.NotAcceptable', message: expect.any(String) }],
    ]);
  });

  it('is recognized in any case', async () => {
    const accept = 'Application/Problem+JSON, application/json';
    expect(errorsOf(await shop.with({ Accept: accept }).get('/proforma_orders/1'))[0]).toBe(404);
  });

  it('is stored with a keyed answer', async () => {
    const first = await client.keyed('k').post('/proforma_orders', {});
    const second = await client.keyed('k').post('/proforma_orders', {});
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect([second.headers['content-type'], second.text]).toEqual([first.headers['content-type'], first.text]);
  });
});

describe('a problem document', () => {
  it('names missing tokens, scopes and records', async () => {
    expect(errorsOf(await client.with({ Authorization: '' }).get('/app/settings'))).toMatchObject([
      401,
      [{ key: 'API.Tokens.Invalid' }],
    ]);
    const scope = { access_token: { name: 'reader', scopes: ['stock:read'] } };
    const { access_token: token } = (await shop.post('/access_tokens', scope)).body.data;
    const reader = api.clientWith(shop.appId, token).with(PROBLEMS);
    expect(errorsOf(await reader.get('/app/settings'))).toMatchObject([
      403,
      [{ key: 'API.Tokens.ScopeMissing', details: { scope: 'settings:read' } }],
    ]);
    expect(errorsOf(await client.get('/proforma_orders/1'))).toMatchObject([404, [{ key: 'Request.NotFound' }]]);
    expect(errorsOf(await client.get('/nowhere'))).toMatchObject([404, [{ key: 'Request.NotFound' }]]);
  });

  it('points to every invalid field, below its wrapper', async () => {
    expect(errorsOf(await client.post('/warehouses', { warehouse: { name: ' ', market_id: 0 } }))).toMatchObject([
      422,
      [
        { key: 'Fields.CantBeBlank', message: "can't be blank", pointer: '/warehouse/name' },
        { key: 'Fields.CantBeBlank', pointer: '/warehouse/address_line_1' },
        { key: 'Fields.CantBeBlank', pointer: '/warehouse/city' },
        { key: 'Fields.CantBeBlank', pointer: '/warehouse/postcode' },
        { key: 'Fields.MustBePositive', pointer: '/warehouse/market_id' },
      ],
    ]);
  });

  it('points to the field of a refusal', async () => {
    await shop.post('/warehouses', { warehouse: warehouse('W') });
    expect(errorsOf(await client.post('/warehouses', { warehouse: warehouse('W') }))).toMatchObject([
      422,
      [{ key: 'Fields.AlreadyTaken', pointer: '/warehouse/code' }],
    ]);
  });

  it('points to values of a wrong type and to a missing wrapper', async () => {
    const items = [
      { code: 'A', qty: 'two' },
      { code: 7, qty: 1 },
    ];
    const evaluation = { order_processing: { items } };
    expect(errorsOf(await client.post('/order_processings', evaluation))).toMatchObject([
      400,
      [
        {
          key: 'Request.WrongType',
          pointer: '/order_processing/items/0/qty',
          details: { expected_type: 'integer', received_type: 'string' },
        },
        { key: 'Request.WrongType', pointer: '/order_processing/items/1/code' },
      ],
    ]);
    expect(errorsOf(await client.post('/warehouses', {}))).toMatchObject([
      400,
      [{ key: 'Request.MissingField', pointer: '/warehouse' }],
    ]);
    expect(errorsOf(await client.put('/int/stocks', {}))).toMatchObject([
      400,
      [{ key: 'Request.MissingField', pointer: '/stocks' }],
    ]);
    expect(errorsOf(await client.post('/warehouses', []))).toMatchObject([
      400,
      [{ key: 'Request.WrongType', pointer: '' }],
    ]);
  });

  it('points to the invalid entry of a list, but only to the top-level field of a nested object', async () => {
    const order_processing = { items: [{ code: 'A', qty: 1 }], coupon_codes: ['A', 5] };
    expect(errorsOf(await client.post('/order_processings', { order_processing }))).toMatchObject([
      400,
      [
        {
          pointer: '/order_processing/coupon_codes/1',
          details: { expected_type: 'string', received_type: 'integer' },
        },
      ],
    ]);
    const [, [error]] = errorsOf(await client.patch('/app/settings', { translations: { sr: { key: 5 } } }));
    expect(error).toEqual({ key: 'Request.WrongType', message: expect.any(String), pointer: '/translations' });
  });

  it('names an invalid query parameter', async () => {
    for (const [path, parameter] of [
      ['/orders?updated_after=yesterday', 'updated_after'],
      ['/orders?updatedAfter=yesterday', 'updatedAfter'],
      ['/orders/1?dataPart=1', 'timePart'],
      ['/orders?cursor=x', 'cursor'],
      ['/products?priceFrom=much', 'priceFrom'],
      ['/events?types=none', 'types'],
      ['/stock_movements', 'dateFrom'],
    ] as const) {
      expect([path, ...errorsOf(await client.get(path))]).toMatchObject([
        path,
        400,
        [{ key: 'Request.InvalidParameter', details: { parameter } }],
      ]);
    }
    expect(errorsOf(await client.put('/int/stocks?dry_run=maybe', { stocks: [] }))).toMatchObject([
      400,
      [{ details: { parameter: 'dry_run' } }],
    ]);
  });

  it('names each failed row of a call that writes all rows or none', async () => {
    const rows = [
      warehouse('W'),
      { ...(warehouse('V') as object), name: '' },
      { ...(warehouse('U') as object), city: 7 },
    ];
    expect(errorsOf(await client.put('/warehouse', { warehouses: rows }))).toMatchObject([
      422,
      [
        {
          key: 'API.Warehouses.NameCantBeBlank',
          pointer: '/warehouses/1/name',
          row: 1,
          identifiers: { code: 'V' },
        },
        { key: 'API.Warehouses.WrongDataType', pointer: '/warehouses/2', row: 2, identifiers: { code: 'U' } },
      ],
    ]);
    const attributes = [{ code: 'none', attributes: [{ external_ref: 'size', value: 'M' }, { external_ref: 'x' }] }];
    expect(errorsOf(await client.put('/int/product_attributes', { product_attributes: attributes }))).toMatchObject([
      422,
      [{ key: 'API.ProductAttributes.ValueCantBeBlank', pointer: '/product_attributes/0/attributes/1/value' }],
    ]);
  });

  it('points to the rows even when the body has other lists', async () => {
    expect(errorsOf(await client.put('/warehouse', { notes: [1], warehouses: [{}] }))).toMatchObject([
      422,
      [{ pointer: '/warehouses/0/name' }],
    ]);
  });

  it('takes the same time for each row of a body with many fields', async () => {
    const notes = Object.fromEntries(Array.from({ length: 9_000 }, (_, index) => [`note${index}`, 1]));
    const start = performance.now();
    const [, errors] = errorsOf(
      await client.put('/warehouse', { ...notes, warehouses: Array.from({ length: 5_000 }, () => ({})) }),
    );
    expect(errors).toHaveLength(5_000);
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('states how many pieces each warehouse has left', async () => {
    await stockShop(shop, [{ code: 'A', price: 100, stock: 5 }]);
    await shop.put('/warehouse', { warehouses: [warehouse('W2')] });
    await putStock(shop, [{ code: 'A', warehouse_code: 'W2', qty: 3 }]);
    const evaluation = await evaluate(shop, [{ code: 'A', qty: 6 }]);
    expect(errorsOf(await client.post('/proforma_orders', { order_processing_id: evaluation }))).toEqual([
      422,
      [
        {
          key: 'API.ProformaOrders.InsufficientStock',
          message: 'Insufficient stock for product: Product A',
          details: {
            product: 'Product A',
            code: 'A',
            wanted: 6,
            available: [
              { warehouse_code: expect.any(String), qty: 5 },
              { warehouse_code: 'W2', qty: 3 },
            ],
          },
        },
      ],
    ]);
  });

  it('has message keys where the JSON answer has texts', async () => {
    await stockShop(shop, [{ code: 'A', price: 100 }]);
    const { id } = await propose(shop, [{ code: 'A', qty: 5 }]);
    const pay = async (amount?: number) =>
      client.post(`/proforma_orders/${id}/pay`, {
        payment: { payment_method_id: await methodId(shop, 'bank_transfer'), amount },
      });
    expect(errorsOf(await pay(10_000))).toMatchObject([
      422,
      [{ key: 'API.Payments.ExceedsDebt', message: 'Payment amount exceeds order debt' }],
    ]);
    await pay();
    expect(errorsOf(await pay())).toMatchObject([422, [{ key: 'API.Payments.DebtAlreadyPaid' }]]);
  });

  it('translates messages and keeps keys', async () => {
    const translations = { sr: { "can't be blank": 'mora biti popunjeno' } };
    await shop.patch('/app/settings', { default_language: 'sr', translations });
    expect(errorsOf(await client.post('/proforma_orders', {}))).toEqual([
      422,
      [{ key: 'Fields.CantBeBlank', message: 'mora biti popunjeno', pointer: '/order_processing_id' }],
    ]);
  });
});
