import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { AttributeDefinition, DesiredAttribute, DesiredAttributes, WrittenAttributes } from '../index.js';
import { product, Shop, variant, type GivenCatalogue } from './given-catalogue.js';

const attribute = (external_ref: string, more: Partial<DesiredAttribute> = {}): DesiredAttribute => ({
  external_ref,
  definitionId: undefined,
  code: undefined,
  name: undefined,
  value: 'cotton',
  ...more,
});
const row = (code: string, ...attributes: readonly DesiredAttribute[]): DesiredAttributes => ({ code, attributes });

/** An app with the products `P` (variants A and B) and `Q` (variant C). */
class AttributeShop {
  constructor(private readonly shop: Shop) {}

  get id(): number {
    return this.shop.id;
  }

  get given(): GivenCatalogue {
    return this.shop.given;
  }

  put(...rows: readonly (DesiredAttributes | string)[]) {
    return this.given.attributes.put(this.id, rows);
  }

  /** Like {@link put}; expects that all rows are written. */
  async written(...rows: readonly DesiredAttributes[]): Promise<[products: number, created: number]> {
    const outcome = await this.put(...rows);
    expect(outcome).not.toHaveProperty('failures');
    const { products, definitionsCreated } = outcome as WrittenAttributes;
    return [products, definitionsCreated];
  }

  definitions(offset = 0, limit = 100): Promise<AttributeDefinition[]> {
    return this.given.attributeQueries.definitions(this.id, { offset, limit });
  }

  async codes(): Promise<(string | null)[][]> {
    return (await this.definitions()).map((each) => [each.external_ref, each.code]);
  }
}

type Open = () => Promise<AttributeShop>;

/** Tests for every adapter of {@link Attributes} and {@link AttributeQueries}. Each test has its own app. */
export function attributesContract(runner: Runner, open: () => Promise<GivenCatalogue>): void {
  let given: GivenCatalogue;
  runner.before(async () => {
    given = await open();
  });
  runner.after(() => given.close());
  const newShop = async (): Promise<AttributeShop> => {
    const shop = new Shop(given, await given.makeApp());
    const variants = [variant('A', { barcode: '860-A' }), variant('B', { external_ref: 'ref-b' })];
    await shop.keep(product('P', { variants }), product('Q', { variants: [variant('C', { barcode: 'A' })] }));
    return new AttributeShop(shop);
  };

  runner.describe('put attributes', () => {
    writes(runner, newShop);
    refusals(runner, newShop);
    bulk(runner, newShop);
  });
  runner.describe('attribute definitions', () => queries(runner, newShop));
}

function writes({ it }: Runner, open: Open): void {
  it('create definitions, named by reference without a name', async () => {
    const shop = await open();
    const size = attribute('size', { code: 'SIZE', name: 'Size' });
    expect(await shop.written(row('A', attribute('material'), size), row('C', attribute('material')))).toEqual([2, 2]);
    const dates = { inserted_at: expect.any(Date), updated_at: expect.any(Date) };
    expect(await shop.definitions()).toEqual([
      { id: expect.any(Number), external_ref: 'material', code: null, name: 'material', ...dates },
      { id: expect.any(Number), external_ref: 'size', code: 'SIZE', name: 'Size', ...dates },
    ]);
  });

  it('change nothing when repeated', async () => {
    const shop = await open();
    await shop.written(row('A', attribute('size', { code: 'SIZE' })));
    const before = await shop.definitions();
    shop.given.forward(60);
    expect(await shop.written(row('A', attribute('size', { code: 'SIZE', name: 'size' })))).toEqual([1, 0]);
    expect(await shop.definitions()).toEqual(before);
  });

  it('update code, name and updated_at of a definition', async () => {
    const shop = await open();
    await shop.written(row('A', attribute('size', { code: 'SIZE', name: 'Size' })));
    const [before] = await shop.definitions();
    shop.given.forward(60);
    expect(await shop.written(row('A', attribute('size', { name: 'Width' })))).toEqual([1, 0]);
    const [after] = await shop.definitions();
    expect(after).toMatchObject({ id: before?.id, code: 'SIZE', name: 'Width', inserted_at: before?.inserted_at });
    expect(after?.updated_at.getTime()).toBeGreaterThan(before?.updated_at.getTime() ?? 0);
  });

  it('can move codes between definitions in one call', async () => {
    const shop = await open();
    await shop.written(row('A', attribute('one', { code: 'X' }), attribute('two', { code: 'Y' })));
    const rows = [attribute('one', { code: 'Z' }), attribute('two', { code: 'X' }), attribute('three', { code: 'Y' })];
    await shop.written(row('A', ...rows));
    expect(await shop.codes()).toEqual([
      ['one', 'Z'],
      ['two', 'X'],
      ['three', 'Y'],
    ]);
  });

  eachCase(it, [
    [{ code: 'B' }, { barcode: '860-A' }],
    [{ code: 'none', external_ref: 'ref-b' }, { code: 'A' }],
  ])('find their product by any variant: %j is that of %j', async (one, other) => {
    const shop = await open();
    const attributes = [attribute('material')];
    expect(await shop.written({ ...one, attributes }, { ...other, attributes })).toEqual([1, 1]);
  });

  it('write nothing without rows or attributes', async () => {
    const shop = await open();
    expect([await shop.written(), await shop.written(row('A'))]).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect(await shop.definitions()).toEqual([]);
  });
}

function refusals({ it }: Runner, open: Open): void {
  it('are refused as a whole, with the keys of failed rows in order', async () => {
    const shop = await open();
    await shop.written(row('A', attribute('size', { code: 'SIZE' }), attribute('material')));
    const [size] = await shop.definitions();
    const outcome = await shop.put(
      row('A', attribute('new')),
      row('none', attribute('new')),
      'API.ProductAttributes.ValueCantBeBlank',
      row('A', attribute('material', { definitionId: size?.id })),
      row('A', attribute('material', { code: 'SIZE' })),
      row('a', attribute('new')),
    );
    expect(outcome).toEqual({
      failures: [
        'API.Products.NotFound',
        'API.ProductAttributes.ValueCantBeBlank',
        'API.ProductAttributeDefs.NotFound',
        'API.ProductAttributeDefs.CodeAlreadyExists',
        'API.Products.NotFound',
      ],
    });
    expect(await shop.codes()).toEqual([
      ['size', 'SIZE'],
      ['material', null],
    ]);
  });

  it('ignore products and definitions of other apps', async () => {
    const [shop, other] = [await open(), await open()];
    await shop.written(row('A', attribute('size', { code: 'SIZE' })));
    const [size] = await shop.definitions();
    const refused = await other.put(row('A', attribute('size', { definitionId: size?.id })));
    expect(refused).toEqual({ failures: ['API.ProductAttributeDefs.NotFound'] });
    expect(await other.written(row('A', attribute('size', { code: 'SIZE' })))).toEqual([1, 1]);
    expect((await other.definitions())[0]?.id).not.toBe(size?.id);
  });
}

function bulk({ it }: Runner, open: Open): void {
  it('are counted and explained in a dry run without writing', async () => {
    const shop = await open();
    await shop.written(row('A', attribute('size')));
    const before = await shop.definitions();
    const rows = [row('A', attribute('size', { name: 'Width' }), attribute('new'))];
    const put = (dryRun: boolean) => shop.given.attributes.put(shop.id, rows, { dryRun, explain: true });
    const kinds = (id: unknown) => [
      [
        { record: 'variant', identifier: 'code', id: expect.any(Number), others: [] },
        { record: 'product_attribute_def', identifier: 'external_ref', id: before[0]?.id, others: [] },
        { record: 'product_attribute_def', identifier: null, id, others: [] },
      ],
    ];
    expect(await put(true)).toEqual({ products: 1, definitionsCreated: 1, explain: kinds(null) });
    expect(await shop.definitions()).toEqual(before);
    expect(await put(false)).toEqual({ products: 1, definitionsCreated: 1, explain: kinds(null) });
    expect(await shop.definitions()).toHaveLength(2);
  });

  it('create each definition once in concurrent calls', async () => {
    const shop = await open();
    const rows = [row('A', attribute('size'), attribute('material')), row('C', attribute('size'))];
    const calls = await Promise.all(Array.from({ length: 8 }, () => shop.written(...rows)));
    expect(calls.map(([, created]) => created).filter((created) => created > 0)).toEqual([2]);
    expect(await shop.definitions()).toHaveLength(2);
  });
}

function queries({ it }: Runner, open: Open): void {
  it('are listed oldest first, in pages', async () => {
    const shop = await open();
    await shop.written(row('A', ...['c', 'a', 'b'].map((reference) => attribute(reference))));
    const pages = [await shop.definitions(0, 2), await shop.definitions(2, 2), await shop.definitions(4, 2)];
    expect(pages.map((page) => page.map((each) => each.external_ref))).toEqual([['c', 'a'], ['b'], []]);
  });

  it('are found by exact code, in their app', async () => {
    const [shop, other] = [await open(), await open()];
    await shop.written(row('A', attribute('size', { code: 'SIZE' })));
    const { attributeQueries } = shop.given;
    expect(await attributeQueries.findDefinition(shop.id, 'SIZE')).toEqual((await shop.definitions())[0]);
    expect(await attributeQueries.findDefinition(shop.id, 'size')).toBeUndefined();
    expect(await attributeQueries.findDefinition(other.id, 'SIZE')).toBeUndefined();
  });
}
