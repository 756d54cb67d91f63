import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { DesiredProduct, PlannedProduct, ProductOutcome } from '../index.js';
import { describeProductBarcodes } from './product-barcodes.contract.js';
import { product, CatalogueShop, variant, type CatalogueFixture } from './given-catalogue.js';

type NewShop = () => Promise<CatalogueShop>;

export function productsContract(runner: Runner, open: () => Promise<CatalogueFixture>): void {
  let fixture: CatalogueFixture;
  runner.before(async () => {
    fixture = await open();
  });
  runner.after(() => fixture.close());
  const newShop = async () => new CatalogueShop(fixture, await fixture.makeApp());

  runner.describe('an upsert of products', () => {
    describeCreations(runner, newShop);
    describeChanges(runner, newShop);
    describeImages(runner, newShop);
    describeReferences(runner, newShop);
    describeProductBarcodes(runner, newShop);
    describeFailures(runner, newShop);
    describeDryRuns(runner, newShop);
    describeConcurrency(runner, newShop);
  });
}

function describeCreations({ it }: Runner, newShop: NewShop): void {
  it('creates products with their variants in input order', async () => {
    const shop = await newShop();
    const plannedProducts = await shop.upsertAll(
      product('B', { name: 'Béta shoe', price: 1_050, vatRate: 2_000, description: 'text' }),
      product('A', { variants: [variant(' A-1 ', { barcode: ' 860 ', external_ref: 'ref', name: 'n', price: 5 })] }),
    );
    expect(
      plannedProducts.map((plannedProduct) => [
        plannedProduct.product.code,
        plannedProduct.created,
        plannedProduct.variants.length,
      ]),
    ).toEqual([
      ['B', true, 1],
      ['A', true, 1],
    ]);
    const [b, a] = plannedProducts as [PlannedProduct, PlannedProduct];
    const emptyFields = {
      barcode: null,
      external_ref: null,
      name: null,
      images: [],
      stock: { on_hand: 0, reserved: 0, available: 0 },
    };
    expect(await shop.get('B')).toEqual({
      id: b.product.id,
      code: 'B',
      barcode: null,
      external_ref: null,
      name: 'Béta shoe',
      slug: 'beta-shoe',
      description: 'text',
      vat_rate: 20,
      price: 10.5,
      lowest_price: 10.5,
      active: true,
      sales_quantity: 0,
      images: [],
      attributes: [],
      variants: [{ ...emptyFields, id: b.variants[0]?.variant.id, code: 'B-1', price: 10.5 }],
      inserted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
      updated_at: expect.any(String),
    });
    const [shownVariant] = (await shop.get('A')).variants;
    expect(shownVariant).toMatchObject({ code: 'A-1', barcode: '860', external_ref: 'ref', name: 'n', price: 0.05 });
    expect(shownVariant?.id).toBe(a.variants[0]?.variant.id);
  });

  it('creates variants without a code, which their barcode or reference finds', async () => {
    const shop = await newShop();
    const row = product('A', { variants: [{ barcode: '860' }, { code: ' ', external_ref: 'r' }] });
    await shop.upsertAll(row);
    const shown = await shop.get('860', 'barcode');
    expect(shown.variants).toMatchObject([
      { code: null, barcode: '860' },
      { code: null, external_ref: 'r' },
    ]);
    await shop.upsertAll(row);
    expect(await shop.get('A')).toEqual(shown);
    expect(await shop.listCodes({ searchAll: '860' })).toEqual(['A']);
    await shop.upsertAll(product('A', { variants: [{ code: 'A-1', barcode: '860' }] }));
    expect(await shop.get('A-1')).toMatchObject({ variants: [{ code: 'A-1', barcode: '860' }, { code: null }] });
  });

  it('gives every product a unique slug', async () => {
    const shop = await newShop();
    await shop.upsertAll(product('A', { name: 'Shoe' }), product('B', { name: 'Shoe' }), product('C', { slug: 'own' }));
    expect((await shop.get('A')).slug).toBe('shoe');
    expect((await shop.get('B')).slug).toBe('shoe-b');
    expect((await shop.get('C')).slug).toBe('own');
  });

  it('allows equal codes in two apps', async () => {
    const [shop, otherShop] = [await newShop(), await newShop()];
    const [firstProduct] = await shop.upsertAll(product('A', { price: 100 }));
    const [otherProduct] = await otherShop.upsertAll(product('A', { price: 200 }));
    expect(otherProduct?.created).toBe(true);
    expect(otherProduct?.product.id).not.toBe(firstProduct?.product.id);
    expect((await shop.get('A')).price).toBe(1);
    const foreignRow = { id: firstProduct?.product.id, images: [], variants: [] };
    expect(await otherShop.failureKeys(foreignRow)).toEqual(['API.Products.CodeCantBeBlank']);
  });
}

function describeChanges({ it }: Runner, newShop: NewShop): void {
  it('keeps the values of absent fields and clears null ones', async () => {
    const shop = await newShop();
    await shop.upsertAll(product('A', { price: 100, description: 'd', variants: [variant('A-1', { barcode: '1' })] }));
    await shop.upsertAll({ code: 'A', images: [], variants: [variant('A-1')] });
    expect(await shop.get('A')).toMatchObject({ price: 1, description: 'd', variants: [{ barcode: '1' }] });
    await shop.upsertAll({ code: 'A', price: null, description: null, images: [], variants: [] });
    expect(await shop.get('A')).toMatchObject({ price: null, description: null, lowest_price: null });
  });

  it('changes nothing when repeated', async () => {
    const shop = await newShop();
    const row = product('A', { price: 100, variants: [variant('A-1', { price: 5 })] });
    const [firstPlanned] = await shop.upsertAll(row);
    const before = await shop.get('A');
    shop.fixture.forward(60);
    const [secondPlanned] = await shop.upsertAll(row);
    expect([secondPlanned?.created, secondPlanned?.product.id]).toEqual([false, firstPlanned?.product.id]);
    expect(await shop.get('A')).toEqual(before);
  });

  it('updates lowest_price and updated_at of a product when its variant changes', async () => {
    const shop = await newShop();
    await shop.upsertAll(product('A', { price: 100 }));
    const before = await shop.get('A');
    shop.fixture.forward(60);
    await shop.upsertAll({ code: 'A', images: [], variants: [variant('A-1', { price: 50 })] });
    const after = await shop.get('A');
    expect([after.lowest_price, after.inserted_at]).toEqual([0.5, before.inserted_at]);
    expect(after.updated_at > before.updated_at).toBe(true);
  });

  it('stores the lowest price among the product and its variants', async () => {
    const shop = await newShop();
    const lowestPriceOf = async (price: number | null, ...prices: readonly (number | null)[]) => {
      const variants = prices.map((variantPrice, index) => variant(`A-${index}`, { price: variantPrice }));
      await shop.upsertAll({ code: 'A', name: 'A', price, images: [], variants });
      return (await shop.get('A')).lowest_price;
    };
    expect(await lowestPriceOf(900)).toBe(9);
    expect(await lowestPriceOf(900, 500)).toBe(5);
    expect(await lowestPriceOf(300, 500, null)).toBe(3);
    expect(await lowestPriceOf(null, 500, null)).toBe(5);
    expect(await lowestPriceOf(null, null, null)).toBeNull();
  });

  it('lets a later row change the record of an earlier one', async () => {
    const shop = await newShop();
    const [firstPlanned, lastPlanned] = await shop.upsertAll(product('A', { price: 100 }), {
      ...product('A'),
      price: 200,
    });
    expect([firstPlanned?.created, lastPlanned?.created, lastPlanned?.product.id]).toEqual([
      true,
      false,
      firstPlanned?.product.id,
    ]);
    expect((await shop.get('A')).price).toBe(2);
  });

  it('lets two records swap codes in one call', async () => {
    const shop = await newShop();
    const [a, b] = (await shop.upsertAll(product('A'), product('B'))) as [PlannedProduct, PlannedProduct];
    const row = (id: number | null, code: string): DesiredProduct => ({ id, code, images: [], variants: [] });
    await shop.upsertAll(row(a.product.id, 'B'), row(b.product.id, 'A'));
    expect([(await shop.get('A')).id, (await shop.get('B')).id]).toEqual([b.product.id, a.product.id]);
  });

  it('finds variants by the trimmed identifiers if the sent ones find nothing', async () => {
    const shop = await newShop();
    const row = product('A', { variants: [variant(' u ', { barcode: ' 1 ' }), { external_ref: ' r ' }] });
    const createdFlags = async (desired: DesiredProduct) =>
      (await shop.upsertAll(desired)).flatMap(({ variants }) => variants.map(({ created }) => created));
    expect(await createdFlags(row)).toEqual([true, true]);
    expect(await createdFlags(row)).toEqual([false, false]);
    expect(
      await createdFlags(product('A', { variants: [{ barcode: '1 ' }, { code: 'v', external_ref: '\tr' }] })),
    ).toEqual([false, false]);
    expect((await shop.get('A')).variants).toMatchObject([
      { code: 'u', barcode: '1' },
      { code: 'v', external_ref: 'r' },
    ]);
  });

  it('finds variants by code, barcode and reference', async () => {
    const shop = await newShop();
    await shop.upsertAll(product('A', { variants: [variant('u', { barcode: '1', external_ref: 'r' })] }));
    const sentFields = [{ barcode: '1', price: 5 }, { external_ref: 'r', name: 'n' }, { code: 'v' }];
    const variants = sentFields.map((fields) => ({ ...fields, images: [] }));
    const [plannedProduct] = await shop.upsertAll({ code: 'A', images: [], variants });
    expect(plannedProduct?.variants.map(({ created }) => created)).toEqual([false, false, true]);
    expect((await shop.get('A')).variants).toMatchObject([{ code: 'u', price: 0.05, name: 'n' }, { code: 'v' }]);
  });
}

function describeImages({ it }: Runner, newShop: NewShop): void {
  it('appends the sent images to the stored ones, and shows variants with their own', async () => {
    const shop = await newShop();
    const image = (name: string, alt: string | null = null) => ({ imageUrl: `https://example.com/${name}`, alt });
    const row = product('A', { images: [image('a', 'text')], variants: [variant('A-1', { images: [image('v')] })] });
    await shop.upsertAll(row);
    await shop.upsertAll(row);
    await shop.upsertAll(product('A', { variants: [variant('A-2', { images: [image('w')] }), variant('A-3')] }));
    const [own, first, second] = [
      { image_url: 'https://example.com/a', alt: 'text' },
      { image_url: 'https://example.com/v', alt: null },
      { image_url: 'https://example.com/w', alt: null },
    ];
    const shown = await shop.get('A');
    expect(shown).toMatchObject({
      images: [own, own],
      variants: [{ images: [first, first] }, { images: [second] }, { images: [] }],
    });
    expect(await shop.list()).toEqual([shown]);
  });

  it('replaces each list of images that is sent, even by an empty list, and keeps the other lists', async () => {
    const shop = await newShop();
    const image = (name: string, alt: string | null = null) => ({ imageUrl: `https://example.com/${name}`, alt });
    const replace = (row: DesiredProduct) => shop.fixture.products.upsert(shop.app, [row], { replacesImages: true });
    const shownImages = async (code: string) => {
      const { images, variants: shownVariants } = await shop.get(code);
      return [images, ...shownVariants.map((shown) => shown.images)].map((list) =>
        list.map(({ image_url: url }) => url.slice(20)).join(' '),
      );
    };
    const variants = [variant('A-1', { images: [image('v')] }), variant('A-2', { images: [image('w')] })];
    await shop.upsertAll(
      product('A', { images: [image('a'), image('b')], variants }),
      product('B', { images: [image('c')] }),
    );
    await replace({ code: 'A', images: [image('b'), image('n')], variants: [{ code: 'A-1', images: [] }] });
    expect([await shownImages('A'), await shownImages('B')]).toEqual([
      ['b n', '', 'w'],
      ['c', ''],
    ]);
    await replace({ code: 'A', images: null, variants: [{ code: 'A-2' }] });
    expect(await shownImages('A')).toEqual(['b n', '', 'w']);
    await replace({ code: 'A', images: [], variants: [{ code: 'A-2', images: [image('x', 'alt')] }] });
    expect(await shownImages('A')).toEqual(['', '', 'x']);
    await replace(product('N', { images: [image('d')] }));
    expect(await shownImages('N')).toEqual(['d', '']);
  });

  it('writes nothing when the sent images equal the stored ones', async () => {
    const shop = await newShop();
    const row = product('A', { images: [{ imageUrl: 'https://example.com/a', alt: 'text' }] });
    await shop.upsertAll(row);
    const before = await shop.get('A');
    shop.fixture.forward(60);
    await shop.fixture.products.upsert(shop.app, [row], { replacesImages: true });
    expect(await shop.get('A')).toEqual(before);
    const newAlt = product('A', { images: [{ imageUrl: 'https://example.com/a', alt: null }] });
    await shop.fixture.products.upsert(shop.app, [newAlt], { replacesImages: true });
    expect((await shop.get('A')).updated_at).not.toBe(before.updated_at);
  });

  it('removes the usages of replaced images', async () => {
    const shop = await newShop();
    if (shop.fixture.brokenUsages === undefined) return;
    const image = (name: string) => ({ imageUrl: `http://localhost/media/abcdefgh/${name}.jpg`, alt: null });
    const variants = [variant('A-1', { images: [image('v')] })];
    await shop.upsertAll(product('A', { images: [image('a')], variants }), product('B', { images: [image('b')] }));
    await shop.fixture.products.upsert(shop.app, [{ code: 'A', images: [image('n')], variants: [] }], {
      replacesImages: true,
    });
    const urls = (await shop.fixture.brokenUsages(shop.id)) as readonly { readonly url: string }[];
    expect(urls.map(({ url }) => url).sort()).toEqual(['b', 'n', 'v'].map((name) => image(name).imageUrl));
  });

  it('records images of the media library as usages', async () => {
    const shop = await newShop();
    if (shop.fixture.brokenUsages === undefined) return;
    const image = (name: string) => ({ imageUrl: `http://localhost/media/abcdefgh/${name}.jpg`, alt: null });
    const foreignImage = { imageUrl: 'https://example.com/c.jpg', alt: null };
    const variants = [variant('A-1', { images: [image('b')] })];
    const [plannedProduct] = await shop.upsertAll(
      product('A', { name: 'Shirt', images: [image('a'), foreignImage], variants }),
    );
    const usage = { field: 'images', label: 'Shirt', total_count: 2 };
    const ids = [plannedProduct?.product.id, plannedProduct?.variants[0]?.variant.id].map(String);
    expect(await shop.fixture.brokenUsages(shop.id)).toEqual([
      { ...usage, entity_type: 'product', entity_id: ids[0], url: image('a').imageUrl },
      { ...usage, entity_type: 'product_variant', entity_id: ids[1], url: image('b').imageUrl },
    ]);
  });

  it('sets `updated_at` to the time of the change', async () => {
    const shop = await newShop();
    await shop.upsertAll(product('A'));
    const before = await shop.get('A');
    shop.fixture.forward(60);
    await shop.upsertAll(product('A', { name: 'New' }));
    const after = await shop.get('A');
    expect(before.updated_at).toBe(before.inserted_at);
    expect(Date.parse(`${after.updated_at}Z`) - Date.parse(`${before.updated_at}Z`)).toBe(60_000);
    expect(after.inserted_at).toBe(before.inserted_at);
  });
}

function describeReferences({ it }: Runner, newShop: NewShop): void {
  const store = async (shop: CatalogueShop, ...rows: readonly DesiredProduct[]): Promise<readonly ProductOutcome[]> =>
    (await shop.fixture.products.upsert(shop.app, rows, { storesReferences: true })).outcomes;

  it('stores trimmed references when requested, and matches later rows by them', async () => {
    const shop = await newShop();
    await shop.upsertAll(product('A', { external_ref: 'ignored' }));
    expect((await shop.get('A')).external_ref).toBeNull();
    await store(shop, product('A', { external_ref: ' erp-1 ' }), product('B', { external_ref: 'erp-2' }));
    const [renamed] = await shop.upsertAll({ external_ref: 'erp-1', code: 'A2', variants: [] });
    expect([renamed?.created, (await shop.get('A2')).external_ref]).toEqual([false, 'erp-1']);
    expect(await store(shop, { external_ref: ' erp-2 ', variants: [] })).toMatchObject([{ created: false }]);
    expect(await shop.failureKeys({ external_ref: ' erp-2 ', variants: [] })).toEqual(['API.Products.CodeCantBeBlank']);
    await store(shop, { code: 'A2', external_ref: null, variants: [] }, { code: 'B', variants: [] });
    expect([(await shop.get('A2')).external_ref, (await shop.get('B')).external_ref]).toEqual([null, 'erp-2']);
  });

  it('refuses a reference that another product has, but lets two products swap references in one call', async () => {
    const shop = await newShop();
    await store(shop, product('A', { external_ref: '1' }), product('B', { external_ref: '2' }));
    const taken = { id: (await shop.get('A')).id, external_ref: '2', variants: [] };
    expect(await store(shop, taken)).toEqual(['API.Products.ExternalRefAlreadyExists']);
    expect(await store(shop, taken, { id: (await shop.get('B')).id, external_ref: '1', variants: [] })).toMatchObject([
      { created: false },
      { created: false },
    ]);
    expect([(await shop.get('A')).external_ref, (await shop.get('B')).external_ref]).toEqual(['2', '1']);
  });

  it('allows equal references in two apps', async () => {
    const [shop, otherShop] = [await newShop(), await newShop()];
    await store(shop, product('A', { external_ref: '1' }));
    expect(await store(otherShop, product('A', { external_ref: '1' }))).toMatchObject([{ created: true }]);
  });
}

function describeFailures({ it }: Runner, newShop: NewShop): void {
  it('writes the valid rows when other rows fail', async () => {
    const shop = await newShop();
    await shop.upsertAll(product('A'));
    const rows = ['API.Products.PriceIsInvalid', { images: [], variants: [] }, product('B', { name: null })];
    expect(await shop.failureKeys(...rows, product('C'), product('D', { variants: [variant('A-1')] }))).toEqual([
      'API.Products.PriceIsInvalid',
      'API.Products.CodeCantBeBlank',
      'API.Products.NameCantBeBlank',
      undefined,
      'API.Products.VariantOfAnotherProduct',
    ]);
    expect(await shop.listCodes()).toEqual(['A', 'C']);
  });

  eachCase(it, [
    ['code', { id: 0, code: 'A' }, 'CodeAlreadyExists'],
    ['slug', { id: 0, slug: 'a' }, 'SlugAlreadyExists'],
    ['barcode of a variant', { variants: [variant('B-1', { barcode: '1' })] }, 'BarcodeAlreadyExists'],
    ['reference of a variant', { variants: [variant('B-1', { external_ref: 'r' })] }, 'ExternalRefAlreadyExists'],
  ] as [string, Partial<DesiredProduct>, string][])('refuses a %s that another record has', async (_, change, rule) => {
    const shop = await newShop();
    const rows = [product('A', { variants: [variant('A-1', { barcode: '1', external_ref: 'r' })] }), product('B')];
    const [, b] = await shop.upsertAll(...rows);
    const row = { ...product('B'), ...change, ...(change.id === 0 && { id: b?.product.id }) };
    expect(await shop.failureKeys(row)).toEqual([`API.Products.${rule}`]);
  });

  it('throws when the currency of the app has changed', async () => {
    const shop = await newShop();
    await shop.fixture.changeCurrency(shop.id, 'EUR');
    await expect(shop.fixture.products.upsert(shop.app, [product('A')])).rejects.toMatchObject({
      name: 'DatabaseUnavailable',
    });
    expect(await shop.listCodes()).toEqual([]);
  });
}

function describeDryRuns({ it }: Runner, newShop: NewShop): void {
  it('returns no ids of new records in a dry run, and writes nothing', async () => {
    const shop = await newShop();
    const [a] = await shop.upsertAll(product('A'));
    const before = await shop.get('A');
    const rows = [{ ...product('A', { price: 5 }), variants: [variant('A-2')] }, product('B'), 'API.Products.NotFound'];
    const { outcomes } = await shop.fixture.products.upsert(shop.app, rows, { dryRun: true });
    expect(outcomes).toMatchObject([
      { created: false, product: { id: a?.product.id }, variants: [{ created: true, variant: { id: null } }] },
      { created: true, product: { id: null, code: 'B' } },
      'API.Products.NotFound',
    ]);
    expect([await shop.get('A'), await shop.listCodes()]).toEqual([before, ['A']]);
  });

  it('explains how rows found their records, if requested', async () => {
    const shop = await newShop();
    const [a] = await shop.upsertAll(product('A'));
    const id = a?.product.id;
    const row = { id, code: 'A', images: [], variants: [variant('A-1'), variant('new')] };
    const { explain } = await shop.fixture.products.upsert(shop.app, [row], { explain: true });
    expect(explain).toMatchObject([
      [
        { record: 'product', identifier: 'id', id, others: [] },
        { record: 'variant', identifier: 'code', id: a?.variants[0]?.variant.id },
        { record: 'variant', identifier: null, id: null },
      ],
    ]);
    expect((await shop.fixture.products.upsert(shop.app, [row])).explain).toBeUndefined();
  });
}

function describeConcurrency({ it }: Runner, newShop: NewShop): void {
  it('creates only one product when concurrent calls send equal rows', async () => {
    const shop = await newShop();
    const calls = await Promise.all(Array.from({ length: 8 }, () => shop.upsertAll(product('A'), product('B'))));
    expect(calls.flat().filter(({ created }) => created)).toHaveLength(2);
    expect(new Set(calls.flat().map((plannedProduct) => plannedProduct.product.id)).size).toBe(2);
  });
}
