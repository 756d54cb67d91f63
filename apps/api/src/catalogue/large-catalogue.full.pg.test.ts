import pg from 'pg';
import { decimalsOf } from '@back-office/kernel';
import { LOOK_UP_IDS, productListStatement } from '@back-office/database-postgres';
import { foldForSearch } from '@back-office/database';
import { explainStatement } from '@back-office/database-postgres/testing';
import { testApi, type TestApi } from '../testing/test-api.js';
import { TOKENS } from '../tokens.js';
import { parseProductFilter } from './product-filter.js';

let api: TestApi;

beforeAll(async () => {
  api = await testApi();
});
afterAll(() => api.close());

describe('a catalogue of 100,000 products with messy names', () => {
  const NAMES = [
    'Čizma "Zima" 100%',
    "Men's runner",
    'Ципела 42',
    'Ångström lamp',
    'Zoë_case',
    'Tričko\\modré',
    '靴 leather',
  ];
  let appId: number;

  beforeAll(async () => {
    ({ appId } = await api.app());
    const loader = new pg.Client(api.url);
    await loader.connect();
    await loader.query(
      `with p as (
         insert into products (app_id, code, name, search_name, search_all, slug, price, lowest_price, inserted_at, updated_at)
         select $1, 'P' || n, name || ' ' || n, folded || ' ' || n, folded || ' ' || n || ' p' || n || ' ' || lpad(n::text, 13, '0'),
           'p-' || n, n, n, now(), now()
         from generate_series(1, 100000) as n, lateral (select $2::text[] as names, $3::text[] as folds) as messy,
           lateral (select names[n % 7 + 1] as name, folds[n % 7 + 1] as folded) as chosen
         returning id, code
       )
       insert into product_variants (app_id, product_id, code, barcode, inserted_at, updated_at)
       select $1, id, code || '-1', lpad(substr(code, 2), 13, '0'), now(), now() from p`,
      [appId, NAMES, NAMES.map(foldForSearch)],
    );
    await loader.query('vacuum (analyze) products');
    await loader.query('analyze product_variants');
    await loader.end();
  }, 120_000);

  const getCodes = async (query: string): Promise<string[]> => {
    const token = (await api.container.get(TOKENS.Apps).issueToken({ appId })) as string;
    const reply = await fetch(`${api.origin}/api/v2/products?${query}`, {
      headers: { Authorization: `Bearer ${token}` },
    });
    return ((await reply.json()) as { data: { products: { code: string }[] } }).data.products.map(({ code }) => code);
  };

  const explainPlan = (query: Record<string, string>, orderBy?: string): Promise<string> => {
    const options = { appId, decimals: decimalsOf('RSD'), orderBy, page: { offset: 0, limit: 10 } };
    const { text, values } = productListStatement({ ...options, filter: parseProductFilter(query) });
    return explainStatement(api.database, text, values);
  };

  it.each([
    ['search', { search: 'runner 4711' }, undefined, 'products_search_name_idx'],
    ['search, from another script', { search: 'čizma zima 99' }, undefined, 'products_search_name_idx'],
    ['searchAll by code', { searchAll: 'P4711' }, undefined, 'products_search_all_idx'],
    ['searchAll by barcode', { searchAll: '0000000004711' }, undefined, 'products_search_all_idx'],
    ['the first page by name', {}, undefined, 'products_name_idx'],
    ['by price', {}, 'price', 'products_lowest_price_idx'],
    ['by change', {}, 'updated_at', 'products_updated_idx'],
    ['a band of prices', { priceFrom: '10', priceTo: '10.20' }, undefined, 'product_variants_price_idx'],
  ])('is searched with an index: %s', async (_, query, orderBy, index) => {
    const lines = await explainPlan(query, orderBy);
    expect(lines).toContain(index);
    expect(lines).not.toContain('Seq Scan on products');
  });

  it.each(['search=a&searchAll=4', 'searchAll=4&orderBy=sales_quantity desc'])(
    'is searched within 2.5 s when half of the products match: %s',
    async (query) => {
      const startedAtMs = performance.now();
      expect(await getCodes(query)).toHaveLength(10);
      expect(performance.now() - startedAtMs).toBeLessThan(2_500);
    },
  );

  it('is scanned once for partial matches, and uses an index for exact codes', async () => {
    const lines = await explainPlan({ search: 'a', searchAll: '4' });
    expect(lines.match(/ on products p(_\d+)? /g)).toHaveLength(3);
    expect(lines.match(/Seq Scan on/g)?.length).toBeLessThanOrEqual(2);
    expect(lines).toContain('product_variants_loose_code_idx');
  });

  it.each(['id', 'slug', 'code', 'barcode'] as const)('is looked up by index: %s', async (by) => {
    const text = LOOK_UP_IDS[by](by === 'id' ? "'5'" : "'P4711-1'::text").replaceAll('$1', String(appId));
    expect(await explainStatement(api.database, text)).not.toContain('Seq Scan');
  });

  it('lists exact names and barcodes first', async () => {
    expect((await getCodes('search=cipela 42 99997'))[0]).toBe('P99997');
    expect(await getCodes('searchAll=0000000000042&limit=1')).toEqual(['P42']);
  });
});
