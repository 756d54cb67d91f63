import { GUEST, stockShop, warehouse } from '../testing/shop.js';
import { testApi, type Client, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;
let ids: Record<'product' | 'variant' | 'warehouse', number>;
const LOCATION = { name: 'Shop', latitude: 44.8, longitude: 20.5 };

beforeAll(async () => {
  api = await testApi();
  shop = await api.app();
  await stockShop(shop, [{ code: 'A' }]);
  const knownProduct = { code: 'A', variants: [{ code: 'A', barcode: '860', external_ref: 'R' }] };
  const [product] = (await shop.post('/int/products', { products: [knownProduct] })).body.data.products;
  const [{ id }] = (await shop.get('/warehouses')).body.data;
  ids = { product: product.id, variant: product.variants[0].id, warehouse: id };
  await shop.post('/int/app_locations', { app_locations: [{ ...LOCATION, code: 'L', external_ref: 'LR' }] });
  await shop.post('/int/cards', { card: { barcode: 'C', external_ref: 'CR' } });
});
afterAll(() => api.close());

const matchOf = (body: { explain: { matches: object[] }[] }, index = 0) => body.explain[0]?.matches[index];

describe.each(['', '  '])('a row with the blank text %j as an identifier', (blankText) => {
  it('finds the product by its id, and keeps the code of the product', async () => {
    const { body } = await shop.post('/int/products?explain=true', {
      products: [{ id: ids.product, code: blankText, external_ref: blankText }],
    });
    expect(body.data).toMatchObject({ products: [{ id: ids.product, code: 'A', created: false }], failed: [] });
    expect(matchOf(body)).toEqual({ record: 'product', identifier: 'id', id: ids.product, others: [] });
  });

  it.each([
    ['barcode', { barcode: '860' }],
    ['external_ref', { barcode: null, external_ref: 'R' }],
  ])('finds the variant by its %s, and keeps the code of the variant', async (identifier, validIdentifiers) => {
    const variants = [{ code: blankText, ...validIdentifiers, name: 'Found' }];
    const { body } = await shop.post('/int/products?explain=true&dry_run=true', {
      products: [{ code: 'A', variants }],
    });
    expect(body.data).toMatchObject({ products: [{ variants: [{ code: 'A', created: false }] }], failed: [] });
    expect(matchOf(body, 1)).toEqual({ record: 'variant', identifier, id: ids.variant, others: [] });
  });

  it('clears the barcode and reference of a variant that it finds by code', async () => {
    const variants = [{ code: 'A', barcode: blankText, external_ref: blankText }];
    const { body } = await shop.post('/int/products?dry_run=true', { products: [{ code: 'A', variants }] });
    expect(body.data.products[0].variants).toMatchObject([{ code: 'A', barcode: null, external_ref: null }]);
  });

  it('cannot add a product or variant with the blank text as its code', async () => {
    const products = [
      { code: blankText, name: 'New' },
      { code: 'A', variants: [{ code: blankText, barcode: blankText, external_ref: blankText }] },
    ];
    const { body } = await shop.post('/int/products', { products });
    expect(body.data.failed.map(({ error }: { error: object }) => error)).toEqual([
      { message: 'API.Products.CodeCantBeBlank' },
      { message: 'API.Products.CodeCantBeBlank' },
    ]);
  });

  it('books stock of the variant that its barcode or reference identifies', async () => {
    for (const validIdentifiers of [{ barcode: '860' }, { barcode: blankText, external_ref: 'R' }]) {
      const stocks = [{ code: blankText, ...validIdentifiers, warehouse_code: 'W1', qty: 1 }];
      const { body } = await shop.put('/int/stocks?explain=true', { stocks });
      expect(body.data).toEqual({ updated: 1, failed: [] });
      expect(matchOf(body)).toMatchObject({ id: ids.variant, others: [] });
    }
  });

  it('sets attributes of the variant that its barcode identifies', async () => {
    const attributes = [{ external_ref: 'E', value: 'v' }];
    const { body } = await shop.put('/int/product_attributes?explain=true', {
      product_attributes: [{ code: blankText, barcode: '860', attributes }],
    });
    expect(matchOf(body)).toMatchObject({ identifier: 'barcode', id: ids.variant });
  });

  it('finds the warehouse by its id, and keeps the code of the warehouse', async () => {
    const { body } = await shop.put('/warehouse?explain=true', {
      warehouses: [{ ...warehouse('W1'), code: blankText, id: ids.warehouse }],
    });
    expect(body.data.warehouses).toMatchObject([{ id: ids.warehouse, code: 'W1' }]);
    expect(matchOf(body)).toMatchObject({ identifier: 'id', id: ids.warehouse });
  });

  it('adds a warehouse without a code', async () => {
    const { body } = await shop.put('/warehouse?dry_run=true', {
      warehouses: [{ ...warehouse('New'), code: blankText }],
    });
    expect(body.data.warehouses).toMatchObject([{ id: null, code: null }]);
  });

  it('finds the location by its reference', async () => {
    const { body } = await shop.post('/int/app_locations?explain=true&dry_run=true', {
      app_locations: [{ ...LOCATION, code: blankText, external_ref: 'LR' }],
    });
    expect(matchOf(body)).toMatchObject({ identifier: 'external_ref', id: expect.any(Number) });
  });

  it('cannot write a card with the blank text as its barcode', async () => {
    const { status, body } = await shop.post('/int/cards', { card: { barcode: blankText, external_ref: 'CR' } });
    expect([status, body]).toEqual([422, { errors: { barcode: ["can't be blank"] } }]);
  });

  it('finds the variant of an order line or evaluation line by its barcode', async () => {
    const items = [{ code: blankText, barcode: '860', external_ref: blankText, qty: 1 }];
    const order = await shop.post('/int/orders?explain=true', {
      order: { external_ref: `O${blankText.length}`, items },
    });
    expect([order.status, order.body.data.items]).toMatchObject([201, [{ code: 'A' }]]);
    const evaluation = await shop.post('/order_processings', { order_processing: { guest: GUEST, items } });
    expect(evaluation.status).toBe(201);
    expect(evaluation.body.data.items).toMatchObject([{ product_variant_id: ids.variant }]);
  });

  it('verifies the product that its barcode identifies', async () => {
    const { body } = await shop.post('/product/verify?explain=true', {
      products: [{ code: blankText, barcode: '860' }],
    });
    expect(body.data).toMatchObject([{ product_variant_id: ids.variant }]);
    expect(matchOf(body)).toMatchObject({ identifier: 'barcode', others: [] });
  });
});
