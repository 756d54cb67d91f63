import { setTimeout } from 'node:timers/promises';
import { beginLockedBulk } from '@back-office/database-postgres';
import { gatherStatistics } from '../testing/gather-statistics.js';
import { LOCK_WAITS } from '../testing/lock-waits.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  await addProducts(shop);
});

async function addProducts(client: Client): Promise<void> {
  await client.post('/int/products', {
    products: [
      {
        code: 'P',
        name: 'P',
        variants: [
          { code: 'A', barcode: '860-A', external_ref: 'ref-a' },
          { code: 'B', barcode: '860-B', external_ref: 'ref-b' },
        ],
      },
      { code: 'Q', name: 'Q', variants: [{ code: 'C', barcode: 'A', external_ref: '860-B' }] },
    ],
  });
}

const putAttributes = (product_attributes: unknown, client = shop): Promise<Reply> =>
  client.put('/int/product_attributes', { product_attributes });
const putRows = async (rows: readonly unknown[], client = shop): Promise<[products: number, created: number]> => {
  const { status, body } = await putAttributes(rows, client);
  expect([status, body.errors, Object.keys(body)]).toEqual([200, undefined, ['data']]);
  expect(Object.keys(body.data)).toEqual(['products', 'definitions_created']);
  return [body.data.products, body.data.definitions_created];
};
const expectRefused = async (rows: readonly unknown[]): Promise<Record<string, string[]>> => {
  const stateBefore = [await readValues(), await readDefinitions()];
  const { status, body } = await putAttributes(rows);
  expect(status).toBe(422);
  expect([await readValues(), await readDefinitions()]).toEqual(stateBefore);
  return body.errors;
};

const readValues = async (client = shop): Promise<Record<string, string>> => {
  const rows = await api.database.rows<{ name: string; value: string }>(
    `select p.code || ' ' || d.external_ref as name, a.value
     from product_attributes a join products p on p.app_id = a.app_id and p.id = a.product_id
     join product_attribute_defs d on d.app_id = a.app_id and d.id = a.product_attribute_def_id where a.app_id = $1 order by 1`,
    [client.appId],
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
};
interface Definition {
  readonly id: number;
  readonly external_ref: string;
  readonly code: string | null;
  readonly name: string;
}
const readDefinitions = (client = shop) =>
  api.database.rows<Definition>('select * from product_attribute_defs where app_id = $1 order by id', [client.appId]);

const makeAttribute = (fields: object = {}) => ({ external_ref: 'material', value: 'cotton', ...fields });
const makeRow = (attributes: readonly unknown[] = [makeAttribute()], fields: object = {}) => ({
  code: 'A',
  attributes,
  ...fields,
});

describe('PUT /int/product_attributes', () => {
  it('sets attributes of products and creates definitions', async () => {
    const size = { external_ref: 'size', code: 'SIZE', name: 'Size', value: 'M' };
    expect(
      await putRows([makeRow([makeAttribute(), size]), makeRow([makeAttribute({ value: 'wool' })], { code: 'C' })]),
    ).toEqual([2, 2]);
    expect(await readValues()).toEqual({ 'P material': 'cotton', 'P size': 'M', 'Q material': 'wool' });
    expect(await readDefinitions()).toMatchObject([
      { external_ref: 'material', code: null, name: 'material' },
      { external_ref: 'size', code: 'SIZE', name: 'Size' },
    ]);
  });

  it('changes values and keeps absent attributes', async () => {
    await putRows([makeRow([makeAttribute(), makeAttribute({ external_ref: 'size', value: 'M' })])]);
    expect(await putRows([makeRow([makeAttribute({ value: 'silk' })])])).toEqual([1, 0]);
    expect(await readValues()).toEqual({ 'P material': 'silk', 'P size': 'M' });
  });

  it('writes nothing when the same attributes are sent again', async () => {
    const readUpdateTimes = () =>
      api.database.rows(
        'select updated_at, (select max(updated_at) from product_attribute_defs) from product_attributes',
      );
    await putRows([makeRow()]);
    const timesBefore = await readUpdateTimes();
    api.clock.forward({ seconds: 60 });
    await putRows([makeRow([makeAttribute({ name: 'material' })])]);
    expect(await readUpdateTimes()).toEqual(timesBefore);
  });

  it('changes codes and names of definitions, and keeps them when a row sends null or blank', async () => {
    await putRows([makeRow([makeAttribute({ code: 'MAT', name: 'Material' })])]);
    await putRows([
      makeRow([makeAttribute({ code: null, name: '' })]),
      makeRow([makeAttribute({ code: ' ', name: null })]),
    ]);
    expect(await readDefinitions()).toMatchObject([{ code: 'MAT', name: 'Material' }]);
    api.clock.forward({ seconds: 60 });
    expect(await putRows([makeRow([makeAttribute({ name: 'Fabric' })])])).toEqual([1, 0]);
    expect(await readDefinitions()).toMatchObject([{ code: 'MAT', name: 'Fabric', updated_at: api.clock.now() }]);
    await putRows([makeRow([makeAttribute({ code: 'FAB' })])]);
    expect(await readDefinitions()).toMatchObject([{ code: 'FAB', name: 'Fabric' }]);
  });

  it('keeps the later of two values for one product', async () => {
    expect(
      await putRows([
        makeRow([makeAttribute(), makeAttribute({ value: 'linen', name: 'Cloth' })]),
        makeRow([makeAttribute({ value: 'wool' })], { code: 'B' }),
      ]),
    ).toEqual([1, 1]);
    expect(await readValues()).toEqual({ 'P material': 'wool' });
    expect(await readDefinitions()).toMatchObject([{ name: 'Cloth' }]);
  });

  it('shifts the codes of 1,000 definitions by one in a single call', async () => {
    const indexes = Array.from({ length: 1_000 }, (_, index) => index);
    await putRows([makeRow(indexes.map((index) => makeAttribute({ external_ref: `d${index}`, code: `c${index}` })))]);
    // Gathers statistics, so that the planner looks up each definition by index.
    await api.database.source.query('analyze product_attribute_defs');
    const shiftedAttributes = indexes
      .toReversed()
      .map((index) => makeAttribute({ external_ref: `d${index}`, code: `c${index + 1}` }));
    await putRows([makeRow(shiftedAttributes)]);
    expect((await readDefinitions()).map(({ code }) => code)).toEqual(indexes.map((index) => `c${index + 1}`));
  });

  it('writes nothing without rows or attributes', async () => {
    expect(await putRows([])).toEqual([0, 0]);
    expect(await putRows([makeRow([])])).toEqual([1, 0]);
    expect([await readValues(), await readDefinitions()]).toEqual([{}, []]);
  });

  it('ignores unknown fields', async () => {
    await putRows([makeRow([makeAttribute({ id: 9, app_id: 1 })], { id: 7, product_id: 1 })]);
    expect(await readValues()).toEqual({ 'P material': 'cotton' });
  });
});

describe('the product of an attribute row', () => {
  it.each([
    ['code', { code: 'B' }, 'P'],
    ['barcode', { code: null, barcode: '860-A' }, 'P'],
    ['external_ref', { code: '', external_ref: 'ref-b' }, 'P'],
    ['code before barcode and external_ref', { code: 'C', barcode: '860-A', external_ref: 'ref-a' }, 'Q'],
    ['barcode before external_ref', { code: undefined, barcode: 'A', external_ref: 'ref-a' }, 'Q'],
    ['barcode when the code finds none', { code: 'none', barcode: 'A' }, 'Q'],
    ['external_ref when the others find none', { code: 'none', barcode: 'none', external_ref: '860-B' }, 'Q'],
  ])('is found by %s', async (_, identifiers, product) => {
    await putRows([makeRow(undefined, identifiers)]);
    expect(await readValues()).toEqual({ [`${product} material`]: 'cotton' });
  });

  it.each([
    ['an unknown code', { code: 'none' }],
    ['a code in another case', { code: 'a' }],
    ['a code with a space', { code: ' A' }],
    ['the code of a product', { code: 'P' }],
    ['another identifier as code', { code: '860-A' }],
    ['no identifier', { code: undefined }],
  ])('is not found by %s, and the whole call is refused', async (_, identifiers) => {
    expect(await expectRefused([makeRow(), makeRow(undefined, identifiers)])).toEqual({
      Products: ['API.Products.NotFound'],
    });
  });
});

describe('the definition of an attribute row', () => {
  let material: Definition;
  let size: Definition;

  beforeEach(async () => {
    await putRows([makeRow([makeAttribute(), makeAttribute({ external_ref: 'size', value: 'M' })])]);
    [material, size] = (await readDefinitions()) as [Definition, Definition];
  });

  it('is found by reference, with or without its id', async () => {
    expect(await putRows([makeRow([makeAttribute({ value: 'silk' })])])).toEqual([1, 0]);
    expect(await putRows([makeRow([makeAttribute({ product_attribute_def_id: material.id, value: 'felt' })])])).toEqual(
      [1, 0],
    );
    expect(await putRows([makeRow([makeAttribute({ product_attribute_def_id: null })])])).toEqual([1, 0]);
    expect(await readDefinitions()).toHaveLength(2);
  });

  it.each(['Material', 'mate rial'])('is created when no reference matches: %j', async (reference) => {
    expect(await putRows([makeRow([makeAttribute({ external_ref: reference })])])).toEqual([1, 1]);
    expect((await readDefinitions()).map(({ external_ref }) => external_ref)).toContain(reference);
  });

  it.each([
    ['another definition', () => ({ product_attribute_def_id: size.id })],
    ['no definition', () => ({ product_attribute_def_id: 987_654_321 })],
    ['no definition, an id below 1', () => ({ product_attribute_def_id: -1 })],
  ])('is refused with the id of %s', async (_, change) => {
    expect(await expectRefused([makeRow([makeAttribute({ value: 'never' }), makeAttribute(change())])])).toEqual({
      ProductAttributeDefs: ['API.ProductAttributeDefs.NotFound'],
    });
  });

  it('is refused with the code of another definition', async () => {
    await putRows([makeRow([makeAttribute({ code: 'X' })])]);
    const codeTaken = { ProductAttributeDefs: ['API.ProductAttributeDefs.CodeAlreadyExists'] };
    expect(await expectRefused([makeRow([makeAttribute({ external_ref: 'size', code: 'X' })])])).toEqual(codeTaken);
    expect(await expectRefused([makeRow([makeAttribute({ external_ref: 'new', code: 'X' })])])).toEqual(codeTaken);
    const duplicateCodes = ['a', 'b'].map((external_ref) => makeAttribute({ external_ref, code: 'NEW' }));
    expect(await expectRefused([makeRow(duplicateCodes)])).toEqual(codeTaken);
  });
});

describe('PUT /int/product_attributes with an invalid row', () => {
  it.each([
    ['value', undefined, 'ValueCantBeBlank'],
    ['value', null, 'ValueCantBeBlank'],
    ['value', ' ', 'ValueCantBeBlank'],
    ['value', 'x'.repeat(256), 'ValueIsTooLong'],
    ['value', 'a\0', 'ValueIsInvalid'],
    ['value', 5, 'WrongDataType'],
    ['external_ref', undefined, 'ExternalRefCantBeBlank'],
    ['external_ref', '', 'ExternalRefCantBeBlank'],
    ['external_ref', '\ud800', 'ExternalRefIsInvalid'],
    ['external_ref', {}, 'WrongDataType'],
    ['product_attribute_def_id', '1', 'WrongDataType'],
    ['product_attribute_def_id', 1.5, 'WrongDataType'],
    ['code', 'x'.repeat(256), 'CodeIsTooLong'],
    ['name', true, 'WrongDataType'],
  ])('refuses an attribute whose %s is %j with %s', async (field, value, key) => {
    expect(await expectRefused([makeRow([makeAttribute({ [field]: value })])])).toEqual({
      ProductAttributes: [`API.ProductAttributes.${key}`],
    });
  });

  it.each([
    [null, 'WrongDataType'],
    [5, 'WrongDataType'],
    [[makeRow()], 'WrongDataType'],
    [{ code: 'A' }, 'AttributesCantBeBlank'],
    [makeRow(null as never), 'AttributesCantBeBlank'],
    [makeRow('x' as never), 'WrongDataType'],
    [makeRow({ 0: makeAttribute() } as never), 'WrongDataType'],
    [makeRow([null]), 'WrongDataType'],
    [makeRow([['x']]), 'WrongDataType'],
    [makeRow(undefined, { code: 5 }), 'WrongDataType'],
    [makeRow(undefined, { barcode: 'a\0' }), 'BarcodeIsInvalid'],
    [makeRow(undefined, { external_ref: 'x'.repeat(256) }), 'ExternalRefIsTooLong'],
  ])('refuses the row %j with %s', async (invalidRow, key) => {
    expect(await expectRefused([invalidRow])).toEqual({ ProductAttributes: [`API.ProductAttributes.${key}`] });
  });

  it('reports the first error of each row in input order, under its area', async () => {
    await putRows([makeRow()]);
    expect(
      await expectRefused([
        makeRow([makeAttribute({ value: '' }), makeAttribute({ value: 5 })]),
        makeRow(),
        makeRow(undefined, { code: 'none' }),
        makeRow([makeAttribute({ product_attribute_def_id: 1 }), makeAttribute({ product_attribute_def_id: 2 })]),
        { code: 'A' },
        makeRow(undefined, { code: 'neither' }),
      ]),
    ).toEqual({
      ProductAttributes: ['API.ProductAttributes.ValueCantBeBlank', 'API.ProductAttributes.AttributesCantBeBlank'],
      Products: ['API.Products.NotFound', 'API.Products.NotFound'],
      ProductAttributeDefs: ['API.ProductAttributeDefs.NotFound'],
    });
  });

  it('translates errors for the app', async () => {
    await shop.patch('/app/settings', { translations: { en: { 'API.Products.NotFound': 'Nema' } } });
    expect(await expectRefused([makeRow(undefined, { code: 'none' })])).toEqual({ Products: ['Nema'] });
  });

  it.each([[{}], [{ product_attributes: null }], [{ product_attributes: makeRow() }], [{ attributes: [makeRow()] }]])(
    'refuses the body %j',
    async (body) => {
      const { status, body: responseBody } = await shop.put('/int/product_attributes', body);
      expect([status, responseBody]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
    },
  );

  it('returns 413 for more than 30,000 attributes', async () => {
    const attributes = Array.from({ length: 30_001 }, (_, index) => ({ external_ref: `r${index}`, value: 'x' }));
    expect((await putAttributes([{ code: 'A', attributes }])).status).toBe(413);
  });

  it('returns 413 for more than 10,000 rows', async () => {
    expect((await putAttributes(Array.from({ length: 10_001 }, () => makeRow()))).status).toBe(413);
  });
});

describe('PUT /int/product_attributes with many rows', () => {
  const makeCodes = (count: number) => Array.from({ length: count }, (_, index) => `M${index}`);
  const makeRows = (count: number, value: string) =>
    makeCodes(count).map((code, index) =>
      makeRow([makeAttribute({ value }), makeAttribute({ external_ref: `d${index}`, value })], { code }),
    );

  it('writes 10,000 rows with as many statements as one row', async () => {
    const products = makeCodes(10_000).map((code) => ({ code, name: code, variants: [{ code }] }));
    // Gathers statistics before the products are added, because the statistics must not include these products.
    await gatherStatistics(api.database);
    await shop.post('/int/products', { products });
    const countStatements = async (rows: readonly object[]): Promise<number> => {
      api.statements.length = 0;
      await putRows(rows);
      return api.statements.length;
    };
    await putRows([]);
    const statementsForNew = await countStatements([makeRow([makeAttribute({ external_ref: 'one' })])]);
    expect(await countStatements(makeRows(10_000, 'x'))).toBe(statementsForNew);
    const statementsForKnown = await countStatements([makeRow([makeAttribute({ external_ref: 'one' })])]);
    expect(await countStatements(makeRows(10_000, 'y'))).toBe(statementsForKnown);
    const statementsForRenamed = await countStatements([
      makeRow([makeAttribute({ external_ref: 'one', name: 'One', code: 'ONE' })]),
    ]);
    const renamedRows = makeRows(5_000, 'z').map((row, index) => ({
      ...row,
      attributes: [makeAttribute({ external_ref: `d${index}`, name: 'New', code: `c${index}`, value: 'z' })],
    }));
    expect(await countStatements(renamedRows)).toBe(statementsForRenamed);
    const sums = await api.database.rows(
      'select value, count(*)::int from product_attributes where app_id = $1 group by 1 order by 1',
      [shop.appId],
    );
    expect(sums).toEqual([
      { value: 'cotton', count: 1 },
      { value: 'y', count: 15_000 },
      { value: 'z', count: 5_000 },
    ]);
  });
});

describe('PUT /int/product_attributes during another call', () => {
  it('waits for the other call and finds the definitions that it has created', async () => {
    let call: Promise<[number, number]> | undefined;
    await api.database.transaction(async (transaction) => {
      await beginLockedBulk(transaction, 'attributes', shop.appId, 1);
      await transaction.rows(
        `insert into product_attribute_defs (app_id, external_ref, code, name, inserted_at, updated_at)
         values ($1, 'material', 'MAT', 'Material', now(), now())`,
        [shop.appId],
      );
      call = putRows([makeRow([makeAttribute({ code: 'MAT' })])]);
      while ((await api.database.rows(LOCK_WAITS)).length === 0) await setTimeout(10);
    });
    expect(await call).toEqual([1, 0]);
    expect(await readDefinitions()).toMatchObject([{ code: 'MAT', name: 'Material' }]);
  });
});

describe('GET /product_attribute_defs', () => {
  const getDefinitions = async (query = '', client = shop) => {
    const { status, body } = await client.get(`/product_attribute_defs${query}`);
    expect([status, Object.keys(body)]).toEqual([200, ['data']]);
    return body.data;
  };
  const listReferences = async (query: string): Promise<string[]> =>
    (await getDefinitions(query)).map(({ external_ref }: Definition) => external_ref);

  it('returns the definition with a code', async () => {
    await putRows([
      makeRow([makeAttribute({ code: 'MAT', name: 'Material' }), makeAttribute({ external_ref: 'size' })]),
    ]);
    const dateTime = api.clock.now().toISOString().slice(0, 19);
    expect(await getDefinitions('?code=MAT')).toEqual({
      id: expect.any(Number),
      external_ref: 'material',
      code: 'MAT',
      name: 'Material',
      inserted_at: dateTime,
      updated_at: dateTime,
    });
  });

  it.each(['mat', 'MAT%20', '%20MAT', 'MA%25', 'material', 'none'])(
    'returns {} for the unknown code %s',
    async (code) => {
      await putRows([makeRow([makeAttribute({ code: 'MAT' })])]);
      expect(await getDefinitions(`?code=${code}`)).toEqual({});
    },
  );

  it('lists definitions in pages, oldest first', async () => {
    const names = Array.from({ length: 33 }, (_, index) => `d${index}`);
    await putRows([makeRow(names.map((external_ref) => makeAttribute({ external_ref })))]);
    for (const query of ['', '?code=', '?limit=0', '?limit=x', '?offset=-1']) {
      expect(await listReferences(query)).toEqual(names.slice(0, 30));
    }
    expect(await listReferences('?offset=30')).toEqual(names.slice(30));
    expect(await listReferences('?offset=2&limit=3')).toEqual(names.slice(2, 5));
    expect(await listReferences('?limit=99999')).toEqual(names);
    expect(await getDefinitions('?limit=1')).toMatchObject([{ external_ref: 'd0', code: null, name: 'd0' }]);
  });

  it.each(['code=A&code=B', 'code[x]=A', 'code=A%00'])('refuses the query %s', async (query) => {
    expect((await shop.get(`/product_attribute_defs?${query}`)).status).toBe(400);
  });
});
