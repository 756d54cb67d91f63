import { explainStatement } from '@back-office/database-postgres/testing';
import { gatherStatistics } from '../testing/gather-statistics.js';
import { testApi, type Client, type Reply, type TestApi } from '../testing/test-api.js';

let api: TestApi;
let shop: Client;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  shop = await api.app();
  await openShop(shop);
});

interface VerifiedIds {
  readonly product_id?: number;
  readonly product_variant_id?: number;
}

async function openShop(client: Client): Promise<void> {
  await client.post('/int/products', {
    products: [
      {
        code: 'P',
        name: 'P',
        variants: [
          { code: 'A-š', barcode: 'x860-A' },
          { code: 'B', barcode: 'x860-B' },
        ],
      },
      { code: 'Q', name: 'Q', variants: [{ code: 'C', barcode: 'B' }] },
      { code: 'Solo', name: 'S' },
      { code: ' Ципела\t', name: 'T' },
    ],
  });
}

const post = (products: unknown, client = shop): Promise<Reply> => client.post('/product/verify', { products });
const verify = async (
  products: readonly object[],
  client = shop,
): Promise<(VerifiedIds & Record<string, unknown>)[]> => {
  const { status, body } = await post(products, client);
  expect([status, Object.keys(body)]).toEqual([200, ['data']]);
  return body.data;
};
const listMatches = async (products: readonly object[], client = shop): Promise<(string | undefined)[]> => {
  const variants = await api.database.rows<{ id: number; product_id: number; name: string }>(
    `select v.id, v.product_id, p.code || '/' || v.code as name
     from product_variants v join products p on p.app_id = v.app_id and p.id = v.product_id where v.app_id = $1`,
    [client.appId],
  );
  const productRows = await api.database.rows<{ id: number; code: string }>(
    'select id, code from products where app_id = $1',
    [client.appId],
  );
  return (await verify(products, client)).map(({ product_id: product, product_variant_id: variant }) => {
    if (variant === undefined) return productRows.find(({ id }) => id === product)?.code;
    return variants.find((candidate) => candidate.id === variant && candidate.product_id === product)?.name;
  });
};

describe('POST /product/verify', () => {
  it('returns the rows in input order with the ids of their matches', async () => {
    const rows = [{ barcode: 'x860-B' }, { code: 'none' }, { code: 'A-š', barcode: 'x860-A' }];
    const [b, unmatched, a] = await verify(rows);
    expect(b).toEqual({
      code: null,
      barcode: 'x860-B',
      product_id: expect.any(Number),
      product_variant_id: expect.any(Number),
    });
    expect(unmatched).toEqual({ code: 'none', barcode: null });
    expect(a).toMatchObject({ code: 'A-š', barcode: 'x860-A', product_id: b?.product_id });
    expect(await listMatches(rows)).toEqual(['P/B', undefined, 'P/A-š']);
  });

  it('returns the codes as sent', async () => {
    expect(await verify([{ code: '  b ', barcode: null, name: 'x' }])).toMatchObject([{ code: '  b ', barcode: null }]);
  });

  it('returns an empty list for no rows', async () => {
    expect(await verify([])).toEqual([]);
  });

  it('writes nothing', async () => {
    api.statements.length = 0;
    await verify([{ code: 'A-š' }, { code: 'new', barcode: 'new' }]);
    const writeStatements = api.statements.filter((text) => /\b(insert|update|delete)\b/i.test(text));
    expect(writeStatements).toEqual([]);
    expect(await api.database.rows('select 1 from products where app_id = $1', [shop.appId])).toHaveLength(4);
  });
});

describe('a row of POST /product/verify', () => {
  it.each([
    ['code', { code: 'B' }, 'P/B'],
    ['barcode', { barcode: 'B' }, 'Q/C'],
    ['code before barcode', { code: 'B', barcode: 'x860-A' }, 'P/B'],
    ['barcode when the code finds none', { code: 'none', barcode: 'x860-A' }, 'P/A-š'],
    ['barcode when the code is null', { code: null, barcode: 'x860-A' }, 'P/A-š'],
    ['barcode when the code is blank', { code: ' ', barcode: 'x860-A' }, 'P/A-š'],
    ['barcode of a variant before the code of a product', { code: 'Solo', barcode: 'x860-A' }, 'P/A-š'],
    ['the code of a product when no variant is found', { code: 'Solo', barcode: 'none' }, 'Solo'],
    ['the code of a product that has variants', { code: 'P' }, 'P'],
  ])('finds its variant or product by %s', async (_, row, name) => {
    expect(await listMatches([row])).toEqual([name]);
  });

  it.each([
    ['a product without a variant: no product_variant_id', { code: 'Solo' }, { product_id: expect.any(Number) }],
    ['no match: no ids', { code: 'none' }, {}],
    ['blank codes: no ids', { code: '', barcode: ' ' }, {}],
    ['an empty row: no ids', {}, {}],
    ['a barcode as code: no ids', { code: 'x860-A' }, {}],
    ['a code of a product as barcode: no ids', { barcode: 'Solo' }, {}],
    ['a pattern: no ids', { code: '%', barcode: '_' }, {}],
    ['half of a code: no ids', { code: 'Sol' }, {}],
  ])('gets the ids of the matching records: %s', async (_, row, ids) => {
    expect(await verify([row])).toEqual([{ code: null, barcode: null, ...row, ...ids }]);
  });

  it.each([
    ['case', { code: 'a-Š' }, 'P/A-š'],
    ['spaces', { code: ' A-š  ' }, 'P/A-š'],
    ['tabs and wider spaces', { code: '\t\u00a0b\n' }, 'P/B'],
    ['the case of a barcode', { barcode: 'X860-a' }, 'P/A-š'],
    ['spaces around a barcode', { barcode: ' x860-A ' }, 'P/A-š'],
    ["the case of a product's code", { code: ' SOLO' }, 'Solo'],
    ["spaces around a product's stored code", { code: 'ципела\t' }, ' Ципела\t'],
  ])('ignores %s', async (_, row, name) => {
    expect(await listMatches([row])).toEqual([name]);
  });

  it('finds an exact match of letters with unusual case folding', async () => {
    const codes = ['İ', 'ΟΔΟΣ', 'ẞ', 'ǅ', ' Ципела\t'];
    const products = codes.map((code) => ({ code, name: code, variants: [{ code: `v-${code}`, barcode: code }] }));
    await shop.post('/int/products', { products });
    const rows = codes.flatMap((code) => [{ code }, { code: `v-${code}` }, { barcode: code }]);
    const names = (await listMatches(rows)).map((name) => name?.split('/')[0]);
    expect(names).toEqual(codes.flatMap((code) => [code, code, code]));
  });

  it.each([
    ['İ-1', 'İ-1'],
    ['STRAẞE', 'Straẞe'],
    ['ǄEP', 'Ǆep'],
    ['Kelvin', 'kelvIN'],
  ])('finds %s by %s, regardless of case and spaces', async (code, searchText) => {
    const variants = [{ code: `v-${code}`, barcode: `b-${code}` }];
    await shop.post('/int/products', { products: [{ code, name: 'x', variants }] });
    const rows = [{ code: ` ${searchText}` }, { code: ` V-${searchText}` }, { barcode: `B-${searchText} ` }];
    expect(await listMatches(rows)).toEqual([code, `${code}/v-${code}`, `${code}/v-${code}`]);
  });

  it('folds each letter separately, even a final Σ', async () => {
    await shop.post('/int/products', { products: [{ code: 'ΟΔΟΣ', name: 'x', variants: [{ code: 'ΟΔΟΣ-1Σ' }] }] });
    expect(await listMatches([{ code: 'οδΟΣ' }, { code: 'οδΟΣ-1Σ' }])).toEqual(['ΟΔΟΣ', 'ΟΔΟΣ/ΟΔΟΣ-1Σ']);
  });

  it('prefers a match in the same case, then the oldest record', async () => {
    const variants = ['kod', 'KOD', 'Kod'].map((code) => ({ code, barcode: `${code}-b` }));
    const products = ['Pro', 'PRO'].map((code) => ({ code, name: code }));
    await shop.post('/int/products', { products: [{ code: 'V', name: 'V', variants }, ...products] });
    expect(await listMatches([{ code: 'KOD' }, { code: 'Kod ' }, { code: 'kOD' }])).toEqual([
      'V/KOD',
      'V/Kod',
      'V/kod',
    ]);
    expect(await listMatches([{ barcode: 'KOD-b' }, { barcode: 'KOD-B' }])).toEqual(['V/KOD', 'V/kod']);
    expect(await listMatches([{ code: 'PRO' }, { code: 'pro' }])).toEqual(['PRO', 'Pro']);
  });

  it('finds nothing of another app', async () => {
    const otherApp = await api.app();
    expect(await listMatches([{ code: 'B' }, { barcode: 'x860-A' }, { code: 'Solo' }], otherApp)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('POST /product/verify with an invalid body', () => {
  it.each([
    [{}],
    [{ products: null }],
    [{ products: { code: 'A' } }],
    [{ products: [null] }],
    [{ products: [5] }],
    [{ products: [['B']] }],
    [{ products: [{ code: 'B' }, { code: 5 }] }],
    [{ products: [{ barcode: {} }] }],
  ])('answers 400 for %j', async (body) => {
    const { status, body: answer } = await shop.post('/product/verify', body);
    expect([status, answer]).toEqual([400, { errors: { detail: 'Bad Request' } }]);
  });

  it('answers 422 for invalid texts, each under its path', async () => {
    const { status, body } = await post([
      { code: 'B' },
      { code: 'a\0', barcode: 'x'.repeat(256) },
      { barcode: '\ud800' },
    ]);
    expect([status, body]).toEqual([
      422,
      {
        errors: {
          'products.1.code': ['is invalid'],
          'products.1.barcode': ['is too long'],
          'products.2.barcode': ['is invalid'],
        },
      },
    ]);
  });

  it('answers 413 for more than 10,000 rows', async () => {
    expect((await post(Array.from({ length: 10_001 }, () => ({ code: 'B' })))).status).toBe(413);
  });
});

describe('POST /product/verify with many rows', () => {
  it('finds 10,000 rows with one statement', async () => {
    // Without statistics of this app, the planner would choose a slow plan.
    await gatherStatistics(api.database);
    const rows = Array.from({ length: 10_000 }, (_, index) => ({ code: `m${index}`, barcode: `BAR${index}` }));
    const variants = rows.map(({ code }, index) =>
      index % 2 === 0 ? { code } : { code: `other${index}`, barcode: `bar${index}` },
    );
    await shop.post('/int/products', { products: [{ code: 'M', name: 'M', variants }] });
    await verify([{ code: 'M0' }]);
    api.statements.length = 0;
    const verifiedRows = await verify(rows);
    expect(api.statements).toHaveLength(1);
    const ids = new Set(verifiedRows.map(({ product_variant_id: id }) => id));
    expect([ids.size, ids.has(undefined)]).toEqual([10_000, false]);
  });

  it('uses an index', async () => {
    await shop.post('/int/products', {
      products: [
        { code: 'M', name: 'M', variants: Array.from({ length: 5_000 }, (_, index) => ({ code: `m${index}` })) },
      ],
    });
    await gatherStatistics(api.database);
    api.statements.length = 0;
    await verify([{ code: 'B', barcode: 'x' }]);
    const values = [['B'], ['x'], ['B']];
    const plan = await explainStatement(api.database, api.statements[0] as string, [shop.appId, ...values]);
    for (const index of ['product_variants_loose_code_idx', 'product_variants_loose_barcode_idx']) {
      expect(plan).toContain(`Index Scan using ${index}`);
    }
    expect(plan).not.toContain('Seq Scan on product_variants');
  });
});
