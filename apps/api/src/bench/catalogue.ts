import pg from 'pg';
import { randomInt } from 'node:crypto';
import { parseProductFilter } from '../catalogue/product-filter.js';
import { productListStatement, productLookUpStatement } from '@back-office/database-postgres';
import { FLOOR_CATALOGUE } from './catalogue-floor.query.js';
import { call, flowsWith, loadWith } from './load.js';
import { makeApps } from '../runtime/with-apps.js';
import { measureAll, print, report, reportGrowth, sizesBelow, type BenchApp, type Job } from './measure.js';
import { startFloor, startServiceProcess, type System } from './systems.js';

export interface CatalogueOptions {
  readonly products: number;
  readonly seconds: number;
  readonly rounds: number;
}

const CLIENTS = 16;
const POOL = 10;
const AT_ONCE = 5_000;
const MUST = { lookUp: 0.6, list: 0.6, bulk: 0.5, growth: 1.5 };
const PLACES = { offset: 0, limit: 10 };

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

/** Loads a catalogue through the API, then measures look-ups, searches and bulk writes against the bare limits. */
export async function benchCatalogue(url: string, { products, seconds, rounds }: CatalogueOptions): Promise<void> {
  const [shop, bare, small, middle] = await makeApps({ DATABASE_URL: url }, ['shop', 'bare', 'small', 'middle']);
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
  const task = { url, poolSize: POOL, statements };
  const service = await startServiceProcess(url);
  const systems: System[] = [
    await startFloor('floor', { ...task, kind: 'node' }),
    await startFloor('Express floor', { ...task, kind: 'express' }),
    service,
  ];
  try {
    const sizes = sizesBelow(products);
    for (const [app, count] of [
      [shop, products],
      [bare, products],
      [small, sizes.small],
      [middle, sizes.middle],
    ] as const) {
      await load(service.origin, app, count);
      await stockUp(service.origin, app, count);
    }
    await analyze(url);
    const reads = Object.entries(lists).map(([key, { query }]): Job => {
      const measure: Job['measure'] = (system, pace) =>
        loadWith(system.origin + (system === service ? `/api/v2/products?${query}` : `/${key}`), shop.token, pace);
      return { name: READS[key as keyof typeof READS], must: key === 'lookUp' ? MUST.lookUp : MUST.list, measure };
    });
    report(reads, systems, await measureAll(reads, systems, { clients: CLIENTS, seconds }, rounds), CLIENTS);
    // Autovacuum would do this within a minute; the statistics are stale after the earlier jobs.
    const settle = (): Promise<void> => analyze(url);
    const writes = [1_000, 10_000].flatMap((rows) => bulkJobs(service, shop, bare, products, rows));
    // Calls that change records come last.
    const ordered = [...writes.filter(({ changes }) => !changes), ...writes.filter(({ changes }) => changes)];
    const jobs = ordered.map((job) => ({ ...job, settle }));
    report(jobs, systems, await measureAll(jobs, systems, { clients: 1, seconds }, rounds), 1);
    const ask = (app: BenchApp, count: number) => ({
      size: 2 * count,
      url: `${service.origin}/api/v2/products?code=P${Math.floor(count / 2)}-1`,
      token: app.token,
    });
    const questions = [ask(small, sizes.small), ask(middle, sizes.middle), ask(shop, products)];
    await reportGrowth('look-up among variants', questions, MUST.growth, seconds);
  } finally {
    for (const system of systems) system.stop();
  }
}

const READS = {
  lookUp: 'look-up by exact code',
  byName: 'list by name, first page of 10',
  search: 'search in names',
  everywhere: 'searchAll, a code',
};

function listOf(app: BenchApp, query: Readonly<Record<string, string>>) {
  const filter = parseProductFilter(query);
  const statement = productListStatement({ appId: app.id, decimals: 2, filter, orderBy: undefined, page: PLACES });
  return { statement, query: new URLSearchParams({ ...query, limit: String(PLACES.limit) }).toString() };
}

async function load(origin: string, app: BenchApp, products: number): Promise<void> {
  const base = `${origin}/api/v2`;
  const address = { address_line_1: 'Put 1', city: 'Beograd', postcode: '11000', market_id: 1 };
  await call(`${base}/warehouse`, app.token, { warehouses: [{ code: 'MAIN', name: 'Main', ...address }] }, 'PUT');
  const started = performance.now();
  for (let first = 0; first < products; first += AT_ONCE) {
    const rows = Array.from({ length: Math.min(AT_ONCE, products - first) }, (_, index) => productOf(first + index));
    const { failed } = await call(`${base}/int/products`, app.token, { products: rows });
    if ((failed as unknown[]).length > 0) throw new Error('Products were refused');
  }
  const seconds = (performance.now() - started) / 1_000;
  print(`- ${products} products loaded through POST /int/products in ${seconds.toFixed(1)} s`);
}

/** Creates the rows first, or the first measured system would create them for the others. */
async function stockUp(origin: string, app: BenchApp, products: number): Promise<void> {
  for (let first = 0; first < products; first += AT_ONCE) {
    const rows = Array.from({ length: Math.min(AT_ONCE, products - first) }, (_, index) => stockOf(first + index));
    const { failed } = await call(`${origin}/api/v2/int/stocks`, app.token, { stocks: rows }, 'PUT');
    if ((failed as unknown[]).length > 0) throw new Error('Stock was refused');
  }
}

function stockOf(n: number) {
  return { code: `P${n}-1`, warehouse_code: 'MAIN', qty: 1 };
}

function productOf(n: number, code = `P${n}`) {
  const variants = [{ code: `${code}-1`, barcode: `0${code}`.padStart(13, '0') }, { code: `${code}-2` }];
  return { code, name: `${NAMES[n % NAMES.length]} ${n}`, price: 100 + (n % 900), vat_rate: 20, variants };
}

/** One bulk call: the body for the service, the rows for the floor's statement. */
interface BulkCall {
  readonly what?: string;
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

/** Each product has two variants, so a call has half as many products as rows. */
function bulkJobs(service: System, shop: BenchApp, bare: BenchApp, products: number, rows: number): BulkJob[] {
  let next = 0;
  const some = (from: number) => Array.from({ length: rows / 2 }, (_, index) => productOf(from + index));
  const known = () => some(randomInt(Math.max(products - rows / 2, 1)));
  const price = () => randomInt(100_000);
  const changed = () =>
    known().map((each) => ({
      ...each,
      price: price(),
      variants: each.variants.map((one) => ({ ...one, price: price() })),
    }));
  const fresh = () => {
    next += 1;
    return Array.from({ length: rows / 2 }, (_, index) =>
      productOf(index, `N${rows}-${next}-${process.hrtime.bigint()}-${index}`),
    );
  };
  const counted = () => Array.from({ length: rows }, () => stockOf(randomInt(products)));
  // Each call counts other shelves, none of them twice.
  const recounted = () => {
    const from = randomInt(Math.max(products - rows, 1));
    const shelves = Array.from({ length: Math.min(rows, products) }, (_, index) => `P${from + index}-1`);
    return shelves.map((sku) => ({ sku, warehouse_code: 'MAIN', qty: randomInt(1_000_000) }));
  };
  const job = ({ what = '', method, path, key, rowsOf, bodyOf, changes = false }: BulkCall): BulkJob => ({
    changes,
    name: `${method} ${path}${what}, ${rows} rows a call`,
    must: MUST.bulk,
    unit: rows,
    measure: (system, pace) =>
      flowsWith(async () => {
        if (system === service) await call(`${system.origin}/api/v2${path}`, shop.token, bodyOf(rowsOf()), method);
        else await call(`${system.origin}/${key}`, bare.token, [bare.id, JSON.stringify(rowsOf())]);
      }, pace),
  });
  const ofProducts = {
    method: 'POST',
    path: '/int/products',
    bodyOf: (all: unknown[]) => ({ products: all }),
  } as const;
  return [
    job({ ...ofProducts, what: ', new', key: 'created', rowsOf: fresh }),
    job({ ...ofProducts, what: ', as they are (the floors write them again)', key: 'updated', rowsOf: known }),
    job({ ...ofProducts, what: ', other prices', key: 'updated', rowsOf: changed, changes: true }),
    job({
      method: 'PUT',
      path: '/int/stocks',
      key: 'stocks',
      rowsOf: counted,
      bodyOf: (stocks) => ({ stocks }),
    }),
    job({
      method: 'POST',
      path: '/stock/reconcile',
      key: 'reconciled',
      rowsOf: recounted,
      bodyOf: (all) => ({ warehouse_code: 'MAIN', products: all }),
    }),
  ];
}

async function analyze(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('vacuum (analyze)');
  await client.end();
}
