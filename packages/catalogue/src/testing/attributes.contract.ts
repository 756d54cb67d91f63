import { eachCase, type Runner } from '@back-office/kernel/testing';
import { expect } from 'expect';
import type { AttributeDefinition, DesiredAttribute, DesiredAttributes, WrittenAttributes } from '../index.js';
import { product, CatalogueShop, variant, type CatalogueFixture, type ShownProduct } from './given-catalogue.js';

const attribute = (external_ref: string, overrides: Partial<DesiredAttribute> = {}): DesiredAttribute => ({
  external_ref,
  definitionId: undefined,
  code: undefined,
  name: undefined,
  value: 'cotton',
  ...overrides,
});
const row = (code: string, ...attributes: readonly DesiredAttribute[]): DesiredAttributes => ({ code, attributes });

class AttributeShop {
  constructor(private readonly shop: CatalogueShop) {}

  get id(): number {
    return this.shop.id;
  }

  get fixture(): CatalogueFixture {
    return this.shop.fixture;
  }

  put(...rows: readonly (DesiredAttributes | string)[]) {
    return this.fixture.attributes.put(this.id, rows);
  }

  async putAll(...rows: readonly DesiredAttributes[]): Promise<[products: number, created: number]> {
    const result = await this.put(...rows);
    expect(result).not.toHaveProperty('failures');
    const { products, definitionsCreated } = result as WrittenAttributes;
    return [products, definitionsCreated];
  }

  definitions(offset = 0, limit = 100): Promise<AttributeDefinition[]> {
    return this.fixture.attributeQueries.definitions(this.id, { offset, limit });
  }

  listProducts(): Promise<ShownProduct[]> {
    return this.shop.list();
  }

  async listCodes(): Promise<(string | null)[][]> {
    return (await this.definitions()).map((definition) => [definition.external_ref, definition.code]);
  }
}

type OpenShop = () => Promise<AttributeShop>;

export function attributesContract(runner: Runner, open: () => Promise<CatalogueFixture>): void {
  let fixture: CatalogueFixture;
  runner.before(async () => {
    fixture = await open();
  });
  runner.after(() => fixture.close());
  const newShop = async (): Promise<AttributeShop> => {
    const shop = new CatalogueShop(fixture, await fixture.makeApp());
    const variants = [variant('A', { barcode: '860-A' }), variant('B', { external_ref: 'ref-b' })];
    await shop.upsertAll(product('P', { variants }), product('Q', { variants: [variant('C', { barcode: 'A' })] }));
    return new AttributeShop(shop);
  };

  runner.describe('an upsert of attributes', () => {
    describeWrites(runner, newShop);
    describeRefusals(runner, newShop);
    describeBulkWrites(runner, newShop);
  });
  runner.describe('attribute definitions', () => describeQueries(runner, newShop));
}

function describeWrites({ it }: Runner, open: OpenShop): void {
  it('uses the reference as the name of a definition that is created without a name', async () => {
    const shop = await open();
    const size = attribute('size', { code: 'SIZE', name: 'Size' });
    expect(await shop.putAll(row('A', attribute('material'), size), row('C', attribute('material')))).toEqual([2, 2]);
    const dates = { inserted_at: expect.any(Date), updated_at: expect.any(Date) };
    expect(await shop.definitions()).toEqual([
      { id: expect.any(Number), external_ref: 'material', code: null, name: 'material', ...dates },
      { id: expect.any(Number), external_ref: 'size', code: 'SIZE', name: 'Size', ...dates },
    ]);
  });

  it('creates a definition for a new reference, whatever id is sent', async () => {
    const shop = await open();
    await shop.putAll(row('A', attribute('material')));
    const [material] = await shop.definitions();
    const stale = attribute('size', { definitionId: 987_654_321 });
    expect(await shop.putAll(row('A', stale), row('C', stale))).toEqual([2, 1]);
    expect(await shop.putAll(row('A', attribute('colour', { definitionId: material?.id })))).toEqual([1, 1]);
    expect((await shop.definitions()).map((definition) => definition.external_ref)).toEqual([
      'material',
      'size',
      'colour',
    ]);
    expect(await shop.put(row('A', stale))).toEqual({
      failures: [{ row: 0, key: 'API.ProductAttributeDefs.NotFound' }],
    });
  });

  it('stores the reference of a definition trimmed, and finds it by the sent and the trimmed reference', async () => {
    const shop = await open();
    expect(await shop.putAll(row('A', attribute(' size '), attribute('\tsize', { name: 'Size' })))).toEqual([1, 1]);
    expect(await shop.putAll(row('A', attribute(' size '), attribute('size'), attribute('size ')))).toEqual([1, 0]);
    expect(await shop.definitions()).toMatchObject([{ external_ref: 'size', name: 'Size' }]);
  });

  it('shows the attributes of each product, oldest definition first', async () => {
    const shop = await open();
    const size = attribute('size', { code: 'SIZE', name: 'Size', value: 'M' });
    await shop.putAll(row('A', attribute('material'), size), row('C', attribute('size', { value: 'L' })));
    const shownSize = { external_ref: 'size', code: 'SIZE', name: 'Size' };
    expect((await shop.listProducts()).map(({ attributes }) => attributes)).toEqual([
      [
        { external_ref: 'material', code: null, name: 'material', value: 'cotton' },
        { ...shownSize, value: 'M' },
      ],
      [{ ...shownSize, value: 'L' }],
    ]);
  });

  it('changes nothing when repeated', async () => {
    const shop = await open();
    await shop.putAll(row('A', attribute('size', { code: 'SIZE' })));
    const before = await shop.definitions();
    shop.fixture.forward(60);
    expect(await shop.putAll(row('A', attribute('size', { code: 'SIZE', name: 'size' })))).toEqual([1, 0]);
    expect(await shop.definitions()).toEqual(before);
  });

  it('updates code, name and updated_at of a definition', async () => {
    const shop = await open();
    await shop.putAll(row('A', attribute('size', { code: 'SIZE', name: 'Size' })));
    const [before] = await shop.definitions();
    shop.fixture.forward(60);
    expect(await shop.putAll(row('A', attribute('size', { name: 'Width' })))).toEqual([1, 0]);
    const [after] = await shop.definitions();
    expect(after).toMatchObject({ id: before?.id, code: 'SIZE', name: 'Width', inserted_at: before?.inserted_at });
    expect(after?.updated_at.getTime()).toBeGreaterThan(before?.updated_at.getTime() ?? 0);
  });

  it('can move a code from one definition to another in one call', async () => {
    const shop = await open();
    await shop.putAll(row('A', attribute('one', { code: 'X' }), attribute('two', { code: 'Y' })));
    const rows = [attribute('one', { code: 'Z' }), attribute('two', { code: 'X' }), attribute('three', { code: 'Y' })];
    await shop.putAll(row('A', ...rows));
    expect(await shop.listCodes()).toEqual([
      ['one', 'Z'],
      ['two', 'X'],
      ['three', 'Y'],
    ]);
  });

  eachCase(it, [
    [{ code: 'B' }, { barcode: '860-A' }],
    [{ code: 'none', external_ref: 'ref-b' }, { code: 'A' }],
  ])('finds the same product by the variants %j and %j', async (firstVariant, secondVariant) => {
    const shop = await open();
    const attributes = [attribute('material')];
    expect(await shop.putAll({ ...firstVariant, attributes }, { ...secondVariant, attributes })).toEqual([1, 1]);
  });

  it('writes nothing without rows or attributes', async () => {
    const shop = await open();
    expect([await shop.putAll(), await shop.putAll(row('A'))]).toEqual([
      [0, 0],
      [1, 0],
    ]);
    expect(await shop.definitions()).toEqual([]);
  });
}

function describeRefusals({ it }: Runner, open: OpenShop): void {
  it('refuses all rows when some fail, and returns the keys of failed rows in order', async () => {
    const shop = await open();
    await shop.putAll(row('A', attribute('size', { code: 'SIZE' }), attribute('material')));
    const [size] = await shop.definitions();
    const result = await shop.put(
      row('A', attribute('new')),
      row('none', attribute('new')),
      'API.ProductAttributes.ValueCantBeBlank',
      row('A', attribute('material', { definitionId: size?.id })),
      row('A', attribute('material', { code: 'SIZE' })),
      row('a', attribute('new')),
    );
    expect(result).toEqual({
      failures: [
        { row: 1, key: 'API.Products.NotFound' },
        { row: 2, key: 'API.ProductAttributes.ValueCantBeBlank' },
        { row: 3, key: 'API.ProductAttributeDefs.NotFound' },
        { row: 4, key: 'API.ProductAttributeDefs.CodeAlreadyExists' },
        { row: 5, key: 'API.Products.NotFound' },
      ],
    });
    expect(await shop.listCodes()).toEqual([
      ['size', 'SIZE'],
      ['material', null],
    ]);
  });

  it('finds no products and definitions of other apps', async () => {
    const [shop, otherShop] = [await open(), await open()];
    await shop.putAll(row('A', attribute('size', { code: 'SIZE' })));
    const [size] = await shop.definitions();
    expect(await otherShop.putAll(row('A', attribute('size', { code: 'SIZE', definitionId: size?.id })))).toEqual([
      1, 1,
    ]);
    expect((await otherShop.definitions())[0]?.id).not.toBe(size?.id);
  });
}

function describeBulkWrites({ it }: Runner, open: OpenShop): void {
  it('counts and explains the rows in a dry run, but writes nothing', async () => {
    const shop = await open();
    await shop.putAll(row('A', attribute('size')));
    const before = await shop.definitions();
    const rows = [row('A', attribute('size', { name: 'Width' }), attribute('new'))];
    const put = (dryRun: boolean) => shop.fixture.attributes.put(shop.id, rows, { dryRun, explain: true });
    const explanations = (id: unknown) => [
      [
        { record: 'variant', identifier: 'code', id: expect.any(Number), others: [] },
        { record: 'product_attribute_def', identifier: 'external_ref', id: before[0]?.id, others: [] },
        { record: 'product_attribute_def', identifier: null, id, others: [] },
      ],
    ];
    expect(await put(true)).toEqual({ products: 1, definitionsCreated: 1, explain: explanations(null) });
    expect(await shop.definitions()).toEqual(before);
    expect(await put(false)).toEqual({ products: 1, definitionsCreated: 1, explain: explanations(null) });
    expect(await shop.definitions()).toHaveLength(2);
  });

  it('creates each definition once in concurrent calls', async () => {
    const shop = await open();
    const rows = [row('A', attribute('size'), attribute('material')), row('C', attribute('size'))];
    const calls = await Promise.all(Array.from({ length: 8 }, () => shop.putAll(...rows)));
    expect(calls.map(([, createdCount]) => createdCount).filter((createdCount) => createdCount > 0)).toEqual([2]);
    expect(await shop.definitions()).toHaveLength(2);
  });
}

function describeQueries({ it }: Runner, open: OpenShop): void {
  it('are listed oldest first, in pages', async () => {
    const shop = await open();
    await shop.putAll(row('A', ...['c', 'a', 'b'].map((reference) => attribute(reference))));
    const pages = [await shop.definitions(0, 2), await shop.definitions(2, 2), await shop.definitions(4, 2)];
    expect(pages.map((page) => page.map((definition) => definition.external_ref))).toEqual([['c', 'a'], ['b'], []]);
  });

  it('are found by exact code in their app', async () => {
    const [shop, otherShop] = [await open(), await open()];
    await shop.putAll(row('A', attribute('size', { code: 'SIZE' })));
    const { attributeQueries } = shop.fixture;
    expect(await attributeQueries.findDefinition(shop.id, 'SIZE')).toEqual((await shop.definitions())[0]);
    expect(await attributeQueries.findDefinition(shop.id, 'size')).toBeUndefined();
    expect(await attributeQueries.findDefinition(otherShop.id, 'SIZE')).toBeUndefined();
  });
}
