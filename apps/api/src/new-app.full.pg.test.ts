import pg from 'pg';
import { fillCatalogue, fillProformas } from './testing/fill.query.js';
import { FILL_FILES } from './testing/media-fill.query.js';
import { newCustomer, propose, stockShop } from './testing/shop.js';
import { testApi, type Client, type TestApi } from './testing/test-api.js';

const ROW_COUNT = 5_000;
/** Maximum slowdown; a plan with quadratic time would take at least thirty times as long. */
const MAX_SLOWDOWN = { factor: 5, offsetMs: 700 };

const TABLES = `
  customers proforma_orders orders products product_variants warehouses stocks stock_movements stock_movement_lines
  cdn_files cdn_folders cdn_renditions cdn_pdf_pages cdn_usages`
  .trim()
  .split(/\s+/);

const PATHS = [
  '/proforma_orders?limit=5000',
  '/proforma_orders?limit=2000&offset=1000&status=1,3,4',
  '/orders?limit=5000',
  '/customers?limit=5000',
  '/products?limit=5000',
  '/products?limit=5000&search=product',
  '/products?limit=5000&orderBy=sales_quantity%20desc&onlyOnStock=true',
  '/stocks?limit=5000',
  '/products?limit=5000&onlyOnStock=true',
  '/stocks?limit=5000&productId=PRODUCT',
  '/stocks?limit=5000&warehouseId=WAREHOUSE',
  '/stocks/aggregate?limit=5000',
  '/stock_movements?dateFrom=2000-01-01&dateUntil=2100-01-01',
  '/stock_movements?dateFrom=2000-01-01&dateUntil=2100-01-01&productId=PRODUCT',
  '/cdn/files?pageSize=5000',
  '/cdn/files?pageSize=5000&unused=true&search=jpg',
  '/cdn/usages/broken?limit=5000',
  '/cdn/trash?page_size=5000',
  '/cdn/folders',
  '/cdn/files/summary',
  '/cdn/files/pdf-renders',
];

const COLUMN_NAMES = `
  select string_agg(column_name, ', ') as names from information_schema.columns
  where table_schema = current_schema() and table_name = $1 and is_generated = 'NEVER'`;

/** Inserts $2 copies of the app's only row of a table, with different values in some columns. */
const copyStatement = (table: string, columns: string, changedColumns: string): string => `
  insert into ${table} (${columns}) overriding system value
  select ${columns.replaceAll(/\w+/g, 'copy.$&')} from ${table} one, generate_series(1, $2::int) as n,
    jsonb_populate_record(one, jsonb_build_object('id', 1000000 * $1::bigint + n, ${changedColumns})) as copy
  where one.app_id = $1`;

const CHANGED_COLUMNS: Readonly<Record<string, string>> = {
  customers: `'email', 'c' || n || '@example.com', 'external_ref', 'c' || n`,
  orders: `'order_number', 'O-' || n, 'external_ref', 'o' || n, 'proforma_order_id', null`,
};

const INSERT_BROKEN_USAGES = `
  insert into cdn_usages (app_id, key, entity_type, entity_id, field, url, inserted_at)
  select $1, 'missing/' || n, 'page', n::text, 'image', 'missing/' || n, now() from generate_series(1, $2::int) as n`;

const INSERT_FOLDERS = `
  insert into cdn_folders (app_id, path, parent, name, inserted_at, updated_at)
  select $1, 'more ' || n, '', 'more ' || n, now(), now() from generate_series(1, $2::int) as n`;

const INSERT_PAGES = `
  insert into cdn_pdf_pages (app_id, cdn_file_id, version, page, width, height, key, mime, size, content)
  select f.app_id, f.id, 1, page, 100, 100, f.key || '@p' || page, 'image/webp', 1000, f.content || '-p' || page
  from cdn_files f, generate_series(1, 3) as page where f.app_id = $1`;

const MOVE_TO_TRASH = `
  update cdn_files set state = 'trashed', deleted_at = now(), purge_at = now() + interval '1 day'
  where app_id = $1 and id % 3 = 0`;

interface Installation {
  readonly api: TestApi;
  readonly client: pg.Client;
}

/** Milliseconds by path, measured while the planner's statistics do not cover the app. */
const timesBeforeAnalyze = new Map<string, number>();
const timesAfterAnalyze = new Map<string, number>();
/** Milliseconds by path, measured while the statistics describe many nearly empty apps. */
const timesBesideSmallApps = new Map<string, number>();
/** Milliseconds by path, measured without any statistics. */
const timesWithoutStatistics = new Map<string, number>();

beforeAll(async () => {
  await withInstallation(async (installation) => {
    await openShop(installation, 100);
    await installation.client.query('analyze');
    const shop = await openShop(installation, ROW_COUNT);
    await measure(shop, timesBeforeAnalyze);
    await installation.client.query('analyze');
    await measure(shop, timesAfterAnalyze);
  });
  await withInstallation(async (installation) => {
    for (let count = 0; count < 20; count += 1) await openShop(installation, 1);
    await installation.client.query('analyze');
    await measure(await openShop(installation, ROW_COUNT), timesBesideSmallApps);
  });
  await withInstallation(async (installation) =>
    measure(await openShop(installation, ROW_COUNT), timesWithoutStatistics),
  );
}, 240_000);

/** Runs the work with autovacuum off, because autovacuum would gather statistics. */
async function withInstallation(work: (installation: Installation) => Promise<void>): Promise<void> {
  const api = await testApi();
  const client = new pg.Client({ connectionString: api.url });
  await client.connect();
  for (const table of TABLES) await client.query(`alter table ${table} set (autovacuum_enabled = false)`);
  await work({ api, client });
  await client.end();
  await api.close();
}

async function measure(shop: Client, times: Map<string, number>): Promise<void> {
  const product = (await shop.get('/products?limit=1')).body.data.products[0].id as number;
  const warehouse = (await shop.get('/stocks?limit=1&offset=100')).body.data[0].warehouse_id as number;
  for (const path of PATHS) {
    const filledPath = path.replace('PRODUCT', String(product)).replace('WAREHOUSE', String(warehouse));
    times.set(path, await measureMs(shop, filledPath));
  }
}

/** Creates an app with `rows` records of each kind. */
async function openShop({ api, client }: Installation, rows: number): Promise<Client> {
  const app = await api.app();
  await stockShop(app, [{ code: 'A', price: 100, stock: 10 }]);
  const { id } = await propose(app, [{ code: 'A', qty: 1 }]);
  await app.post(`/proforma_orders/${id}/convert`);
  await newCustomer(app, 'mira@example.com');
  await app.patch('/app/settings', { media: { unused_threshold_days: 0 } });
  await fillCatalogue(client, app.appId, rows);
  await fillProformas(client, app.appId, rows, api.clock.now());
  for (const text of FILL_FILES) await client.query(text, [app.appId, rows, `a${app.appId}`]);
  for (const [table, changedColumns] of Object.entries(CHANGED_COLUMNS)) {
    const { names } = (await client.query<{ names: string }>(COLUMN_NAMES, [table])).rows[0] ?? { names: '' };
    await client.query(copyStatement(table, names, changedColumns), [app.appId, rows]);
  }
  await client.query(INSERT_BROKEN_USAGES, [app.appId, rows]);
  await client.query(INSERT_FOLDERS, [app.appId, rows]);
  await client.query(INSERT_PAGES, [app.appId]);
  await client.query(MOVE_TO_TRASH, [app.appId]);
  const stocks = Array.from({ length: rows }, (_, n) => ({ code: `P${n + 1}`, warehouse_code: 'MAIN', qty: -1 }));
  expect((await app.put('/int/stocks', { stocks })).body.data.updated).toBe(rows);
  return app;
}

const SLOW_MS = 500;

/** Returns the milliseconds of a call. Measures a slow call twice, because a pause of a busy machine can delay one. */
async function measureMs(shop: Client, path: string): Promise<number> {
  const firstMs = await timeCall(shop, path);
  return firstMs < SLOW_MS ? firstMs : Math.min(firstMs, await timeCall(shop, path));
}

/** Returns the milliseconds of a call, or infinity for any status except 200. */
async function timeCall(shop: Client, path: string): Promise<number> {
  const startMs = performance.now();
  const { status } = await shop.get(path);
  return status === 200 ? performance.now() - startMs : Infinity;
}

it('imports 10,000 products right after small calls, before there are statistics', async () => {
  await withInstallation(async ({ api }) => {
    const shop = await api.app();
    const importProducts = async (call: number, count: number): Promise<void> => {
      const products = Array.from({ length: count }, (_, index) => {
        const code = `P${call}-${index}`;
        return { code, name: code, price: 1, variants: [{ code }, { code: `${code}-XL` }] };
      });
      expect((await shop.post('/int/products', { products })).status).toBe(200);
    };
    for (let call = 0; call < 10; call += 1) await importProducts(call, 5);
    await importProducts(10, 10_000);
    expect((await shop.get('/products?code=P10-9999')).body.data.variants).toHaveLength(2);
  });
}, 60_000);

describe.each([
  ['missing in the statistics', timesBeforeAnalyze],
  ['beside small apps in the statistics', timesBesideSmallApps],
  ['on a server without statistics', timesWithoutStatistics],
])('a long list of an app %s', (_, times) => {
  it.each(PATHS)('is about as fast as with current statistics: %s', (path) => {
    const referenceMs = timesAfterAnalyze.get(path) as number;
    expect(referenceMs).toBeLessThan(Infinity);
    expect(times.get(path)).toBeLessThan(MAX_SLOWDOWN.factor * referenceMs + MAX_SLOWDOWN.offsetMs);
  });
});
