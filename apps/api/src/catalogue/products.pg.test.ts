import { inspect } from 'node:util';
import { gatherStatistics } from '../testing/gather-statistics.js';
import { failedRow, propose, putStock, warehouse } from '../testing/shop.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
});

interface UpsertedProduct {
  readonly id: number;
  readonly code: string;
  readonly created: boolean;
  readonly variants: readonly (Omit<UpsertedProduct, 'variants'> & {
    barcode: string | null;
    external_ref: string | null;
  })[];
}
interface UpsertResult {
  readonly products: readonly UpsertedProduct[];
  readonly failed: readonly { readonly input: unknown; readonly error: { readonly message: string } }[];
}

const post = (products: readonly unknown[], client = shop): Promise<Reply> =>
  client.post('/int/products', { products });
const postRows = async (products: readonly unknown[], client = shop): Promise<UpsertResult> => {
  const { status, body } = await post(products, client);
  expect([status, Object.keys(body.data ?? body)]).toEqual([200, ['products', 'failed']]);
  return body.data;
};
const writeRows = async (products: readonly unknown[], client = shop): Promise<readonly UpsertedProduct[]> => {
  const { products: upsertedProducts, failed } = await postRows(products, client);
  expect(failed).toEqual([]);
  return upsertedProducts;
};
const writeOne = async (product: object, client = shop): Promise<UpsertedProduct> =>
  (await writeRows([product], client))[0] as UpsertedProduct;
const expectRefused = async (products: readonly unknown[]): Promise<string[]> => {
  const catalogueBefore = await readCatalogue();
  const { products: upsertedProducts, failed } = await postRows(products);
  expect([upsertedProducts, failed.map(({ input }) => input)]).toEqual([[], products]);
  expect(await readCatalogue()).toEqual(catalogueBefore);
  return failed.map(({ error }) => error.message.replace(/^API\.Products\./, ''));
};
const readCatalogue = (client = shop) =>
  Promise.all(
    ['products', 'product_variants', 'product_images'].map((table) =>
      api.database.rows(`select * from ${table} where app_id = $1 order by id`, [client.appId]),
    ),
  );
// eslint-disable-next-line typescript/no-explicit-any
const findProduct = async (query: string, client = shop): Promise<any> => {
  const { status, body } = await client.get(`/products?${query}`);
  expect([status, Object.keys(body)]).toEqual([200, ['data']]);
  return body.data;
};
const findByCode = (code: string, client = shop) => findProduct(`code=${encodeURIComponent(code)}`, client);
const setReference = (product: { id: number }, reference: string) =>
  api.database.rows('update products set external_ref = $3 where app_id = $1 and id = $2', [
    shop.appId,
    product.id,
    reference,
  ]);

const productRow = (code: string, fields: object = {}) => ({ code, name: `Name of ${code}`, ...fields });
const now = () => api.clock.now().toISOString().slice(0, 19);

describe('POST /int/products', () => {
  it('creates products with variants and returns them in input order', async () => {
    const variants = [
      { code: 'Z-42', barcode: '8601', external_ref: 'r-42', name: '42', price: 12.5, vat_rate: 10 },
      { code: 'Z-41' },
    ];
    expect(
      await writeRows([productRow('Z', { variants }), productRow('A'), productRow('M', { variants: [] })]),
    ).toEqual([
      {
        id: expect.any(Number),
        code: 'Z',
        created: true,
        variants: [
          {
            id: expect.any(Number),
            code: 'Z-42',
            barcode: '8601',
            external_ref: 'r-42',
            created: true,
            matched_by: null,
          },
          { id: expect.any(Number), code: 'Z-41', barcode: null, external_ref: null, created: true, matched_by: null },
        ],
      },
      { id: expect.any(Number), code: 'A', created: true, variants: [] },
      { id: expect.any(Number), code: 'M', created: true, variants: [] },
    ]);
  });

  it('stores every sent field', async () => {
    const details = { slug: 'Own-Slug', description: 'Long\ntext', vat_rate: 7.25, price: 1234.56, active: false };
    const fields = { ...details, barcode: '860' };
    const image = { image_url: 'https://img.example/1.png', alt: 'Front' };
    const { id, variants } = await writeOne(
      productRow('A', {
        ...fields,
        images: [image],
        variants: [{ code: 'A-1', barcode: 'b', external_ref: 'r', name: 'One', price: 99.9, images: [image] }],
      }),
    );
    expect(await findByCode('A')).toEqual({
      ...productRow('A', fields),
      id,
      external_ref: null,
      lowest_price: 99.9,
      sales_quantity: 0,
      images: [image],
      attributes: [],
      variants: [
        {
          id: variants[0]?.id,
          code: 'A-1',
          barcode: 'b',
          external_ref: 'r',
          name: 'One',
          price: 99.9,
          images: [image],
          stock: { on_hand: 0, reserved: 0, available: 0 },
        },
      ],
      inserted_at: now(),
      updated_at: now(),
    });
  });

  it('accepts texts of 255 four-byte characters', async () => {
    const text = '😀'.repeat(255);
    await writeRows([productRow(text, { name: text, variants: [{ code: text, barcode: text, external_ref: text }] })]);
    expect(await findByCode(text)).toMatchObject({ code: text, name: text, variants: [{ code: text, barcode: text }] });
  });

  it('stores defaults in a new product', async () => {
    await writeRows([productRow('A')]);
    const defaults = { description: null, vat_rate: null, price: null, lowest_price: null, active: true };
    expect(await findByCode('A')).toMatchObject({ ...defaults, images: [], variants: [] });
  });

  it('treats null as absent in a new record', async () => {
    const nulls = { id: null, external_ref: null, slug: null, description: null, vat_rate: null, price: null };
    const emptyVariant = { barcode: null, external_ref: null, name: null, price: null, vat_rate: null, images: null };
    await writeRows([
      productRow('A', { ...nulls, active: null, images: null, variants: [{ code: 'A-1', ...emptyVariant }] }),
      productRow('B', { ...nulls, active: null, images: [{ image_url: 'x', alt: null }], variants: null }),
    ]);
    expect(await findByCode('A')).toMatchObject({ slug: 'name-of-a', active: true, variants: [{ barcode: null }] });
    expect(await findByCode('B')).toMatchObject({ images: [{ image_url: 'x', alt: null }], variants: [] });
  });

  it('keeps absent fields', async () => {
    const variant = { code: 'A-1', barcode: 'b', external_ref: 'r', name: 'One', price: 5, vat_rate: 10 };
    await writeRows([
      productRow('A', { slug: 's', description: 'd', vat_rate: 20, price: 10, active: false, variants: [variant] }),
    ]);
    const recordsBefore = [await findByCode('A'), (await readCatalogue())[1]];
    await writeRows([{ code: 'A', variants: [{ code: 'A-1' }] }]);
    await writeRows([{ code: 'A' }]);
    expect([await findByCode('A'), (await readCatalogue())[1]]).toEqual(recordsBefore);
  });

  it('clears optional fields with null and keeps the others', async () => {
    const variant = { code: 'A-1', barcode: 'b', external_ref: 'r', name: 'One', price: 5, vat_rate: 10 };
    const { id } = await writeOne(
      productRow('A', { slug: 's', description: 'd', vat_rate: 20, price: 10, active: false, variants: [variant] }),
    );
    const nulls = { description: null, vat_rate: null, price: null };
    await writeRows([{ id, code: null, name: null, slug: null, active: null, variants: null, ...nulls }]);
    expect(await findByCode('A')).toMatchObject({ ...nulls, code: 'A', name: 'Name of A', slug: 's', active: false });
    await writeRows([{ id, variants: [{ ...variant, barcode: null, external_ref: null, name: null, price: null }] }]);
    const clearedVariant = { code: 'A-1', barcode: null, external_ref: null, name: null, price: null };
    expect((await findByCode('A')).variants).toMatchObject([clearedVariant]);
  });

  it('changes sent fields and updated_at', async () => {
    const { id } = await writeOne(productRow('A', { price: 10, variants: [{ code: 'A-1', price: 8 }] }));
    const insertedAt = now();
    api.clock.forward({ seconds: 75 });
    const newFields = { name: 'New', slug: 'new', description: 'n', vat_rate: 8, price: 11, active: false };
    const changedProduct = await writeOne({
      code: 'A',
      ...newFields,
      variants: [{ code: 'A-1', name: 'N', price: 7.5 }],
    });
    expect(changedProduct).toMatchObject({ id, created: false, variants: [{ created: false }] });
    expect(await findByCode('A')).toMatchObject({
      ...newFields,
      lowest_price: 7.5,
      variants: [{ name: 'N', price: 7.5 }],
      inserted_at: insertedAt,
      updated_at: now(),
    });
  });

  it('keeps absent variants', async () => {
    await writeRows([productRow('A', { variants: [{ code: 'A-1' }, { code: 'A-2' }] })]);
    const { variants } = await writeOne(productRow('A', { variants: [{ code: 'A-3' }] }));
    expect(variants).toMatchObject([{ code: 'A-3', created: true }]);
    expect((await findByCode('A')).variants).toMatchObject([{ code: 'A-1' }, { code: 'A-2' }, { code: 'A-3' }]);
  });

  it('does nothing for an empty list', async () => {
    expect(await writeRows([])).toEqual([]);
  });

  it('ignores unknown fields', async () => {
    await writeRows([
      productRow('A', { app_id: 1, lowest_price: 1, sales_quantity: 9, inserted_at: '2001-01-01', constructor: 1 }),
    ]);
    expect(await findByCode('A')).toMatchObject({ lowest_price: null, sales_quantity: 0, inserted_at: now() });
  });
});

describe('the product of a row of POST /int/products', () => {
  it('is found by id, else by code, else by external_ref', async () => {
    const [a, b, c] = (await writeRows([productRow('A'), productRow('B'), productRow('C')])) as [
      UpsertedProduct,
      UpsertedProduct,
      UpsertedProduct,
    ];
    await setReference(c, 'ref-c');
    const idOf = async (row: object) => (await writeOne(row)).id;
    expect(await idOf({ id: a.id })).toBe(a.id);
    expect(await idOf({ id: b.id, external_ref: 'ref-c' })).toBe(b.id);
    expect(await idOf({ code: 'B', external_ref: 'ref-c' })).toBe(b.id);
    expect(await idOf({ id: 987_654_321, code: 'B' })).toBe(b.id);
    expect(await idOf({ id: -1, external_ref: 'ref-c' })).toBe(c.id);
    expect(await idOf({ id: null, code: null, external_ref: 'ref-c' })).toBe(c.id);
    expect((await readCatalogue())[0]).toHaveLength(3);
  });

  it('gets the sent code when found by id or external_ref', async () => {
    const [a, b] = (await writeRows([productRow('A'), productRow('B')])) as [UpsertedProduct, UpsertedProduct];
    await setReference(b, 'ref-b');
    expect(await writeOne({ id: a.id, code: 'A2' })).toMatchObject({ id: a.id, code: 'A2', created: false });
    expect(await writeOne({ external_ref: 'ref-b', code: 'B2' })).toMatchObject({ id: b.id, code: 'B2' });
  });

  it('is a new product when no stored product has its code', async () => {
    const { id } = await writeOne(productRow('A'));
    expect(await writeOne(productRow('A2'))).toMatchObject({ created: true });
    expect((await findByCode('A')).id).toBe(id);
  });

  it('is matched by exact code, and its code is stored as sent', async () => {
    const codes = ['a', 'A', ' a', 'a ', 'ａ', 'á', 'a\u0301'];
    await writeRows(codes.map((code) => productRow(code)));
    const repeatedRows = await writeRows(codes.map((code) => ({ code })));
    expect(repeatedRows.map(({ code, created }) => [code, created])).toEqual(codes.map((code) => [code, false]));
  });

  it('is not found by a similar external_ref', async () => {
    await setReference(await writeOne(productRow('A')), 'ref');
    expect(await expectRefused([{ external_ref: 'REF' }, { external_ref: 'ref ' }])).toEqual([
      'CodeCantBeBlank',
      'CodeCantBeBlank',
    ]);
  });

  it('does not get the external_ref of the row, whether new or existing', async () => {
    await writeRows([productRow('A', { external_ref: 'ref' })]);
    await setReference(await writeOne(productRow('B')), 'kept');
    await writeRows([{ code: 'B', external_ref: 'other' }]);
    const references = await api.database.rows('select external_ref from products where app_id = $1 order by id', [
      shop.appId,
    ]);
    expect(references).toEqual([{ external_ref: null }, { external_ref: 'kept' }]);
  });
});

describe('the variant of a row of POST /int/products', () => {
  const VARIANTS = [
    { code: 'A', barcode: '860-A', external_ref: 'ref-a' },
    { code: 'B', barcode: '860-B', external_ref: 'ref-b' },
  ];
  const variantOf = async (variant: object) => (await writeOne({ code: 'P', variants: [variant] })).variants[0];

  beforeEach(() => writeRows([productRow('P', { variants: VARIANTS })]));

  it.each([
    ['code', { code: 'B' }],
    ['code before external_ref', { code: 'B', external_ref: 'ref-b' }],
    ['barcode', { barcode: '860-B' }],
    ['barcode when the code finds no variant, and gets the code', { code: 'B2', barcode: '860-B' }],
    [
      'external_ref when code and barcode find no variant, and gets both',
      { code: 'B2', barcode: '2', external_ref: 'ref-b' },
    ],
    ['barcode when the code is null', { code: null, barcode: '860-B' }],
  ])('is found by %s', async (rule, identifiers) => {
    const [, b] = (await findByCode('P')).variants;
    const sentIdentifiers = Object.fromEntries(Object.entries(identifiers).filter(([, value]) => value !== null));
    const match = { id: b.id, created: false, matched_by: rule.split(' ')[0] };
    expect(await variantOf(identifiers)).toEqual({ ...VARIANTS[1], ...sentIdentifiers, ...match });
    expect((await readCatalogue())[1]).toHaveLength(2);
  });

  it('is found by code before barcode, and by barcode before external_ref', async () => {
    const [a] = (await findByCode('P')).variants;
    expect(await expectRefused([{ code: 'P', variants: [{ code: 'A', barcode: '860-B' }] }])).toEqual([
      'BarcodeAlreadyExists',
    ]);
    expect(await expectRefused([{ code: 'P', variants: [{ barcode: '860-A', external_ref: 'ref-b' }] }])).toEqual([
      'ExternalRefAlreadyExists',
    ]);
    expect(await variantOf({ code: 'A', barcode: '860-A', external_ref: 'ref-a', name: 'x' })).toMatchObject({
      id: a.id,
    });
  });

  it('is matched case-sensitively', async () => {
    const otherIdentifiers = { code: 'a', barcode: '860-a', external_ref: 'REF-A' };
    const noMatch = { id: expect.any(Number), created: true, matched_by: null };
    expect(await variantOf(otherIdentifiers)).toEqual({ ...otherIdentifiers, ...noMatch });
  });

  it('is looked up by the text as sent, then by the trimmed text', async () => {
    const [a] = (await findByCode('P')).variants;
    for (const identifiers of [{ code: ' A' }, { barcode: '860-A ' }, { external_ref: 'ref-a ' }])
      expect(await variantOf(identifiers)).toMatchObject({ id: a.id, matched_by: Object.keys(identifiers)[0] });
    expect(await expectRefused([{ code: 'P', variants: [{ code: ' A', barcode: '860-B' }] }])).toEqual([
      'CodeAlreadyExists',
    ]);
  });

  it('has no barcode or external_ref when they are blank', async () => {
    expect(await variantOf({ code: 'A', barcode: '', external_ref: '  ' })).toMatchObject({
      barcode: null,
      external_ref: null,
    });
    expect(await variantOf({ code: 'B', barcode: ' ', external_ref: '' })).toMatchObject({ barcode: null });
  });

  it('fails with VariantOfAnotherProduct when an identifier finds a variant of another product', async () => {
    await writeRows([productRow('Q')]);
    for (const variant of [{ code: 'A' }, { code: 'new', barcode: '860-A' }, { code: 'new', external_ref: 'ref-a' }]) {
      expect(
        await expectRefused([
          { code: 'Q', name: 'changed', variants: [{ code: 'fine' }, variant] },
          productRow('new', { variants: [variant] }),
        ]),
      ).toEqual(['VariantOfAnotherProduct', 'VariantOfAnotherProduct']);
    }
  });

  it('fails with VariantOfAnotherProduct when the same call writes the other product', async () => {
    expect(
      await postRows([
        productRow('N1', { variants: [{ code: 'N' }] }),
        productRow('N2', { variants: [{ code: 'N' }] }),
        { code: 'P', name: 'changed' },
        productRow('N3', { variants: [{ code: 'A' }] }),
      ]),
    ).toMatchObject({
      products: [{ code: 'N1' }, { code: 'P' }],
      failed: [
        { input: { code: 'N2' }, error: { message: 'API.Products.VariantOfAnotherProduct' } },
        { input: { code: 'N3' }, error: { message: 'API.Products.VariantOfAnotherProduct' } },
      ],
    });
  });
});

describe('a variant without a code', () => {
  it('is shown with the code null in lists, movements, baskets, proformas, orders and the export', async () => {
    await shop.put('/warehouse', { warehouses: [warehouse('W1')] });
    const variants = [{ barcode: '860' }, { external_ref: 'ref' }, { code: 'A-3' }];
    const [first] = (await writeOne(productRow('A', { price: 10, vat_rate: 20, variants }))).variants;
    expect(first).toMatchObject({ code: null, barcode: '860', created: true });
    expect((await writeOne(productRow('A', { variants }))).variants.map(({ created }) => created)).toEqual([
      false,
      false,
      false,
    ]);
    await putStock(shop, [{ barcode: '860', warehouse_code: 'W1', qty: 5 }]);
    const { data: order } = (
      await shop.post(`/proforma_orders/${(await propose(shop, [{ barcode: '860', qty: 1 }])).id}/convert`)
    ).body;
    const get = async (path: string) => (await shop.get(path)).body.data;
    const { data_part: dataPart, time_part: timePart, proforma_order_id: proformaId } = order;
    const shown = [
      (await findByCode('A')).variants[0],
      (await findProduct('barcode=860')).variants[0],
      (await get('/stocks'))[0],
      (await get('/stocks/aggregate?barcode=860'))[0],
      (await get('/stock_movements?dateFrom=2020-01-01&dateUntil=2040-01-01'))[0],
      (await get(`/proforma_orders/${proformaId}`)).items[0],
      (await get(`/orders/${order.id}?dataPart=${dataPart}&timePart=${timePart}`)).items[0],
    ];
    expect(shown.map(({ code, product_variant_id: variantId, id }) => [code, variantId ?? id])).toEqual(
      shown.map(() => [null, first?.id]),
    );
    expect(await api.database.rows('select search_all from products where app_id = $1', [shop.appId])).toEqual([
      { search_all: 'name of a a 860 a-3' },
    ]);
  });

  it('is never found by a code', async () => {
    await writeRows([productRow('A', { variants: [{ barcode: '860' }] })]);
    const { body } = await shop.put('/int/stocks', { stocks: [{ code: null, warehouse_code: 'W1', qty: 1 }] });
    expect(body.data.failed[0].error.message).toBe('API.Stocks.VariantNotFound');
    expect(await writeOne({ code: 'A', variants: [{ code: 'new' }] })).toMatchObject({ variants: [{ created: true }] });
  });
});

describe('POST /int/products with an invalid row', () => {
  it('keeps variants with different codes and one barcode apart, and names the place', async () => {
    const row = productRow('T', {
      variants: [
        { code: 'T-S', barcode: '0' },
        { code: 'T-M', barcode: '0' },
      ],
    });
    expect((await postRows([row])).failed).toEqual([
      failedRow(0, row, 'API.Products.BarcodeAlreadyExists', 'variants.1.barcode'),
    ]);
    expect(await findByCode('T')).toEqual({});
  });

  it('names the place of the failure', async () => {
    await writeRows([productRow('T', { barcode: '1', variants: [{ code: 'T-1', barcode: '2', external_ref: 'r' }] })]);
    const { body } = await post([
      productRow('A', { variants: [{ code: 'A-1' }, {}] }),
      productRow('B', { variants: [{ code: 'B-1' }, { code: 'B-2' }, { code: 'T-1' }] }),
      productRow('T', { variants: [{ code: 'T-2' }, { code: 'T-2', barcode: '2' }] }),
      productRow('T', { variants: [{ code: 'T-3' }, { code: 'T-3', external_ref: 'r' }] }),
      productRow('D', { barcode: '1', variants: [{ code: 'D-1' }] }),
      { code: 'T', name: ' ', variants: [{ code: 'T-1' }] },
    ]);
    expect(body.data.failed.map(({ field }: { field: string }) => field)).toEqual([
      'variants.1.code',
      'variants.2',
      'variants.1.barcode',
      'variants.1.external_ref',
      'barcode',
      'name',
    ]);
  });

  const longText = 'č'.repeat(256);
  const image = (fields: object) => ({ images: [{ image_url: 'https://img.example/1.png', ...fields }] });
  const format = (value: unknown) => inspect(value, { depth: 5, maxStringLength: 5, breakLength: Infinity });

  it.each(
    (
      [
        ['CodeCantBeBlank', { code: undefined }],
        ['CodeCantBeBlank', { code: null }],
        ['CodeCantBeBlank', { code: '' }],
        ['CodeCantBeBlank', { code: ' \t\u00a0' }],
        ['NameCantBeBlank', { name: undefined }],
        ['NameCantBeBlank', { name: null }],
        ['NameCantBeBlank', { name: '' }],
        ['NameCantBeBlank', { name: '  ' }],
        ['CodeIsTooLong', { code: longText }],
        ['NameIsTooLong', { name: longText }],
        ['SlugIsTooLong', { slug: longText }],
        ['ExternalRefIsTooLong', { external_ref: longText }],
        ['DescriptionIsTooLong', { description: 'x'.repeat(5_001) }],
        ['CodeIsInvalid', { code: 'A\0' }],
        ['NameIsInvalid', { name: '\ud800' }],
        ['SlugIsInvalid', { slug: '\0' }],
        ['DescriptionIsInvalid', { description: 'x\udfffy' }],
        ['ExternalRefIsInvalid', { external_ref: '\0' }],
        ['PriceIsInvalid', { price: -0.01 }],
        ['PriceIsInvalid', { price: 1.005 }],
        ['PriceIsInvalid', { price: 0.1 + 0.2 }],
        ['PriceIsInvalid', { price: 1e15 }],
        ['PriceIsInvalid', { price: 1e300 }],
        ['VatRateIsInvalid', { vat_rate: -1 }],
        ['VatRateIsInvalid', { vat_rate: 100.01 }],
        ['VatRateIsInvalid', { vat_rate: 7.125 }],
        ['VatRateIsInvalid', { vat_rate: 1e300 }],
        ['ImageUrlCantBeBlank', { images: [{}] }],
        ['ImageUrlCantBeBlank', image({ image_url: ' ' })],
        ['ImageUrlIsTooLong', image({ image_url: 'x'.repeat(2_049) })],
        ['ImageUrlIsInvalid', image({ image_url: '\0' })],
        ['ImageUrlIsInvalid', image({ image_url: 'javascript:alert(1)' })],
        ['AltIsTooLong', image({ alt: 'x'.repeat(5_001) })],
        ['AltIsInvalid', image({ alt: '\ud800' })],
        ['CodeCantBeBlank', { variants: [{}] }],
        ['CodeCantBeBlank', { variants: [{ code: ' ', barcode: null, external_ref: ' ' }] }],
        ['CodeIsTooLong', { variants: [{ code: longText }] }],
        ['BarcodeIsTooLong', { variants: [{ code: 'V', barcode: longText }] }],
        ['ExternalRefIsTooLong', { variants: [{ code: 'V', external_ref: longText }] }],
        ['NameIsTooLong', { variants: [{ code: 'V', name: longText }] }],
        ['CodeIsInvalid', { variants: [{ code: '\ud800' }] }],
        ['BarcodeIsInvalid', { variants: [{ code: 'V', barcode: '\0' }] }],
        ['ExternalRefIsInvalid', { variants: [{ code: 'V', external_ref: 'r\0' }] }],
        ['PriceIsInvalid', { variants: [{ code: 'V', price: -1 }] }],
        ['PriceIsInvalid', { variants: [{ code: 'V', price: 0.001 }] }],
        ['VatRateIsInvalid', { variants: [{ code: 'V', vat_rate: 101 }] }],
        ['ImageUrlCantBeBlank', { variants: [{ code: 'V', images: [{ alt: 'x' }] }] }],
        ...['id', 'code', 'external_ref', 'name', 'slug', 'description', 'vat_rate', 'price', 'active'].flatMap(
          (field) =>
            [[], {}, field === 'active' ? 'true' : true].map((value): [string, object] => [
              'WrongDataType',
              { [field]: value },
            ]),
        ),
        ['WrongDataType', { id: '1' }],
        ['WrongDataType', { id: 1.5 }],
        ['WrongDataType', { code: 5 }],
        ['WrongDataType', { price: '10' }],
        ['WrongDataType', { vat_rate: '20' }],
        ['WrongDataType', { active: 1 }],
        ['WrongDataType', { images: {} }],
        ['WrongDataType', { images: 'https://img.example/1.png' }],
        ['WrongDataType', { images: [null] }],
        ['WrongDataType', { images: ['https://img.example/1.png'] }],
        ['WrongDataType', image({ image_url: 5 })],
        ['WrongDataType', image({ alt: 5 })],
        ['WrongDataType', { variants: {} }],
        ['WrongDataType', { variants: 'V' }],
        ['WrongDataType', { variants: [null] }],
        ['WrongDataType', { variants: ['V'] }],
        ['WrongDataType', { variants: [[]] }],
        ['WrongDataType', { variants: [{ code: 5 }] }],
        ['WrongDataType', { variants: [{ code: 'V', barcode: 860 }] }],
        ['WrongDataType', { variants: [{ code: 'V', external_ref: {} }] }],
        ['WrongDataType', { variants: [{ code: 'V', name: 1 }] }],
        ['WrongDataType', { variants: [{ code: 'V', price: '1' }] }],
        ['WrongDataType', { variants: [{ code: 'V', vat_rate: true }] }],
        ['WrongDataType', { variants: [{ code: 'V', images: {} }] }],
        ['WrongDataType', { variants: [{ code: 'V', images: [5] }] }],
      ] as [string, object][]
    ).map(([key, fault]) => [key, format(fault), fault] as [string, string, object]),
  )('fails with %s for a new product with %s', async (key, _, fault) => {
    const validRow = productRow('N', { variants: [{ code: 'N-1' }], images: [] });
    const row = JSON.parse(JSON.stringify({ ...validRow, ...fault })) as object;
    expect(await expectRefused([row])).toEqual([key]);
  });

  it.each([null, 5, 'A', true, [], [productRow('A')]])('fails with WrongDataType for the row %j', async (row) => {
    expect(await expectRefused([row])).toEqual(['WrongDataType']);
  });

  it('refuses a blank name for an existing product', async () => {
    const { id } = await writeOne(productRow('A'));
    expect(await expectRefused([{ id, name: '' }])).toEqual(['NameCantBeBlank']);
  });

  it('returns failed rows as sent, with their reasons, and writes the other rows', async () => {
    await writeRows([productRow('P', { variants: [{ code: 'P-1' }] })]);
    const namelessRow = { code: 'N', note: { any: ['thing'] } };
    const conflictingRow = productRow('T', { variants: [{ code: 'T-1' }, { code: 'P-1' }] });
    expect(
      await postRows([
        productRow('A'),
        namelessRow,
        null,
        conflictingRow,
        productRow('B', { variants: [{ code: 'T-1' }] }),
      ]),
    ).toEqual({
      products: [
        { id: expect.any(Number), code: 'A', created: true, variants: [] },
        { id: expect.any(Number), code: 'B', created: true, variants: [expect.objectContaining({ code: 'T-1' })] },
      ],
      failed: [
        failedRow(1, namelessRow, 'API.Products.NameCantBeBlank', 'name'),
        failedRow(2, null, 'API.Products.WrongDataType'),
        failedRow(3, conflictingRow, 'API.Products.VariantOfAnotherProduct', 'variants.1'),
      ],
    });
    expect(await Promise.all(['A', 'N', 'T'].map((code) => findByCode(code)))).toMatchObject([{ code: 'A' }, {}, {}]);
    expect((await readCatalogue())[0]).toHaveLength(3);
  });

  it('lets later rows use the identifiers of a failed row', async () => {
    await writeRows([productRow('P', { variants: [{ code: 'P-1', barcode: 'b-1' }] })]);
    const invalidVariant = { code: 'unfit', barcode: 'b-1' };
    const { products, failed } = await postRows([
      {
        ...productRow('P'),
        slug: 'wish',
        images: [{ image_url: 'x' }],
        variants: [{ code: 'N', barcode: 'n' }, { code: '' }],
      },
      productRow('Q', { slug: 'wish', variants: [{ code: 'N', barcode: 'n' }] }),
      productRow('R', { variants: [invalidVariant] }),
      productRow('R', { variants: [{ code: 'unfit' }] }),
    ]);
    expect(failed).toHaveLength(2);
    expect(products.map(({ code, created }) => [code, created])).toEqual([
      ['Q', true],
      ['R', true],
    ]);
    expect(await findByCode('P')).toMatchObject({ slug: 'name-of-p', images: [], variants: [{ code: 'P-1' }] });
  });
});

describe('POST /int/products with taken codes', () => {
  it('fails with CodeAlreadyExists when another variant has the code', async () => {
    await writeRows([
      productRow('P', { variants: [{ code: 'A', barcode: 'a' }] }),
      productRow('Q', { variants: [{ code: 'B' }] }),
    ]);
    expect(await expectRefused([{ code: 'P', variants: [{ code: ' B', barcode: 'a' }] }])).toEqual([
      'CodeAlreadyExists',
    ]);
  });

  it('fails with BarcodeAlreadyExists when another variant has the barcode', async () => {
    await writeRows([productRow('P', { variants: [{ code: 'A' }, { code: 'B', barcode: 'b' }] })]);
    expect(
      await expectRefused([
        { code: 'P', variants: [{ code: 'A', barcode: 'b' }] },
        { code: 'P', variants: [{ code: 'A', barcode: ' b ' }] },
      ]),
    ).toEqual(['BarcodeAlreadyExists', 'BarcodeAlreadyExists']);
  });

  it('accepts the same text as code of a product, code of a variant and barcode', async () => {
    await writeRows([
      productRow('A', {
        variants: [
          { code: 'A', barcode: 'B' },
          { code: 'B', barcode: 'A' },
        ],
      }),
    ]);
    expect((await findByCode('A')).variants).toHaveLength(2);
  });
});

describe('POST /int/products that moves identifiers', () => {
  const identifiersByCode = { A: { barcode: 'b-1', external_ref: 'r-1' }, B: { barcode: 'b-2', external_ref: 'r-2' } };
  const twoVariants = [
    { code: 'A', ...identifiersByCode.A },
    { code: 'B', ...identifiersByCode.B },
  ];
  const swappedVariants = [
    { code: 'A', ...identifiersByCode.B },
    { code: 'B', ...identifiersByCode.A },
  ];
  const variantsOf = async (code: string) => (await findByCode(code)).variants;

  it('swaps the slugs of two products', async () => {
    await writeRows([productRow('A', { slug: 'a' }), productRow('B', { slug: 'b' })]);
    await writeRows([
      { code: 'A', slug: 'b' },
      { code: 'B', slug: 'a' },
    ]);
    expect([(await findByCode('A')).slug, (await findByCode('B')).slug]).toEqual(['b', 'a']);
  });

  it('swaps barcodes and references of two variants of one product', async () => {
    await writeRows([productRow('P', { variants: twoVariants })]);
    await writeRows([{ code: 'P', variants: swappedVariants }]);
    expect(await variantsOf('P')).toMatchObject(swappedVariants);
  });

  it('swaps barcodes and references of variants of two products', async () => {
    await writeRows([productRow('P', { variants: [twoVariants[0]] }), productRow('Q', { variants: [twoVariants[1]] })]);
    await writeRows([
      { code: 'P', variants: [swappedVariants[0]] },
      { code: 'Q', variants: [swappedVariants[1]] },
    ]);
    expect([...(await variantsOf('P')), ...(await variantsOf('Q'))]).toMatchObject(swappedVariants);
  });

  it('moves a code in any order of the rows, even to a new record', async () => {
    const [a, b] = (await writeRows([productRow('A'), productRow('B'), productRow('C')])) as [
      UpsertedProduct,
      UpsertedProduct,
    ];
    await writeRows([{ id: a.id, code: 'B' }, { id: b.id, code: 'D' }, productRow('A')]);
    expect([(await findByCode('B')).id, (await findByCode('D')).id]).toEqual([a.id, b.id]);
    expect((await findByCode('A')).id).toBeGreaterThan(b.id);
  });

  it('moves nothing when the row of the present owner fails', async () => {
    const [a, b] = (await writeRows([productRow('A'), productRow('B')])) as [UpsertedProduct, UpsertedProduct];
    const [takerRow, giverRow] = [
      { id: a.id, code: 'B' },
      { id: b.id, code: 'D', variants: [{ code: '' }] },
    ];
    expect(await postRows([takerRow, giverRow, productRow('E')])).toMatchObject({
      products: [{ code: 'E' }],
      failed: [
        { input: takerRow, error: { message: 'API.Products.CodeAlreadyExists' } },
        { input: giverRow, error: { message: 'API.Products.CodeCantBeBlank' } },
      ],
    });
    expect([(await findByCode('A')).id, (await findByCode('B')).id]).toEqual([a.id, b.id]);
  });

  it('moves nothing when a later row sends the identifier for its present owner again', async () => {
    const [a, b] = (await writeRows([productRow('A'), productRow('B')])) as [UpsertedProduct, UpsertedProduct];
    const { products, failed } = await postRows([
      { id: a.id, code: 'B' },
      { id: b.id, code: 'D' },
      { id: b.id, code: 'B' },
    ]);
    expect(failed.map(({ input, error }) => [input, error.message])).toEqual(
      [a.id, b.id].map((id) => [{ id, code: 'B' }, 'API.Products.CodeAlreadyExists']),
    );
    expect(products).toMatchObject([{ id: b.id, code: 'D' }]);
  });
});

describe('POST /int/products with several rows for a record', () => {
  it('applies the later row, whichever identifier matches', async () => {
    const { id } = await writeOne(productRow('A'));
    const rows = await writeRows([
      { code: 'A', name: 'first', description: 'kept' },
      { id, name: 'last' },
    ]);
    expect(rows.map((row) => row.id)).toEqual([id, id]);
    expect(await findByCode('A')).toMatchObject({ name: 'last', description: 'kept' });
  });

  it('keeps the record of the earlier row when the later row fails', async () => {
    const { products, failed } = await postRows([
      productRow('A', { price: 1 }),
      productRow('A', { price: 2, variants: [{}] }),
    ]);
    expect([products.length, failed.length]).toEqual([1, 1]);
    expect(await findByCode('A')).toMatchObject({ price: 1, variants: [] });
  });

  it('creates the record with the later row when the earlier row fails', async () => {
    const { products, failed } = await postRows([productRow('A', { variants: [{}] }), productRow('A', { price: 2 })]);
    expect([products, failed.length]).toEqual([[expect.objectContaining({ created: true })], 1]);
    expect(await findByCode('A')).toMatchObject({ price: 2 });
  });

  it('applies the later of two entries for one variant in a row', async () => {
    const variants = [
      { code: 'A-1', barcode: 'b', price: 1 },
      { code: 'A-1', price: 2 },
      { barcode: 'b', name: 'x' },
    ];
    const { variants: results } = await writeOne(productRow('A', { variants }));
    expect(results.map(({ created }) => created)).toEqual([true, false, false]);
    expect((await findByCode('A')).variants).toMatchObject([{ code: 'A-1', barcode: 'b', price: 2, name: 'x' }]);
  });
});

describe('images of POST /int/products', () => {
  it('accept 2,048 characters in image_url and 5,000 in alt', async () => {
    const image = { image_url: 'x'.repeat(2_048), alt: 'ж'.repeat(5_000) };
    await writeRows([productRow('A', { images: [image], description: 'ж'.repeat(5_000) })]);
    expect((await findByCode('A')).images).toEqual([image]);
  });
});

describe('prices of POST /int/products', () => {
  it('are inherited by variants without a price', async () => {
    await writeRows([productRow('A', { price: 10, variants: [{ code: 'A-1' }, { code: 'A-2', price: 0 }] })]);
    expect((await findByCode('A')).variants).toMatchObject([{ price: 10 }, { price: 0 }]);
  });

  it.each([0, 0.01, 0.29, 1.1, 19.99, 1_234_567.89, 999_999_999_999.99, 1e12])(
    'are returned as sent: %d',
    async (price) => {
      await writeRows([productRow('A', { price, variants: [{ code: 'A-1', price }] })]);
      expect(await findByCode('A')).toMatchObject({ price, lowest_price: price, variants: [{ price }] });
    },
  );

  it.each([0, 7.5, 20, 99.99, 100])('keep a vat_rate of %d as sent', async (vat_rate) => {
    await writeRows([productRow('A', { vat_rate })]);
    expect(await findByCode('A')).toMatchObject({ vat_rate });
  });

  it('can have only the decimals of the currency', async () => {
    const yenApp = await api.app('JPY');
    const { products, failed } = await postRows(
      [productRow('A', { price: 100 }), productRow('B', { price: 100.5 })],
      yenApp,
    );
    expect([products.length, failed[0]?.error.message]).toEqual([1, 'API.Products.PriceIsInvalid']);
    expect(await findByCode('A', yenApp)).toMatchObject({ price: 100, lowest_price: 100 });
  });
});

describe('slugs of POST /int/products', () => {
  it.each([
    ['Ципела Љубичица, број 42', 'cipela-ljubicica-broj-42'],
    ['Čizme žute ĐŠ', 'cizme-zute-ds'],
    ['  -- A  &  B --  ', 'a-b'],
    ['Ärmel/Größe 5%', 'armel-grosse-5'],
    ['鞋', 'xie'],
    ['!!!', 'product'],
  ])('are generated from the name %j as %s', async (name, slug) => {
    await writeRows([{ code: 'A', name }]);
    expect(await findByCode('A')).toMatchObject({ name, slug });
  });

  it('are unique in the app and within a call', async () => {
    await writeRows(['A', 'B', 'C', 'C.'].map((code) => ({ code, name: 'Шешир' })));
    const slugs = (await api.database.rows('select slug from products where app_id = $1 order by id', [
      shop.appId,
    ])) as { slug: string }[];
    expect(slugs.map(({ slug }) => slug)).toEqual([
      'sesir',
      'sesir-b',
      'sesir-c',
      expect.stringMatching(/^sesir-[0-9a-f]{8}$/),
    ]);
    const otherApp = await api.app();
    await writeRows([{ code: 'A', name: 'Шешир' }], otherApp);
    expect((await findByCode('A', otherApp)).slug).toBe('sesir');
  });

  it('differ from the slugs of stored products', async () => {
    await writeRows(['A', 'B'].map((code) => ({ code, name: 'Шешир' })));
    const newProducts = await writeRows([
      { code: 'C', name: 'Шешир' },
      { code: 'B.', name: 'Шешир' },
      { code: 'D', name: 'Чизма' },
    ]);
    const slugs = [];
    for (const { id } of newProducts) slugs.push((await findProduct(`id=${id}`)).slug);
    expect(slugs).toEqual(['sesir-c', expect.stringMatching(/^sesir-[0-9a-f]{8}$/), 'cizma']);
  });

  it('differ from a taken slug that another row requests', async () => {
    await writeRows([{ code: 'A', name: 'Шешир' }]);
    const { failed } = await postRows([{ code: 'C', name: 'Шешир' }, productRow('D', { slug: 'sesir' })]);
    expect(failed.map(({ error }) => error.message)).toEqual(['API.Products.SlugAlreadyExists']);
    expect((await findByCode('C')).slug).toBe('sesir-c');
  });

  it('are taken for the rows between, even if a later row replaces them', async () => {
    await writeRows([{ code: 'stored', name: 'zn' }]);
    const rows = [{ code: 'b', name: 'zN!' }, productRow('c', { slug: 'zn-b' }), { code: 'b', slug: 'other' }];
    const { failed } = await postRows(rows);
    expect(failed.map(({ error, input }) => [error.message, input])).toEqual([
      ['API.Products.SlugAlreadyExists', rows[1]],
    ]);
    expect((await findByCode('b')).slug).toBe('other');
  });

  it('stay the same when the name changes', async () => {
    await writeRows([{ code: 'A', name: 'Old' }]);
    await writeRows([{ code: 'A', name: 'New' }]);
    expect(await findByCode('A')).toMatchObject({ name: 'New', slug: 'old' });
  });

  it('are stored trimmed; a blank slug is replaced by a generated one', async () => {
    await writeRows([productRow('A', { slug: ' Own Slug/Љ ' }), productRow('B', { slug: ' ' })]);
    expect([(await findByCode('A')).slug, (await findByCode('B')).slug]).toEqual(['Own Slug/Љ', 'name-of-b']);
  });

  it('fail with SlugAlreadyExists when another product has the slug', async () => {
    await writeRows([productRow('A', { slug: 'taken' }), productRow('B')]);
    expect(await expectRefused([{ code: 'B', slug: 'taken' }, productRow('C', { slug: ' taken' })])).toEqual([
      'SlugAlreadyExists',
      'SlugAlreadyExists',
    ]);
    await writeRows([{ code: 'A', slug: 'taken' }]);
  });

  it('can be reused in a later row of the same call', async () => {
    await writeRows([productRow('A', { slug: 's' })]);
    await writeRows([{ code: 'A', slug: 't' }, productRow('B', { slug: 's' })]);
    expect([(await findByCode('A')).slug, (await findByCode('B')).slug]).toEqual(['t', 's']);
  });
});

describe('POST /int/products with an unreadable body', () => {
  it.each([
    [{}],
    [{ product: productRow('A') }],
    [{ products: null }],
    [{ products: productRow('A') }],
    [{ products: 'A' }],
    [[productRow('A')]],
  ])('answers 400 for %j and writes nothing', async (body) => {
    const { status, body: answer } = await shop.post('/int/products', body);
    expect([status, answer]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
    expect(await readCatalogue()).toEqual([[], [], []]);
  });

  it('answers 413 for more than 10,000 rows and writes nothing', async () => {
    const { status, body } = await post(Array.from({ length: 10_001 }, (_, index) => productRow(`A${index}`)));
    expect([status, body]).toEqual([413, { errors: { detail: 'Request Entity Too Large' } }]);
    expect(await readCatalogue()).toEqual([[], [], []]);
  });
});

describe('a generated slug', () => {
  it('has at most 255 characters and finds its product', async () => {
    const name = 'N'.repeat(250);
    for (const letter of ['a', 'b', 'c']) await writeRows([productRow(letter + 'x'.repeat(240), { name })]);
    const [products] = (await readCatalogue()) as [{ slug: string }[]];
    const slugs = products.map(({ slug }) => slug);
    expect(slugs.map(({ length }) => length)).toEqual([200, 255, 255]);
    for (const slug of slugs) expect(await findProduct(`slug=${slug}`)).toMatchObject({ slug });
  });
});

describe('images_mode of POST /int/products', () => {
  const image = (name: string) => ({ image_url: `https://example.com/${name}` });
  const postWith = (products: readonly object[], fields: object = {}) =>
    shop.post('/int/products', { products, ...fields });
  const imagesOf = async (code: string) =>
    (await findByCode(code)).images.map(({ image_url }: { image_url: string }) => image_url.slice(20));

  it('appends images by default, and replaces or removes them on request', async () => {
    await postWith([productRow('A', { images: [image('a')] })]);
    await postWith([productRow('A', { images: [image('b')] })], { images_mode: 'append' });
    expect(await imagesOf('A')).toEqual(['a', 'b']);
    await postWith([productRow('A', { images: [image('c')] })], { images_mode: 'replace' });
    expect(await imagesOf('A')).toEqual(['c']);
    await postWith([productRow('A')], { images_mode: 'replace' });
    expect(await imagesOf('A')).toEqual(['c']);
    await postWith([productRow('A', { images: [] })], { images_mode: 'replace' });
    expect(await imagesOf('A')).toEqual([]);
  });

  it('is refused when its value is unknown', async () => {
    const { status, body } = await postWith([productRow('A')], { images_mode: 'merge' });
    expect([status, body.errors]).toEqual([422, { images_mode: ['is invalid'] }]);
  });

  it('sends the same number of statements for any number of rows', async () => {
    const countStatements = async (count: number): Promise<number> => {
      const rows = Array.from({ length: count }, (_, index) =>
        productRow(`P${index}`, { images: [image(`${count}`)] }),
      );
      await postWith(rows);
      const before = api.statements.length;
      await postWith(
        rows.map((row) => ({ ...row, images: [image('new')] })),
        { images_mode: 'replace' },
      );
      return api.statements.length - before;
    };
    expect(await countStatements(300)).toBe(await countStatements(1));
  });
});

describe('store_external_ref of POST /int/products', () => {
  it('stores the reference, which then finds the product', async () => {
    const rows = [productRow('A', { external_ref: 'erp-1' })];
    await shop.post('/int/products', { products: rows });
    expect((await findByCode('A')).external_ref).toBeNull();
    await shop.post('/int/products', { products: rows, store_external_ref: true });
    expect((await findByCode('A')).external_ref).toBe('erp-1');
    await shop.post('/int/products', { products: [{ external_ref: 'erp-1', price: 7 }] });
    expect(await findByCode('A')).toMatchObject({ price: 7, external_ref: 'erp-1' });
  });
});

describe('POST /int/products with long lists', () => {
  const listOf = (count: number) => Array.from({ length: count });
  const variantRows = (count: number, code = 'V') =>
    listOf(count).map((_, index) => ({ code: `${code}${index}`, price: 5 }));
  const imageRows = (count: number) => listOf(count).map(() => ({ image_url: 'x' }));

  it('accepts lists of 10,000 entries and fails rows with longer lists', async () => {
    const validRow = productRow('A', { variants: variantRows(100), images: imageRows(10_000) });
    const invalidRows = [
      productRow('B', { variants: variantRows(10_001, 'W') }),
      productRow('C', { variants: [{ code: 'X', images: imageRows(10_001) }] }),
    ];
    const { products, failed } = await postRows([validRow, ...invalidRows]);
    expect(products).toMatchObject([{ code: 'A', variants: { length: 100 } }]);
    const [longVariants, longImages] = invalidRows;
    expect(failed).toEqual([
      failedRow(1, longVariants, 'API.Products.WrongDataType', 'variants'),
      failedRow(2, longImages, 'API.Products.WrongDataType', 'variants.0.images'),
    ]);
    expect(await findByCode('A')).toMatchObject({ lowest_price: 5, images: { length: 10_000 } });
  });

  it.each([
    ['200,000 images in one row', () => [productRow('A', { images: imageRows(200_000) })]],
    ['150,000 variants with prices in one row', () => [productRow('A', { variants: variantRows(150_000) })]],
    [
      '30,001 variants in total',
      () => listOf(31).map((_, row) => productRow(`A${row}`, { variants: variantRows(row ? 1_000 : 1) })),
    ],
    [
      '30,001 images in total, also of variants',
      () =>
        listOf(31).map((_, row) =>
          productRow(`A${row}`, { variants: [{ code: `A${row}`, images: imageRows(row ? 1_000 : 1) }] }),
        ),
    ],
  ])('answers 413 for %s and writes nothing', async (_, rows) => {
    expect((await post(rows())).status).toBe(413);
    expect(await readCatalogue()).toEqual([[], [], []]);
  });
});

describe('a repeated POST /int/products', () => {
  const baseRow = { code: 'S', name: 'Same', price: 5, variants: [{ code: 'S-1', barcode: 'B', name: 'One' }] };
  const readVersions = () =>
    api.database.rows<{ product: string; variant: string }>(
      `select p.xmin::text as product, v.xmin::text as variant from products p
       join product_variants v on v.app_id = p.app_id and v.product_id = p.id where p.app_id = $1`,
      [shop.appId],
    );
  const readUpdatedAt = async (): Promise<string> => (await shop.get('/products?code=S-1')).body.data.updated_at;

  it('writes nothing when no value changes', async () => {
    await writeRows([baseRow]);
    const versionsBefore = await readVersions();
    await writeRows([baseRow]);
    expect(await readVersions()).toEqual(versionsBefore);
  });

  it.each([
    ['the product itself', { name: 'Other' }],
    ['a name of a variant', { variants: [{ code: 'S-1', name: 'Two' }] }],
    ['a new variant', { variants: [{ code: 'S-2' }] }],
    ['an image', { images: [{ image_url: 'https://shop.example.com/a.jpg' }] }],
    [
      'an image of a variant',
      { variants: [{ code: 'S-1', images: [{ image_url: 'https://shop.example.com/a.jpg' }] }] },
    ],
  ])('changes updated_at when it changes %s', async (_, change) => {
    await writeRows([baseRow]);
    const updatedBefore = await readUpdatedAt();
    api.clock.forward({ hours: 1 });
    await writeRows([{ code: 'S', ...change }]);
    expect(await readUpdatedAt()).not.toBe(updatedBefore);
  });
});

describe('POST /int/products with many rows', () => {
  const manyRows = (count: number, price: number) =>
    Array.from({ length: count }, (_, index) => ({
      code: `M${index}`,
      name: 'Чизма',
      price,
      variants: [{ code: `M${index}-1`, barcode: `b${index}`, price }],
      images: [{ image_url: 'x' }],
    }));
  const countStatements = async (products: readonly object[]): Promise<number> => {
    api.statements.length = 0;
    await writeRows(products);
    return api.statements.length;
  };

  it('writes 1,000 new and existing products with as many statements as two products', async () => {
    await writeRows([]);
    const statementsForOne = await countStatements(manyRows(1, 1));
    const statementsForTwo = await countStatements(manyRows(2, 2));
    expect(await countStatements(manyRows(1_000, 3))).toBe(statementsForTwo);
    expect(await countStatements(manyRows(1_000, 4))).toBe(await countStatements(manyRows(1, 5)));
    expect([statementsForOne, statementsForTwo]).toEqual([10, 13]);
  });

  it('sends as many statements for a chain of taken slugs as for one taken slug', async () => {
    await writeRows(Array.from({ length: 101 }, (_, index) => ({ code: `stored${index}`, name: `b${index}` })));
    // The slug of each product makes a row fail. Therefore the next product is new, and needs a slug, too.
    const chainOf = (length: number) => [
      { code: 'c0', name: 'b0' },
      ...Array.from({ length }, (_, index) => [
        { code: `c${index + 1}`, name: 'x', slug: `b${index}-c${index}` },
        { code: `c${index + 1}`, name: `b${index + 1}` },
      ]).flat(),
    ];
    const countForChain = async (length: number): Promise<number> => {
      api.statements.length = 0;
      const { status } = await shop.post('/int/products?dry_run=true', { products: chainOf(length) });
      expect(status).toBe(200);
      return api.statements.length;
    };
    expect(await countForChain(100)).toBe(await countForChain(1));
  });

  it('writes nothing for unchanged products', async () => {
    const knownRows = manyRows(1_000, 1).map((row) => ({ ...row, code: `K${row.code}`, variants: [], images: [] }));
    await writeRows(knownRows);
    expect(await countStatements(knownRows)).toBe(4);
  });

  it('writes 10,000 new and existing products', async () => {
    // Without statistics of this app, the planner would choose a slow plan.
    await gatherStatistics(api.database);
    const createdProducts = await writeRows(manyRows(5_000, 1));
    const allProducts = await writeRows(manyRows(10_000, 2));
    expect(allProducts.map(({ code }) => code)).toEqual(manyRows(10_000, 2).map(({ code }) => code));
    expect(allProducts.slice(0, 5_000).map(({ id }) => id)).toEqual(createdProducts.map(({ id }) => id));
    expect(allProducts.map((product) => product.created)).toEqual(allProducts.map((_, index) => index >= 5_000));
    expect(await findByCode('M0')).toMatchObject({ price: 2, images: [{}, {}], variants: [{ barcode: 'b0' }] });
    expect(await findByCode('M9999')).toMatchObject({ price: 2, images: [{}], variants: [{ barcode: 'b9999' }] });
  }, 120_000);
});

describe('concurrent POST /int/products', () => {
  const CALL_COUNT = 6;
  const row = (index: number, price: number) =>
    productRow(`K${index}`, { price, images: [{ image_url: 'x' }], variants: [{ code: `K${index}-1`, price }] });
  const reorderedRows = (callIndex: number) =>
    Array.from({ length: 50 }, (_, index) => row((index * 7 + callIndex * 11) % 50, callIndex + 1));

  it('neither deadlocks nor mixes up rows of different calls', async () => {
    for (const round of [1, 2]) {
      api.statements.length = 0;
      await Promise.all(Array.from({ length: CALL_COUNT }, (_, callIndex) => writeRows(reorderedRows(callIndex))));
      // A transaction that ends in a deadlock runs again, so more statements than calls would show a deadlock.
      expect(api.statements.filter((text) => text.includes('insert into product_images'))).toHaveLength(CALL_COUNT);
      const [products, variants, images] = (await readCatalogue()) as { price: number }[][];
      expect([products?.length, variants?.length, images?.length]).toEqual([50, 50, 50 * CALL_COUNT * round]);
      expect(new Set([...(products ?? []), ...(variants ?? [])].map(({ price }) => price)).size).toBe(1);
    }
  });

  it('does not deadlock with PUT /int/stocks of the same variants', async () => {
    await shop.put('/warehouse', { warehouses: [warehouse('W1')] });
    await writeRows(reorderedRows(0));
    api.statements.length = 0;
    const stockRows = (callIndex: number) =>
      reorderedRows(callIndex).map(({ code }) => ({ code: `${code}-1`, warehouse_code: 'W1', qty: 1 }));
    await Promise.all(
      Array.from({ length: CALL_COUNT }, (_, callIndex) => [
        writeRows(reorderedRows(callIndex)),
        shop
          .put('/int/stocks', { stocks: stockRows(callIndex) })
          .then(({ body }) => expect(body.data.updated).toBe(50)),
      ]).flat(),
    );
    expect(api.statements.filter((text) => text.includes('insert into stocks'))).toHaveLength(CALL_COUNT);
    expect((await findByCode('K1')).variants).toMatchObject([{ stock: { on_hand: CALL_COUNT } }]);
  });
});

describe('POST /int/products while another call references the same records', () => {
  it('does not wait for the other call', async () => {
    const { id } = await writeOne(productRow('A', { variants: [{ code: 'A-1' }] }));
    await api.database.transaction(async (transaction) => {
      // An insert of a shelf or proforma takes these locks for its foreign keys.
      await transaction.rows('select from product_variants where app_id = $1 for key share', [shop.appId]);
      await transaction.rows('select from products where app_id = $1 for key share', [shop.appId]);
      expect(await writeOne({ code: 'A', price: 5, variants: [{ code: 'A-1', price: 4 }] })).toMatchObject({ id });
    });
  });
});

describe('single look-ups of GET /products', () => {
  it('return the product with the stock of its variants', async () => {
    await shop.put('/warehouse', { warehouses: [warehouse('W1'), warehouse('W2', { sellable: false })] });
    const { id, variants } = await writeOne(
      productRow('A', { price: 5, vat_rate: 20, variants: [{ code: 'A-1' }, { code: 'A-2' }] }),
    );
    await putStock(shop, [
      { code: 'A-1', warehouse_code: 'W1', qty: 5 },
      { code: 'A-1', warehouse_code: 'W2', qty: 7 },
    ]);
    await propose(shop, [{ code: 'A-1', qty: 2 }]);
    expect(await findProduct('code=A')).toMatchObject({
      id,
      variants: [
        { id: variants[0]?.id, stock: { on_hand: 12, reserved: 2, available: 3 } },
        { id: variants[1]?.id, stock: { on_hand: 0, reserved: 0, available: 0 } },
      ],
    });
  });

  it('return the same product by code, barcode, slug and id', async () => {
    await writeRows([productRow('Z')]);
    const { id } = await writeOne(productRow('A', { slug: 's', variants: [{ code: 'A-1', barcode: '860' }] }));
    const product = await findProduct('code=A');
    expect(product).toMatchObject({ id, code: 'A' });
    for (const query of ['code=A-1', 'barcode=860', 'slug=s', `id=${id}`])
      expect(await findProduct(query)).toEqual(product);
  });

  it.each([
    'code=none',
    'code=%25',
    'code=A%25',
    'code=_',
    'code=%20',
    'code=860',
    'barcode=A',
    'barcode=A-1',
    'barcode=86',
    'slug=S',
    'slug=%20s',
    'slug=none',
    'id=0',
    'id=-1',
    'id=x',
    'id=1.5',
    'id=987654321',
    'id=99999999999999999999',
  ])('return {} without a match: %s', async (query) => {
    await writeRows([productRow('A', { slug: 's', variants: [{ code: 'A-1', barcode: '860' }] })]);
    expect(await findProduct(query)).toEqual({});
  });

  it('find an inactive product', async () => {
    await writeRows([productRow('A', { active: false })]);
    expect(await findProduct('code=A')).toMatchObject({ active: false });
  });

  it.each(['code=%00', 'barcode=A%00', 'slug=%00', 'id=%00'])('are answered 400 for NUL: %s', async (query) => {
    const { status, body } = await shop.get(`/products?${query}`);
    expect([status, body]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });

  it('take one statement', async () => {
    await writeRows([productRow('A', { variants: [{ code: 'A-1' }, { code: 'A-2' }] })]);
    api.statements.length = 0;
    await findProduct('code=A');
    expect(api.statements).toHaveLength(1);
  });

  it('show sales_quantity', async () => {
    const { id } = await writeOne(productRow('A'));
    await api.database.rows('insert into product_sales (app_id, product_id, quantity) values ($1, $2, 7)', [
      shop.appId,
      id,
    ]);
    expect(await findProduct('code=A')).toMatchObject({ sales_quantity: 7 });
  });
});
