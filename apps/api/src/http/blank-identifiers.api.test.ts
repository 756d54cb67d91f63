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

describe.each(['', '  '])('a blank identifier %j beside a valid one', (blankText) => {
  it('lets the id identify the product, which keeps its code', async () => {
    const { body } = await shop.post('/int/products?explain=true', {
      products: [{ id: ids.product, code: blankText, external_ref: blankText }],
    });
    expect(body.data).toMatchObject({ products: [{ id: ids.product, code: 'A', created: false }], failed: [] });
    expect(matchOf(body)).toEqual({ record: 'product', identifier: 'id', id: ids.product, others: [] });
  });

  it.each([
    ['barcode', { barcode: '860' }],
    ['external_ref', { barcode: null, external_ref: 'R' }],
  ])('lets %s identify the variant, which keeps its code', async (identifier, validIdentifiers) => {
    const variants = [{ code: blankText, ...validIdentifiers, name: 'Found' }];
    const { body } = await shop.post('/int/products?explain=true&dry_run=true', {
      products: [{ code: 'A', variants }],
    });
    expect(body.data).toMatchObject({ products: [{ variants: [{ code: 'A', created: false }] }], failed: [] });
    expect(matchOf(body, 1)).toEqual({ record: 'variant', identifier, id: ids.variant, others: [] });
  });

  it('clears barcode and reference of a variant matched by code', async () => {
    const variants = [{ code: 'A', barcode: blankText, external_ref: blankText }];
    const { body } = await shop.post('/int/products?dry_run=true', { products: [{ code: 'A', variants }] });
    expect(body.data.products[0].variants).toMatchObject([{ code: 'A', barcode: null, external_ref: null }]);
  });

  it('is refused as the code of a new product or variant', async () => {
    const products = [
      { code: blankText, name: 'New' },
      { code: 'A', variants: [{ code: blankText, barcode: 'new' }] },
    ];
    const { body } = await shop.post('/int/products', { products });
    expect(body.data.failed.map(({ error }: { error: object }) => error)).toEqual([
      { message: 'API.Products.CodeCantBeBlank' },
      { message: 'API.Products.CodeCantBeBlank' },
    ]);
  });

  it('lets stock be booked by barcode or reference', async () => {
    for (const validIdentifiers of [{ barcode: '860' }, { barcode: blankText, external_ref: 'R' }]) {
      const stocks = [{ code: blankText, ...validIdentifiers, warehouse_code: 'W1', qty: 1 }];
      const { body } = await shop.put('/int/stocks?explain=true', { stocks });
      expect(body.data).toEqual({ updated: 1, failed: [] });
      expect(matchOf(body)).toMatchObject({ id: ids.variant, others: [] });
    }
  });

  it('lets attributes be set by barcode', async () => {
    const attributes = [{ external_ref: 'E', value: 'v' }];
    const { body } = await shop.put('/int/product_attributes?explain=true', {
      product_attributes: [{ code: blankText, barcode: '860', attributes }],
    });
    expect(matchOf(body)).toMatchObject({ identifier: 'barcode', id: ids.variant });
  });

  it('lets the id identify the warehouse, which keeps its code', async () => {
    const { body } = await shop.put('/warehouse?explain=true', {
      warehouses: [{ ...warehouse('W1'), code: blankText, id: ids.warehouse }],
    });
    expect(body.data.warehouses).toMatchObject([{ id: ids.warehouse, code: 'W1' }]);
    expect(matchOf(body)).toMatchObject({ identifier: 'id', id: ids.warehouse });
  });

  it('leaves a new warehouse without a code', async () => {
    const { body } = await shop.put('/warehouse?dry_run=true', {
      warehouses: [{ ...warehouse('New'), code: blankText }],
    });
    expect(body.data.warehouses).toMatchObject([{ id: null, code: null }]);
  });

  it('lets the reference identify the location', async () => {
    const { body } = await shop.post('/int/app_locations?explain=true&dry_run=true', {
      app_locations: [{ ...LOCATION, code: blankText, external_ref: 'LR' }],
    });
    expect(matchOf(body)).toMatchObject({ identifier: 'external_ref', id: expect.any(Number) });
  });

  it('is refused as the barcode of a card', async () => {
    const { status, body } = await shop.post('/int/cards', { card: { barcode: blankText, external_ref: 'CR' } });
    expect([status, body]).toEqual([422, { errors: { barcode: ["can't be blank"] } }]);
  });

  it('lets the barcode identify order lines and evaluation lines', async () => {
    const items = [{ code: blankText, barcode: '860', external_ref: blankText, qty: 1 }];
    const order = await shop.post('/int/orders?explain=true', { order: { external_ref: `O${blankText}`, items } });
    expect([order.status, order.body.data.items]).toMatchObject([201, [{ code: 'A' }]]);
    const evaluation = await shop.post('/order_processings', { order_processing: { guest: GUEST, items } });
    expect(evaluation.status).toBe(201);
    expect(evaluation.body.data.items).toMatchObject([{ product_variant_id: ids.variant }]);
  });

  it('lets a product be verified by barcode', async () => {
    const { body } = await shop.post('/product/verify?explain=true', {
      products: [{ code: blankText, barcode: '860' }],
    });
    expect(body.data).toMatchObject([{ product_variant_id: ids.variant }]);
    expect(matchOf(body)).toMatchObject({ identifier: 'barcode', others: [] });
  });
});
