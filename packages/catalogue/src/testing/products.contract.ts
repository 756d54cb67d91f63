import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { DesiredProduct, PlannedProduct } from '../index.js';
import { product, Shop, variant, type GivenCatalogue } from './given-catalogue.js';

type NewShop = () => Promise<Shop>;

/** Tests for every adapter of {@link Products}. Each test has its own app. */
export function productsContract(runner: Runner, open: () => Promise<GivenCatalogue>): void {
  let given: GivenCatalogue;
  runner.before(async () => {
    given = await open();
  });
  runner.after(() => given.close());
  const newShop = async () => new Shop(given, await given.makeApp());

  runner.describe('an upsert of products', () => {
    creations(runner, newShop);
    changes(runner, newShop);
    images(runner, newShop);
    failures(runner, newShop);
    dryRuns(runner, newShop);
    concurrency(runner, newShop);
  });
}

function creations({ it }: Runner, newShop: NewShop): void {
  it('creates products with their variants, in input order', async () => {
    const shop = await newShop();
    const planned = await shop.keep(
      product('B', { name: 'Béta shoe', price: 1_050, vatRate: 2_000, description: 'text' }),
      product('A', { variants: [variant(' A-1 ', { barcode: ' 860 ', external_ref: 'ref', name: 'n', price: 5 })] }),
    );
    expect(planned.map((each) => [each.product.code, each.created, each.variants.length])).toEqual([
      ['B', true, 1],
      ['A', true, 1],
    ]);
    const [b, a] = planned as [PlannedProduct, PlannedProduct];
    const bare = { barcode: null, external_ref: null, name: null, stock: { on_hand: 0, reserved: 0, available: 0 } };
    expect(await shop.get('B')).toEqual({
      id: b.product.id,
      code: 'B',
      name: 'Béta shoe',
      slug: 'beta-shoe',
      description: 'text',
      vat_rate: 20,
      price: 10.5,
      lowest_price: 10.5,
      active: true,
      sales_quantity: 0,
      images: [],
      variants: [{ ...bare, id: b.variants[0]?.variant.id, code: 'B-1', price: 10.5 }],
      inserted_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
      updated_at: expect.any(String),
    });
    const [own] = (await shop.get('A')).variants;
    expect(own).toMatchObject({ code: 'A-1', barcode: '860', external_ref: 'ref', name: 'n', price: 0.05 });
    expect(own?.id).toBe(a.variants[0]?.variant.id);
  });

  it('makes unique slugs', async () => {
    const shop = await newShop();
    await shop.keep(product('A', { name: 'Shoe' }), product('B', { name: 'Shoe' }), product('C', { slug: 'own' }));
    expect((await shop.get('A')).slug).toBe('shoe');
    expect((await shop.get('B')).slug).toBe('shoe-b');
    expect((await shop.get('C')).slug).toBe('own');
  });

  it('separates equal codes of two apps', async () => {
    const [shop, other] = [await newShop(), await newShop()];
    const [mine] = await shop.keep(product('A', { price: 100 }));
    const [theirs] = await other.keep(product('A', { price: 200 }));
    expect(theirs?.created).toBe(true);
    expect(theirs?.product.id).not.toBe(mine?.product.id);
    expect((await shop.get('A')).price).toBe(1);
    const foreign = { id: mine?.product.id, images: [], variants: [] };
    expect(await other.failures(foreign)).toEqual(['API.Products.CodeCantBeBlank']);
  });
}

function changes({ it }: Runner, newShop: NewShop): void {
  it('keeps undefined fields and clears null ones', async () => {
    const shop = await newShop();
    await shop.keep(product('A', { price: 100, description: 'd', variants: [variant('A-1', { barcode: '1' })] }));
    await shop.keep({ code: 'A', images: [], variants: [variant('A-1')] });
    expect(await shop.get('A')).toMatchObject({ price: 1, description: 'd', variants: [{ barcode: '1' }] });
    await shop.keep({ code: 'A', price: null, description: null, images: [], variants: [] });
    expect(await shop.get('A')).toMatchObject({ price: null, description: null, lowest_price: null });
  });

  it('changes nothing when repeated', async () => {
    const shop = await newShop();
    const row = product('A', { price: 100, variants: [variant('A-1', { price: 5 })] });
    const [first] = await shop.keep(row);
    const before = await shop.get('A');
    shop.given.forward(60);
    const [again] = await shop.keep(row);
    expect([again?.created, again?.product.id]).toEqual([false, first?.product.id]);
    expect(await shop.get('A')).toEqual(before);
  });

  it('updates a product whose variant changes', async () => {
    const shop = await newShop();
    await shop.keep(product('A', { price: 100 }));
    const before = await shop.get('A');
    shop.given.forward(60);
    await shop.keep({ code: 'A', images: [], variants: [variant('A-1', { price: 50 })] });
    const after = await shop.get('A');
    expect([after.lowest_price, after.inserted_at]).toEqual([0.5, before.inserted_at]);
    expect(after.updated_at > before.updated_at).toBe(true);
  });

  it('stores the lowest price of variants or product', async () => {
    const shop = await newShop();
    const lowest = async (price: number | null, ...prices: readonly (number | null)[]) => {
      const variants = prices.map((each, index) => variant(`A-${index}`, { price: each }));
      await shop.keep({ code: 'A', name: 'A', price, images: [], variants });
      return (await shop.get('A')).lowest_price;
    };
    expect(await lowest(900)).toBe(9);
    expect(await lowest(900, 500)).toBe(5);
    expect(await lowest(300, 500, null)).toBe(3);
    expect(await lowest(null, 500, null)).toBe(5);
    expect(await lowest(null, null, null)).toBeNull();
  });

  it('lets a later row change the record of an earlier one', async () => {
    const shop = await newShop();
    const [first, last] = await shop.keep(product('A', { price: 100 }), { ...product('A'), price: 200 });
    expect([first?.created, last?.created, last?.product.id]).toEqual([true, false, first?.product.id]);
    expect((await shop.get('A')).price).toBe(2);
  });

  it('lets two records swap codes in one call', async () => {
    const shop = await newShop();
    const [a, b] = (await shop.keep(product('A'), product('B'))) as [PlannedProduct, PlannedProduct];
    const row = (id: number | null, code: string): DesiredProduct => ({ id, code, images: [], variants: [] });
    await shop.keep(row(a.product.id, 'B'), row(b.product.id, 'A'));
    expect([(await shop.get('A')).id, (await shop.get('B')).id]).toEqual([b.product.id, a.product.id]);
  });

  it('finds variants by code, barcode and reference', async () => {
    const shop = await newShop();
    await shop.keep(product('A', { variants: [variant('u', { barcode: '1', external_ref: 'r' })] }));
    const sent = [{ barcode: '1', price: 5 }, { external_ref: 'r', name: 'n' }, { code: 'v' }];
    const variants = sent.map((each) => ({ ...each, images: [] }));
    const [planned] = await shop.keep({ code: 'A', images: [], variants });
    expect(planned?.variants.map(({ created }) => created)).toEqual([false, false, true]);
    expect((await shop.get('A')).variants).toMatchObject([{ code: 'u', price: 0.05, name: 'n' }, { code: 'v' }]);
  });
}

function images({ it }: Runner, newShop: NewShop): void {
  it('appends images on every call, product before variants', async () => {
    const shop = await newShop();
    const image = (name: string, alt: string | null = null) => ({ imageUrl: `https://example.com/${name}`, alt });
    const row = product('A', { images: [image('a', 'text')], variants: [variant('A-1', { images: [image('v')] })] });
    await shop.keep(row);
    await shop.keep(row);
    const once = [
      { image_url: 'https://example.com/a', alt: 'text' },
      { image_url: 'https://example.com/v', alt: null },
    ];
    expect((await shop.get('A')).images).toEqual([...once, ...once]);
  });

  it('records images of the media library as usages', async () => {
    const shop = await newShop();
    if (shop.given.brokenUsages === undefined) return;
    const image = (name: string) => ({ imageUrl: `http://localhost/media/abcdefgh/${name}.jpg`, alt: null });
    const foreign = { imageUrl: 'https://example.com/c.jpg', alt: null };
    const variants = [variant('A-1', { images: [image('b')] })];
    const [planned] = await shop.keep(product('A', { name: 'Shirt', images: [image('a'), foreign], variants }));
    const usage = { field: 'images', label: 'Shirt', total_count: 2 };
    const ids = [planned?.product.id, planned?.variants[0]?.variant.id].map(String);
    expect(await shop.given.brokenUsages(shop.id)).toEqual([
      { ...usage, entity_type: 'product', entity_id: ids[0], url: image('a').imageUrl },
      { ...usage, entity_type: 'product_variant', entity_id: ids[1], url: image('b').imageUrl },
    ]);
  });

  it('updates updated_at', async () => {
    const shop = await newShop();
    await shop.keep(product('A'));
    const before = await shop.get('A');
    shop.given.forward(60);
    await shop.keep(product('A', { name: 'New' }));
    const after = await shop.get('A');
    expect(before.updated_at).toBe(before.inserted_at);
    expect(Date.parse(`${after.updated_at}Z`) - Date.parse(`${before.updated_at}Z`)).toBe(60_000);
    expect(after.inserted_at).toBe(before.inserted_at);
  });
}

function failures({ it }: Runner, newShop: NewShop): void {
  it('writes the other rows when some fail', async () => {
    const shop = await newShop();
    await shop.keep(product('A'));
    const rows = ['API.Products.PriceIsInvalid', { images: [], variants: [] }, product('B', { name: null })];
    expect(await shop.failures(...rows, product('C'), product('D', { variants: [variant('A-1')] }))).toEqual([
      'API.Products.PriceIsInvalid',
      'API.Products.CodeCantBeBlank',
      'API.Products.NameCantBeBlank',
      undefined,
      'API.Products.VariantOfAnotherProduct',
    ]);
    expect(await shop.codes()).toEqual(['A', 'C']);
  });

  eachCase(it, [
    ['code', { id: 0, code: 'A' }, 'CodeAlreadyExists'],
    ['slug', { id: 0, slug: 'a' }, 'SlugAlreadyExists'],
    ['barcode of a variant', { variants: [variant('B-1', { barcode: '1' })] }, 'BarcodeAlreadyExists'],
    ['reference of a variant', { variants: [variant('B-1', { external_ref: 'r' })] }, 'ExternalRefAlreadyExists'],
  ] as [string, Partial<DesiredProduct>, string][])('refuses a taken %s', async (_, change, rule) => {
    const shop = await newShop();
    const rows = [product('A', { variants: [variant('A-1', { barcode: '1', external_ref: 'r' })] }), product('B')];
    const [, b] = await shop.keep(...rows);
    const row = { ...product('B'), ...change, ...(change.id === 0 && { id: b?.product.id }) };
    expect(await shop.failures(row)).toEqual([`API.Products.${rule}`]);
  });

  it('throws when the currency of the app has changed', async () => {
    const shop = await newShop();
    await shop.given.changeCurrency(shop.id, 'EUR');
    await expect(shop.given.products.upsert(shop.app, [product('A')])).rejects.toMatchObject({
      name: 'DatabaseUnavailable',
    });
    expect(await shop.codes()).toEqual([]);
  });
}

function dryRuns({ it }: Runner, newShop: NewShop): void {
  it('in a dry run returns the outcomes without ids and writes nothing', async () => {
    const shop = await newShop();
    const [a] = await shop.keep(product('A'));
    const before = await shop.get('A');
    const rows = [{ ...product('A', { price: 5 }), variants: [variant('A-2')] }, product('B'), 'API.Products.NotFound'];
    const { outcomes } = await shop.given.products.upsert(shop.app, rows, { dryRun: true });
    expect(outcomes).toMatchObject([
      { created: false, product: { id: a?.product.id }, variants: [{ created: true, variant: { id: null } }] },
      { created: true, product: { id: null, code: 'B' } },
      'API.Products.NotFound',
    ]);
    expect([await shop.get('A'), await shop.codes()]).toEqual([before, ['A']]);
  });

  it('explains how rows found their records, if requested', async () => {
    const shop = await newShop();
    const [a] = await shop.keep(product('A'));
    const id = a?.product.id;
    const row = { id, code: 'A', images: [], variants: [variant('A-1'), variant('new')] };
    const { explain } = await shop.given.products.upsert(shop.app, [row], { explain: true });
    expect(explain).toMatchObject([
      [
        { record: 'product', identifier: 'id', id, others: [] },
        { record: 'variant', identifier: 'code', id: a?.variants[0]?.variant.id },
        { record: 'variant', identifier: null, id: null },
      ],
    ]);
    expect((await shop.given.products.upsert(shop.app, [row])).explain).toBeUndefined();
  });
}

function concurrency({ it }: Runner, newShop: NewShop): void {
  it('makes one product of concurrent equal rows', async () => {
    const shop = await newShop();
    const calls = await Promise.all(Array.from({ length: 8 }, () => shop.keep(product('A'), product('B'))));
    expect(calls.flat().filter(({ created }) => created)).toHaveLength(2);
    expect(new Set(calls.flat().map((each) => each.product.id)).size).toBe(2);
  });
}
