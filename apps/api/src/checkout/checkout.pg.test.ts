import { GUEST, propose, putStock, stockOf, stockShop, warehouse } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  await stockShop(shop, [
    { code: 'A', price: 100, stock: 10 },
    { code: 'B', price: 33.33, vat: 10, stock: 10 },
  ]);
});

const ONE_ITEM = [{ code: 'A', qty: 1 }];
const post = (fields: object, client = shop): Promise<Reply> =>
  client.post('/order_processings', { order_processing: { items: ONE_ITEM, ...fields } });
const evaluateBasket = async (fields: object, client = shop) => {
  const { status, body } = await post(fields, client);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.data;
};
const readEvaluations = () => api.database.rows('select id from order_processings where app_id = $1', [shop.appId]);
const expectRefused = async (fields: object): Promise<unknown> => {
  const { status, body } = await post(fields);
  expect(status).toBe(422);
  expect(await readEvaluations()).toEqual([]);
  return body.errors;
};
const postProducts = (rows: readonly object[], client = shop): Promise<Reply> =>
  client.post('/int/products', { products: rows });
const dateTimeAfter = (hours: number): string =>
  new Date(api.clock.now().getTime() + hours * 3_600_000).toISOString().slice(0, 19);
const codesOf = ({ items }: { items: readonly { code: string }[] }): string[] => items.map(({ code }) => code);

describe('POST /order_processings', () => {
  it('returns all fields of the priced basket', async () => {
    await postProducts([{ code: 'A', variants: [{ code: 'A', barcode: '860001' }] }]);
    const evaluation = await evaluateBasket({
      items: [
        { code: 'A', qty: 2 },
        { code: 'B', qty: 3 },
      ],
    });
    const line = { product_id: expect.any(Number), product_variant_id: expect.any(Number), promotions: [] };
    expect(evaluation).toEqual({
      id: expect.any(Number),
      items: [
        {
          ...line,
          code: 'A',
          barcode: '860001',
          name: 'Product A',
          qty: 2,
          price: 100,
          vat_rate: 20,
          sales: 200,
          discount: 0,
          end_sales: 200,
        },
        {
          ...line,
          code: 'B',
          barcode: null,
          name: 'Product B',
          qty: 3,
          price: 33.33,
          vat_rate: 10,
          sales: 99.99,
          discount: 0,
          end_sales: 99.99,
        },
      ],
      fee_items: [],
      promotions: [],
      vouchers: [],
      sales: 299.99,
      discount: 0,
      net_sales: 257.57,
      // 200 × 20/120 + 99.99 × 10/110, rounded per rate
      vat: 42.42,
      end_sales: 299.99,
      currency_id: 941,
      expires_at: dateTimeAfter(24),
    });
  });

  it('keeps the lines in order, with repeated variants', async () => {
    const items = [
      { code: 'B', qty: 1 },
      { code: 'A', qty: 1 },
      { code: 'B', qty: 2 },
    ];
    const evaluation = await evaluateBasket({ items });
    expect(codesOf(evaluation)).toEqual(['B', 'A', 'B']);
    expect(evaluation.end_sales).toBe(199.99);
  });

  it('adds no VAT for a line without a VAT rate', async () => {
    await stockShop(shop, [{ code: 'NOVAT', price: 50, vat: null }]);
    const evaluation = await evaluateBasket({ items: [{ code: 'NOVAT', qty: 1 }] });
    expect(evaluation).toMatchObject({ vat: 0, net_sales: 50, end_sales: 50, items: [{ vat_rate: null }] });
  });

  it('sells free products', async () => {
    await postProducts([{ code: 'A', price: 0 }]);
    expect(await evaluateBasket({})).toMatchObject({ sales: 0, end_sales: 0, vat: 0, net_sales: 0 });
  });

  it.each([
    ['EUR', 978, 0.1],
    ['JPY', 392, 7],
    ['KWD', 414, 0.125],
  ])('uses the currency %s with currency_id %d', async (currency, number, price) => {
    const client = await api.app(currency);
    await stockShop(client, [{ code: 'A', price }]);
    const evaluation = await evaluateBasket({ items: [{ code: 'A', qty: 3 }] }, client);
    expect(evaluation).toMatchObject({ currency_id: number, end_sales: Number((3 * price).toFixed(3)) });
  });

  it('neither reserves nor checks stock', async () => {
    await evaluateBasket({ items: [{ code: 'A', qty: 1_000_000 }] });
    expect(await stockOf(shop, 'A')).toEqual({ on_hand: 10, reserved: 0, available: 10 });
  });

  it('makes a separate evaluation for each concurrent call', async () => {
    const ids = (await Promise.all(Array.from({ length: 20 }, () => evaluateBasket({})))).map(({ id }) => id);
    expect(new Set(ids).size).toBe(20);
  });

  it('takes as many statements for 1,000 lines as for one', async () => {
    const countStatements = async (lines: number): Promise<number> => {
      api.statements.length = 0;
      await evaluateBasket({ items: Array.from({ length: lines }, () => ({ code: 'A', qty: 1 })) });
      return api.statements.length;
    };
    await countStatements(1);
    expect(await countStatements(1_000)).toBe(await countStatements(1));
  });
});

describe('a line of the basket', () => {
  beforeEach(async () => {
    await postProducts([
      { code: 'X', name: 'X', price: 1, vat_rate: 20, variants: [{ code: 'X', barcode: '111', external_ref: 'ref' }] },
    ]);
  });

  it.each([
    ['code', { code: 'X' }],
    ['barcode', { barcode: '111' }],
    ['external reference', { external_ref: 'ref' }],
    ['barcode, when the code finds nothing', { code: 'nothing', barcode: '111' }],
    ['external reference, when code and barcode are empty', { code: '', barcode: null, external_ref: 'ref' }],
  ])('finds its variant by %s', async (_, identifiers) => {
    expect(codesOf(await evaluateBasket({ items: [{ ...identifiers, qty: 1 }] }))).toEqual(['X']);
  });

  it('finds its variant by id', async () => {
    const [{ product_variant_id: id }] = (await evaluateBasket({ items: [{ code: 'X', qty: 1 }] })).items;
    expect(codesOf(await evaluateBasket({ items: [{ product_variant_id: id, qty: 1 }] }))).toEqual(['X']);
    expect(codesOf(await evaluateBasket({ items: [{ code: 'nothing', product_variant_id: id, qty: 1 }] }))).toEqual([
      'X',
    ]);
    expect(codesOf(await evaluateBasket({ items: [{ code: 'A', product_variant_id: id, qty: 1 }] }))).toEqual(['A']);
  });

  it('uses the first identifier that finds a variant', async () => {
    const items = [
      { code: 'A', barcode: '111', external_ref: 'ref', qty: 1 },
      { barcode: '111', external_ref: 'nothing', qty: 1 },
    ];
    expect(codesOf(await evaluateBasket({ items }))).toEqual(['A', 'X']);
  });

  it.each([
    ['an unknown code', { code: 'nothing' }],
    ['a code in another case', { code: 'x' }],
    ['a code with a space', { code: 'X ' }],
    ['a barcode in the field code', { code: '111' }],
    ['no identifier', {}],
    ['empty identifiers', { code: '', barcode: '', external_ref: '' }],
    ['null identifiers', { code: null, barcode: null, external_ref: null, product_variant_id: null }],
    ['an unknown id', { product_variant_id: 2 ** 53 - 1 }],
    ['a negative id', { product_variant_id: -1 }],
  ])('fails with API.Products.NotFound for %s', async (_, identifiers) => {
    expect(await expectRefused({ items: [...ONE_ITEM, { ...identifiers, qty: 1 }] })).toEqual({
      Products: ['API.Products.NotFound'],
    });
  });

  it('fails with API.Products.MissingPrice when neither the variant nor its product has a price', async () => {
    await postProducts([{ code: 'FREE', name: 'FREE', vat_rate: 20, variants: [{ code: 'FREE' }] }]);
    expect(await expectRefused({ items: [{ code: 'FREE', qty: 1 }] })).toEqual({
      Products: ['API.Products.MissingPrice'],
    });
  });
});

describe('the buyer', () => {
  const addCustomer = async (email = 'ana@example.com', client = shop) => {
    const fields = { email, first_name: 'Ana', last_name: 'Kovačević', phone: '+381', external_ref: `ref ${email}` };
    return (await client.post('/customers', { customer: fields })).body.data;
  };
  const partsOf = ({ id, data_part, time_part }: Record<string, number>) => ({ customer_id: id, data_part, time_part });
  const CUSTOMER_NOT_FOUND = { Customers: ['API.Customers.NotFound'] };

  it('is a customer identified by id and parts', async () => {
    const ana = await addCustomer();
    expect(await propose(shop, ONE_ITEM, { ...partsOf(ana), guest: undefined })).toMatchObject({
      anonymous: false,
      customer_id: ana.id,
      customer_email: 'ana@example.com',
      customer_first_name: 'Ana',
      customer_last_name: 'Kovačević',
    });
  });

  it('is the customer even when a guest is sent, and is found by id rather than by reference', async () => {
    const [ana, eva] = [await addCustomer(), await addCustomer('eva@example.com')];
    const bothIdentifiers = { ...partsOf(ana), customer_external_ref: eva.external_ref };
    expect(await propose(shop, ONE_ITEM, bothIdentifiers)).toMatchObject({
      customer_id: ana.id,
      customer_email: 'ana@example.com',
    });
  });

  it('is a guest as sent, even with missing fields', async () => {
    expect(await propose(shop, ONE_ITEM)).toMatchObject({
      anonymous: true,
      customer_id: null,
      customer_email: GUEST.email,
      customer_first_name: GUEST.first_name,
      customer_last_name: GUEST.last_name,
    });
    for (const guest of [undefined, null, {}, { first_name: '' }]) await evaluateBasket({ guest });
  });

  it.each(Object.keys(GUEST))('can be a guest with a blank %s until a proforma is made', async (field) => {
    for (const blank of ['', ' \t']) {
      const { id } = await evaluateBasket({ guest: { ...GUEST, [field]: blank } });
      const reply = await shop.post('/proforma_orders', { order_processing_id: id });
      expect([reply.status, reply.body]).toEqual([
        422,
        { errors: { Orders: ['API.Orders.GuestDeliveryDataIncomplete'] } },
      ]);
    }
  });

  it.each([
    ['dataPart', { data_part: undefined }, { data_part: ["can't be blank"] }],
    ['timePart', { time_part: null }, { time_part: ["can't be blank"] }],
  ])('cannot be identified by an id without %s', async (_, missingPart, errors) => {
    expect(await expectRefused({ ...partsOf(await addCustomer()), ...missingPart })).toEqual(errors);
  });

  it.each([
    ['an unknown id', () => ({ customer_id: 987_654, data_part: 1, time_part: 1 })],
    ['a negative id', () => ({ customer_id: -1, data_part: 1, time_part: 1 })],
    ['an unknown reference', () => ({ customer_external_ref: 'nobody' })],
    ['a reference in another case', () => ({ customer_external_ref: 'REF ana@example.com' })],
    ['another dataPart', async () => ({ ...partsOf(await addCustomer()), data_part: 65 })],
    ['another timePart', async () => ({ ...partsOf(await addCustomer()), time_part: 1 })],
    ['a data_part out of range', async () => ({ ...partsOf(await addCustomer()), data_part: 2 ** 31 - 1 })],
    ['an id of another app', async () => partsOf(await addCustomer('x@example.com', await api.app()))],
    [
      'a reference of another app',
      async () => ({ customer_external_ref: (await addCustomer('x@example.com', await api.app())).external_ref }),
    ],
  ])('fails with API.Customers.NotFound for %s', async (_, identifiers) => {
    expect(await expectRefused(await identifiers())).toEqual(CUSTOMER_NOT_FOUND);
  });

  it('is a guest when the reference is empty', async () => {
    expect(await propose(shop, ONE_ITEM, { customer_external_ref: '' })).toMatchObject({ anonymous: true });
  });
});

describe('the delivery', () => {
  const { address_line_1, city, postcode } = GUEST;
  const noAddress = { address_line_1: null, city: null, postcode: null, country: null };
  const proposeAndReadArea = async (fields: object) => {
    const {
      address_line_1: line,
      city: town,
      postcode: zip,
      country,
    } = (await propose(shop, ONE_ITEM, fields)).delivery_area;
    return { address_line_1: line, city: town, postcode: zip, country };
  };

  it('uses the address of the guest unless another address is sent', async () => {
    const homeAddress = { address_line_1, city, postcode, country: 'RS' };
    const officeAddress = { address_line_1: 'Trg 2', city: 'Niš', postcode: '18000', country: null };
    expect(await proposeAndReadArea({ guest: { ...GUEST, country: 'RS' } })).toEqual(homeAddress);
    expect(await proposeAndReadArea({ guest: { ...GUEST, country: 'RS' }, delivery: officeAddress })).toEqual(
      officeAddress,
    );
  });

  const blankAddress = { address_line_1: '', city: ' ', postcode: '', country: '' };

  it.each([null, {}, noAddress, blankAddress])('uses the address of the guest when it is %j', async (delivery) => {
    expect(await proposeAndReadArea({ delivery })).toEqual({ ...noAddress, address_line_1, city, postcode });
  });

  it('has no address for a customer unless an address is sent', async () => {
    const fields = { email: 'ana@example.com', first_name: 'Ana', last_name: 'K', external_ref: 'ana' };
    await shop.post('/customers', { customer: fields });
    const ana = { customer_external_ref: 'ana', guest: null };
    expect(await proposeAndReadArea(ana)).toEqual(noAddress);
    expect(await proposeAndReadArea({ ...ana, delivery: { city: 'Niš' } })).toEqual({ ...noAddress, city: 'Niš' });
  });
});

describe('fields that the proforma takes from its evaluation', () => {
  it('default to market 1 and channel web', async () => {
    expect(await propose(shop, ONE_ITEM)).toMatchObject({
      market_id: 1,
      sales_channel_id: 1,
      sales_channel: 'web',
      comment: null,
      tags: [],
    });
  });

  it('are kept as sent, without repeated tags', async () => {
    const keptFields = { market_id: 7, sales_channel_id: 3, sales_channel: 'kiosk', comment: 'č'.repeat(5_000) };
    const tags = ['b', 'a', 'b', ' ', 't'.repeat(100)];
    expect(await propose(shop, ONE_ITEM, { ...keptFields, tags })).toMatchObject({
      ...keptFields,
      tags: ['b', 'a', ' ', 't'.repeat(100)],
    });
  });

  it('include the warehouse that must reserve the stock', async () => {
    await shop.put('/warehouse', { warehouses: [warehouse('W2')] });
    await putStock(shop, [{ code: 'A', warehouse_code: 'W2', qty: 5 }]);
    expect((await propose(shop, ONE_ITEM, { warehouse_code: 'W2' })).items).toMatchObject([{ warehouse_code: 'W2' }]);
    expect((await propose(shop, ONE_ITEM, { warehouse_code: '' })).items).toMatchObject([{ warehouse_code: 'W1' }]);
  });

  it.each([
    ['unknown', 'W9'],
    ['written in another case', 'w1'],
    ['of another app', 'THEIRS'],
    ['deleted', 'GONE'],
  ])('fails with API.Warehouses.NotFound for a warehouse that is %s', async (_, code) => {
    await (await api.app()).put('/warehouse', { warehouses: [warehouse('THEIRS')] });
    await shop.put('/warehouse', { warehouses: [warehouse('GONE')] });
    await shop.put('/warehouse', { warehouses: [{ code: 'GONE', delete: true }] });
    expect(await expectRefused({ warehouse_code: code })).toEqual({ Warehouses: ['API.Warehouses.NotFound'] });
  });
});

describe('an app without set-up records', () => {
  it.each([
    ['a shipment method', { shipment_method_code: 'courier' }, { ShipmentMethods: ['API.ShipmentMethods.NotFound'] }],
    ['a coupon', { coupon_codes: ['SUMMER'] }, { Promotions: ['API.Promotions.CouponNotFound'] }],
    ['a voucher', { voucher_codes: ['V-1'] }, { Vouchers: ['API.Vouchers.NotAvailable'] }],
  ])('refuses %s as unknown', async (_, fields, errors) => {
    expect(await expectRefused(fields)).toEqual(errors);
  });

  it.each([
    { shipment_method_code: null, coupon_codes: null, voucher_codes: null },
    { shipment_method_code: '', coupon_codes: [], voucher_codes: [] },
  ])('treats %j as an absent value', async (fields) => {
    expect(await evaluateBasket(fields)).toMatchObject({ fee_items: [], promotions: [], vouchers: [] });
  });
});

describe('an invalid basket', () => {
  const secondItem = (fields: object) => ({ items: [...ONE_ITEM, { code: 'A', qty: 1, ...fields }] });
  const longText = 'č'.repeat(256);

  it.each([
    ['without items', { items: undefined }, { items: ["can't be blank"] }],
    ['with null for items', { items: null }, { items: ["can't be blank"] }],
    ['with no items', { items: [] }, { items: ["can't be blank"] }],
    [
      'with 1,001 items',
      { items: Array.from({ length: 1_001 }, () => ({ code: 'A', qty: 1 })) },
      { items: ['is too long'] },
    ],
    ['without a quantity', secondItem({ qty: undefined }), { 'items.1.qty': ["can't be blank"] }],
    ['with null for a quantity', secondItem({ qty: null }), { 'items.1.qty': ["can't be blank"] }],
    ['with quantity 0', secondItem({ qty: 0 }), { 'items.1.qty': ['must be greater than 0'] }],
    ['with quantity -1', secondItem({ qty: -1 }), { 'items.1.qty': ['must be greater than 0'] }],
    ['with more than a million pieces', secondItem({ qty: 1_000_001 }), { 'items.1.qty': ['is invalid'] }],
    ['with NUL in a code', secondItem({ code: 'a\0' }), { 'items.1.code': ['is invalid'] }],
    ['with a long barcode', secondItem({ barcode: longText }), { 'items.1.barcode': ['is too long'] }],
    ['with market 0', { market_id: 0 }, { market_id: ['must be greater than 0'] }],
    ['with channel 0', { sales_channel_id: 0 }, { sales_channel_id: ['must be greater than 0'] }],
    ['with a market beyond 32 bits', { market_id: 2 ** 31 }, { market_id: ['is invalid'] }],
    ['with a long channel', { sales_channel: longText }, { sales_channel: ['is too long'] }],
    ['with a comment of 5,001 characters', { comment: 'x'.repeat(5_001) }, { comment: ['is too long'] }],
    ['with 51 tags', { tags: Array.from({ length: 51 }, (_, index) => `t${index}`) }, { tags: ['is too long'] }],
    ['with a tag of 101 characters', { tags: ['a', 't'.repeat(101)] }, { tags: ['is too long'] }],
    ['with an empty tag', { tags: ['a', ''] }, { tags: ["can't be blank"] }],
    ['with a blank coupon', { coupon_codes: [''] }, { coupon_codes: ["can't be blank"] }],
    ['with half of a surrogate pair', { voucher_codes: ['\ud800'] }, { voucher_codes: ['is invalid'] }],
    ['with an invalid e-mail', { guest: { ...GUEST, email: 'ana' } }, { 'guest.email': ['is invalid'] }],
    ['with a space in the e-mail', { guest: { ...GUEST, email: ' a@b.rs' } }, { 'guest.email': ['is invalid'] }],
    ['with NUL in the e-mail', { guest: { ...GUEST, email: '\0' } }, { 'guest.email': ['is invalid'] }],
    ['with a long blank e-mail', { guest: { ...GUEST, email: ' '.repeat(256) } }, { 'guest.email': ['is too long'] }],
    ['with a long city', { delivery: { city: longText } }, { 'delivery.city': ['is too long'] }],
    [
      'in many fields',
      { items: [{ code: '\0', qty: 0 }, {}], guest: { phone: longText }, comment: '\0' },
      {
        'items.0.code': ['is invalid'],
        'items.0.qty': ['must be greater than 0'],
        'items.1.qty': ["can't be blank"],
        'guest.phone': ['is too long'],
        comment: ['is invalid'],
      },
    ],
  ])('is refused %s, and each failing field is reported', async (_, fields, errors) => {
    expect(await expectRefused(fields)).toEqual(errors);
  });

  it('is refused when its total exceeds the maximum', async () => {
    await postProducts([{ code: 'A', price: 900_000_000_000 }]);
    expect(await expectRefused({ items: [{ code: 'A', qty: 2 }] })).toEqual({ items: ['is invalid'] });
    expect(await expectRefused({ items: [{ code: 'A', qty: 1_000_000 }] })).toEqual({ items: ['is invalid'] });
    expect(await evaluateBasket({})).toMatchObject({ end_sales: 900_000_000_000 });
  });

  it.each([
    ['items', {}],
    ['items', [null]],
    ['items', ['A']],
    ['items', [{ code: 5, qty: 1 }]],
    ['items', [{ code: 'A', qty: '1' }]],
    ['items', [{ code: 'A', qty: 1.5 }]],
    ['items', [{ code: 'A', qty: true }]],
    ['items', [{ product_variant_id: '1', qty: 1 }]],
    ['items', [{ product_variant_id: 0.5, qty: 1 }]],
    ['customer_id', '1'],
    ['data_part', '1'],
    ['time_part', 1.5],
    ['customer_external_ref', 5],
    ['guest', []],
    ['guest', 'Ana'],
    ['guest', { email: 5 }],
    ['delivery', 5],
    ['delivery', { city: [] }],
    ['shipment_method_code', 1],
    ['pickup_point_code', {}],
    ['coupon_codes', 'SUMMER'],
    ['coupon_codes', [5]],
    ['voucher_codes', { 0: 'x' }],
    ['voucher_codes', ['', null]],
    ['warehouse_code', 1],
    ['market_id', '1'],
    ['sales_channel_id', 1.5],
    ['sales_channel', 1],
    ['comment', 5],
    ['tags', 'a'],
    ['tags', [1]],
  ])('is answered 400 with %s of the wrong type: %j', async (field, value) => {
    const { status, body } = await post({ [field]: value });
    expect([status, body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
    expect(await readEvaluations()).toEqual([]);
  });
});

describe('GET /order_processings/{id}', () => {
  const get = (id: number, client = shop): Promise<Reply> => client.get(`/order_processings/${id}`);

  it('returns the evaluation as calculated', async () => {
    const evaluation = await evaluateBasket({ guest: GUEST });
    await postProducts([{ code: 'A', price: 1, name: 'Renamed', active: false }]);
    expect((await get(evaluation.id)).body).toEqual({ data: evaluation });
    await shop.post('/proforma_orders', { order_processing_id: evaluation.id });
    api.clock.forward({ hours: 25 });
    expect((await get(evaluation.id)).body).toEqual({ data: evaluation });
  });
});
