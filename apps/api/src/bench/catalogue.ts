import { randomInt } from 'node:crypto';
import { parseProductFilter } from '../catalogue/product-filter.js';
import { productListStatement, productLookUpStatement } from '@back-office/database-postgres';
import { analyze } from './bench-database.js';
import { FLOOR_CATALOGUE } from './catalogue-floor.query.js';
import { call, loadWithFlows, loadWith } from './load.js';
import { makeApps } from '../runtime/with-apps.js';
import { measureAll, print, report, reportGrowth, sizesBelow, type BenchApp, type Job } from './measure.js';
import { startFloor, startServiceProcess, type System } from './systems.js';

export interface CatalogueOptions {
  readonly products: number;
  readonly seconds: number;
  readonly rounds: number;
}

const CLIENT_COUNT = 16;
const POOL_SIZE = 10;
const BATCH_SIZE = 5_000;
const LIMITS = { lookUp: 0.6, list: 0.6, bulk: 0.5, growth: 1.5 };
const PAGE = { offset: 0, limit: 10 };

/** Realistic names with accents, quotes, LIKE wildcards and several scripts. */
const NAMES = [
  'Čizma "Zima" 100%',
  "Men's runner",
  'Ципела',
  'Ångström lamp',
  'Zoë_case',
  'Tričko\\modré',
  '靴 leather',
];

/**
 * Loads a catalogue through the API, then compares look-ups, searches and bulk writes with the floors of `floor.ts`.
 */
export async function benchCatalogue(url: string, { products, seconds, rounds }: CatalogueOptions): Promise<void> {
  const [shop, floorApp, small, middle] = await makeApps({ DATABASE_URL: url }, ['shop', 'bare', 'small', 'middle']);
  const lookUp = productLookUpStatement(shop.id, 2, { by: 'code', value: `P${Math.floor(products / 2)}-1` });
  const lists = {
    lookUp: { statement: lookUp, query: `code=P${Math.floor(products / 2)}-1` },
    byName: listOf(shop, {}),
    search: listOf(shop, { search: `runner ${Math.floor(products / 3)}` }),
    everywhere: listOf(shop, { searchAll: `P${Math.floor(products / 5)}` }),
  };
  const statements = {
    ...Object.fromEntries(Object.entries(lists).map(([name, { statement }]) => [name, statement])),
    ...Object.fromEntries(Object.entries(FLOOR_CATALOGUE).map(([name, text]) => [name, { text }])),
  };
  const task = { url, poolSize: POOL_SIZE, statements };
  const service = await startServiceProcess(url);
  const systems: System[] = [
    await startFloor('floor', { ...task, kind: 'node' }),
    await startFloor('Express floor', { ...task, kind: 'express' }),
    service,
  ];
  try {
    const sizes = sizesBelow(products);
    print('Time to load the catalogues of four apps through `POST /int/products`:\n');
    for (const [app, count] of [
      [shop, products],
      [floorApp, products],
      [small, sizes.small],
      [middle, sizes.middle],
    ] as const) {
      await loadProducts(service.origin, app, count);
      await loadStock(service.origin, app, count);
    }
    await analyze(url);
    const readJobs = Object.entries(lists).map(([key, { query }]): Job => {
      const measure: Job['measure'] = (system, load) =>
        loadWith(system.origin + (system === service ? `/api/v2/products?${query}` : `/${key}`), shop.token, load);
      return {
        name: READ_LABELS[key as keyof typeof READ_LABELS],
        minRatio: key === 'lookUp' ? LIMITS.lookUp : LIMITS.list,
        measure,
      };
    });
    report(
      readJobs,
      systems,
      await measureAll(readJobs, systems, { clients: CLIENT_COUNT, seconds }, rounds),
      CLIENT_COUNT,
    );
    // Refreshes the planner's statistics, which earlier jobs make stale. Autovacuum would refresh them only after a
    // minute.
    const prepareRounds = (): Promise<void> => analyze(url);
    const writeJobs = [1_000, 10_000].flatMap((rows) => bulkJobs(service, shop, floorApp, products, rows));
    // Jobs that change records run last, so that the other jobs measure the original catalogue.
    const orderedJobs = [...writeJobs.filter(({ changes }) => !changes), ...writeJobs.filter(({ changes }) => changes)];
    const jobs = orderedJobs.map((job) => ({ ...job, prepareRounds }));
    report(jobs, systems, await measureAll(jobs, systems, { clients: 1, seconds }, rounds), 1);
    const growthCase = (app: BenchApp, count: number) => ({
      size: 2 * count,
      url: `${service.origin}/api/v2/products?code=P${Math.floor(count / 2)}-1`,
      token: app.token,
    });
    const growthCases = [growthCase(small, sizes.small), growthCase(middle, sizes.middle), growthCase(shop, products)];
    await reportGrowth('look-up among variants', growthCases, LIMITS.growth, seconds);
  } finally {
    for (const system of systems) system.stop();
  }
}

const READ_LABELS = {
  lookUp: 'look-up by exact code',
  byName: 'list by name, first page of 10',
  search: 'search in names',
  everywhere: 'searchAll, a code',
};

function listOf(app: BenchApp, query: Readonly<Record<string, string>>) {
  const filter = parseProductFilter(query);
  const statement = productListStatement({ appId: app.id, decimals: 2, filter, orderBy: undefined, page: PAGE });
  return { statement, query: new URLSearchParams({ ...query, limit: String(PAGE.limit) }).toString() };
}

async function loadProducts(origin: string, app: BenchApp, products: number): Promise<void> {
  const base = `${origin}/api/v2`;
  const address = { address_line_1: 'Put 1', city: 'Beograd', postcode: '11000', market_id: 1 };
  await call(`${base}/warehouse`, app.token, { warehouses: [{ code: 'MAIN', name: 'Main', ...address }] }, 'PUT');
  const startMs = performance.now();
  for (let firstIndex = 0; firstIndex < products; firstIndex += BATCH_SIZE) {
    const rows = Array.from({ length: Math.min(BATCH_SIZE, products - firstIndex) }, (_, index) =>
      productOf(firstIndex + index),
    );
    const { failed } = await call(`${base}/int/products`, app.token, { products: rows });
    if ((failed as unknown[]).length > 0) throw new Error('Products were refused');
  }
  const seconds = (performance.now() - startMs) / 1_000;
  print(`- ${products} products: ${seconds.toFixed(1)} s`);
}

/** Counts stock of every product, which creates all shelves. No measured call then has to insert one. */
async function loadStock(origin: string, app: BenchApp, products: number): Promise<void> {
  for (let firstIndex = 0; firstIndex < products; firstIndex += BATCH_SIZE) {
    const rows = Array.from({ length: Math.min(BATCH_SIZE, products - firstIndex) }, (_, index) =>
      stockOf(firstIndex + index),
    );
    const { failed } = await call(`${origin}/api/v2/int/stocks`, app.token, { stocks: rows }, 'PUT');
    if ((failed as unknown[]).length > 0) throw new Error('Stock was refused');
  }
}

function stockOf(index: number) {
  return { code: `P${index}-1`, warehouse_code: 'MAIN', qty: 1 };
}

function productOf(index: number, code = `P${index}`) {
  const variants = [{ code: `${code}-1`, barcode: `0${code}`.padStart(13, '0') }, { code: `${code}-2` }];
  return { code, name: `${NAMES[index % NAMES.length]} ${index}`, price: 100 + (index % 900), vat_rate: 20, variants };
}

/** A bulk call: the body for the service and the rows for the floor's statement. */
interface BulkCall {
  readonly label?: string;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly key: string;
  readonly rowsOf: () => unknown[];
  readonly bodyOf: (rows: unknown[]) => unknown;
  readonly changes?: boolean;
}

interface BulkJob extends Job {
  readonly changes: boolean;
}

/** `rows` is the number of variants. Each product has two variants, so a call has half as many products. */
function bulkJobs(service: System, shop: BenchApp, floorApp: BenchApp, products: number, rows: number): BulkJob[] {
  let callCount = 0;
  const productsFrom = (start: number) => Array.from({ length: rows / 2 }, (_, index) => productOf(start + index));
  const existingProducts = () => productsFrom(randomInt(Math.max(products - rows / 2, 1)));
  const randomPrice = () => randomInt(100_000);
  const repricedProducts = () =>
    existingProducts().map((product) => ({
      ...product,
      price: randomPrice(),
      variants: product.variants.map((variant) => ({ ...variant, price: randomPrice() })),
    }));
  const newProducts = () => {
    callCount += 1;
    return Array.from({ length: rows / 2 }, (_, index) =>
      productOf(index, `N${rows}-${callCount}-${process.hrtime.bigint()}-${index}`),
    );
  };
  const adjustments = () => Array.from({ length: rows }, () => stockOf(randomInt(products)));
  // Each shelf occurs at most once in a call.
  const stockCounts = () => {
    const start = randomInt(Math.max(products - rows, 1));
    const shelves = Array.from({ length: Math.min(rows, products) }, (_, index) => `P${start + index}-1`);
    return shelves.map((sku) => ({ sku, warehouse_code: 'MAIN', qty: randomInt(1_000_000) }));
  };
  const job = ({ label = '', method, path, key, rowsOf, bodyOf, changes = false }: BulkCall): BulkJob => ({
    changes,
    name: `${method} ${path}${label}, ${rows} rows a call`,
    minRatio: LIMITS.bulk,
    unit: rows,
    measure: (system, load) =>
      loadWithFlows(async () => {
        if (system === service) await call(`${system.origin}/api/v2${path}`, shop.token, bodyOf(rowsOf()), method);
        else await call(`${system.origin}/${key}`, floorApp.token, [floorApp.id, JSON.stringify(rowsOf())]);
      }, load),
  });
  const productCall = {
    method: 'POST',
    path: '/int/products',
    bodyOf: (list: unknown[]) => ({ products: list }),
  } as const;
  return [
    job({ ...productCall, label: ', new', key: 'created', rowsOf: newProducts }),
    job({
      ...productCall,
      label: ', unchanged (the floors write them again)',
      key: 'updated',
      rowsOf: existingProducts,
    }),
    job({ ...productCall, label: ', other prices', key: 'updated', rowsOf: repricedProducts, changes: true }),
    job({
      method: 'PUT',
      path: '/int/stocks',
      key: 'stocks',
      rowsOf: adjustments,
      bodyOf: (stocks) => ({ stocks }),
    }),
    job({
      method: 'POST',
      path: '/stock/reconcile',
      key: 'reconciled',
      rowsOf: stockCounts,
      bodyOf: (list) => ({ warehouse_code: 'MAIN', products: list }),
    }),
  ];
}
