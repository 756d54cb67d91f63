import { randomInt } from 'node:crypto';
import pg from 'pg';
import { makeApps } from '../runtime/with-apps.js';
import { analyze, bankTransferIdOf, runQuery } from './bench-database.js';
import { fillCatalogue, fillLines, fillProformas } from './fill.query.js';
import { LIFECYCLE_WARM_UP_SECONDS, runFloorLifecycle, runLifecycle } from './lifecycle.js';
import { call, loadWithFlows, median } from './load.js';
import { startMessageProxy } from './message-proxy.js';
import { measureAll, print, type BenchApp, type CostedFigure, type Job } from './measure.js';
import { explainStatements } from './statements.js';
import { SHOP_FLOOR } from './shop-floor.query.js';
import { costMeter, type Cost } from './system-cost.js';
import { startFloor, startNaiveService, startServiceProcess, type System } from './systems.js';

export interface ShopOptions {
  readonly seconds: number;
  readonly rounds: number;
  /** Measures only jobs whose name contains this text. */
  readonly only: string;
}

const SIZES = { variants: 20_000, proformas: 50_000, linesOfEach: 3, bulkRows: 1_000, bulkProducts: 200 };
const WAREHOUSES = ['MAIN', 'SHOP'];
const CLIENT_COUNT = 16;
const POOL_SIZE = 10;
const WARM_UP_SECONDS = 8;
const COUNTED_LIFECYCLES = 20;
const EXPLAINED_LIFECYCLES = 100;
/** Types of the messages that execute a statement. */
const EXECUTED_STATEMENT = /^[EQ]$/;
const NAIVE = 'naive TypeORM service';

/** The same work as a call of the service, and as a statement of `SHOP_FLOOR` on the other servers. */
interface ShopJob {
  readonly name: string;
  /** Maximum ratio of the bare server's throughput to the service's. */
  readonly maxTimes: number;
  readonly unit?: number;
  readonly onService: (origin: string) => Promise<unknown>;
  readonly onFloor: (origin: string) => Promise<unknown>;
  readonly runsNaively?: boolean;
  /** `WARM_UP_SECONDS` by default. */
  readonly warmUpSeconds?: number;
}

/** Prints what PostgreSQL does for each statement of a lifecycle, on the service and on the bare server. */
export async function benchStatements(url: string): Promise<void> {
  const [shop] = await makeApps({ DATABASE_URL: url }, ['shop']);
  await fillShop(url, shop);
  const options = { variantCount: SIZES.variants, bankTransferId: await bankTransferIdOf(url, shop) };
  print('\nThe service:');
  await explainStatements(url, EXPLAINED_LIFECYCLES, async (proxyUrl) => {
    const service = await startServiceProcess(proxyUrl, { WORKER: 'off' });
    return { run: () => runLifecycle(service.origin, shop, options), stop: () => service.stop() };
  });
  print('\nThe bare server:');
  await explainStatements(url, EXPLAINED_LIFECYCLES, async (proxyUrl) => {
    const server = await startBareServer(proxyUrl);
    return { run: () => runFloorLifecycle(`${server.origin}/`, shop, options), stop: () => server.stop() };
  });
}

/**
 * Compares the service with three other servers on the records of one shop: a bare server, the same server with Express,
 * and a naive service.
 */
export async function benchShop(url: string, { seconds, rounds, only }: ShopOptions): Promise<void> {
  const [shop] = await makeApps({ DATABASE_URL: url }, ['shop']);
  await fillShop(url, shop);
  const systems = [
    await startBareServer(url),
    await startFloor('the same with Express', { ...floorTask(url), kind: 'express' }),
    await startNaiveService(NAIVE, url, POOL_SIZE),
    await startServiceProcess(url, { WORKER: 'inline' }),
  ];
  const bankTransferId = await bankTransferIdOf(url, shop);
  try {
    const shopJobs = jobsOf(shop, bankTransferId).filter(({ name }) => name.includes(only));
    const jobs = shopJobs.map((job) => toJob(job, url));
    const load = { clients: CLIENT_COUNT, seconds };
    reportCosts(shopJobs, systems, await measureAll(jobs, systems, load, rounds, await costMeter(url)));
    for (const job of shopJobs) await countWal(url, job, systems);
    await countMessages(url, shop, bankTransferId);
  } finally {
    for (const system of systems) system.stop();
  }
}

function floorTask(url: string) {
  const statements = Object.fromEntries(Object.entries(SHOP_FLOOR).map(([name, text]) => [name, { text }]));
  return { url, poolSize: POOL_SIZE, statements };
}

function startBareServer(url: string): Promise<System> {
  return startFloor('bare server', { ...floorTask(url), kind: 'node' });
}

async function fillShop(url: string, shop: BenchApp): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await fillCatalogue(client, shop.id, SIZES.variants, WAREHOUSES);
  await fillProformas(client, shop.id, SIZES.proformas, new Date());
  await fillLines(client, shop.id, SIZES.linesOfEach);
  await client.query('vacuum (analyze)');
  await client.end();
  print(
    `One app: ${SIZES.variants} variants in two warehouses, ${SIZES.proformas} proformas of ${SIZES.linesOfEach} lines.`,
  );
}

function jobsOf(shop: BenchApp, bankTransferId: number): ShopJob[] {
  const { id: app, token } = shop;
  const options = { variantCount: SIZES.variants, bankTransferId };
  const get = (url: string): Promise<unknown> => call(url, token, undefined, 'GET');
  const codes = (prefix: string, count: number): string[] => {
    const start = randomInt(SIZES.variants - count);
    return Array.from({ length: count }, (_, index) => `${prefix}${start + index + 1}`);
  };
  const stockRows = () =>
    codes('P', SIZES.bulkRows).map((code) => ({ code, warehouse_code: 'SHOP', qty: randomInt(10) + 1 }));
  const bulk = (key: string, rows: unknown[]) => (origin: string) =>
    call(`${origin}/${key}`, token, [app, JSON.stringify(rows)]);
  const newProducts = () =>
    codes(`N${process.hrtime.bigint()}-`, SIZES.bulkProducts).map((code) => productOf(code, 100));
  const changedProducts = () => codes('P', SIZES.bulkProducts).map((code) => productOf(code, randomInt(1_000_000)));
  const bulkOnService = async (url: string, body: object, method: 'POST' | 'PUT'): Promise<void> => {
    const { failed } = await call(url, token, body, method);
    if ((failed as unknown[]).length > 0) throw new Error(`${url} refused rows: ${JSON.stringify(failed)}`);
  };
  const importTo = (origin: string, products: unknown[]) =>
    bulkOnService(`${origin}/api/v2/int/products`, { products }, 'POST');
  return [
    {
      name: 'evaluation → create → pay → confirm → convert',
      maxTimes: 3,
      onService: (origin) => runLifecycle(origin, shop, options),
      onFloor: (origin) => runFloorLifecycle(`${origin}/`, shop, options),
      runsNaively: true,
      warmUpSeconds: LIFECYCLE_WARM_UP_SECONDS,
    },
    {
      name: 'look-up by code',
      maxTimes: 2.4,
      onService: (origin) => get(`${origin}/api/v2/products?code=P${randomInt(SIZES.variants) + 1}`),
      onFloor: (origin) => call(`${origin}/lookUp`, token, [app, `P${randomInt(SIZES.variants) + 1}`]),
    },
    {
      name: 'first page of proformas',
      maxTimes: 1.8,
      onService: (origin) => get(`${origin}/api/v2/proforma_orders?limit=30`),
      onFloor: (origin) => call(`${origin}/firstPage`, token, [app]),
    },
    {
      name: `PUT /int/stocks, ${SIZES.bulkRows} rows a call`,
      maxTimes: 1.5,
      unit: SIZES.bulkRows,
      onService: (origin) => bulkOnService(`${origin}/api/v2/int/stocks`, { stocks: stockRows() }, 'PUT'),
      onFloor: (origin) => bulk('stocks', stockRows())(origin),
    },
    {
      name: `POST /int/products, ${SIZES.bulkProducts} new`,
      maxTimes: 1.5,
      unit: SIZES.bulkProducts,
      onService: (origin) => importTo(origin, newProducts()),
      onFloor: (origin) => bulk('created', newProducts())(origin),
    },
    {
      name: `POST /int/products, ${SIZES.bulkProducts} changed`,
      maxTimes: 1.5,
      unit: SIZES.bulkProducts,
      onService: (origin) => importTo(origin, changedProducts()),
      onFloor: (origin) => bulk('updated', changedProducts())(origin),
    },
  ];
}

function productOf(code: string, price: number) {
  const isNew = code.startsWith('N');
  const variants = isNew ? [{ code: `${code}-1` }, { code: `${code}-2` }] : [{ code }];
  return { code, name: `Product ${code}`, price, vat_rate: 20, variants };
}

function toJob(job: ShopJob, url: string): Job {
  const { name, unit = 1, warmUpSeconds = WARM_UP_SECONDS, runsNaively = false, onService, onFloor } = job;
  return {
    name,
    unit,
    warmUpSeconds,
    runsOn: (system) => runsNaively || system.name !== NAIVE,
    measure: ({ name: system, origin }, load) =>
      loadWithFlows(async () => void (await (system === 'service' ? onService(origin) : onFloor(origin))), {
        ...load,
        // Bulk calls of one shop arrive one after the other.
        clients: unit > 1 ? 1 : load.clients,
      }),
    prepareRounds: () => analyze(url),
  };
}

function reportCosts(
  jobs: readonly ShopJob[],
  systems: readonly System[],
  figures: ReadonlyMap<string, readonly CostedFigure[]>,
): void {
  print(
    '\n| work | server | per second | times slower than bare | must | CPU of the process | CPU of the database | writes |',
  );
  print('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const { name, maxTimes, unit = 1 } of jobs) {
    const rateOf = (system: string): number =>
      median((figures.get(`${name}/${system}`) ?? []).map(({ perSecond }) => perSecond));
    const bareRate = rateOf('bare server');
    for (const { name: system } of systems) {
      const measured = figures.get(`${name}/${system}`);
      if (measured === undefined) continue;
      const costOf = (key: keyof Cost): number => median(measured.map(({ cost }) => cost?.[key] ?? 0));
      const times = bareRate / rateOf(system);
      const must = system === 'service' ? `≤ ${maxTimes}` : '';
      const costs = `${costOf('processMs').toFixed(2)} ms | ${costOf('databaseMs').toFixed(2)} ms | ${costOf('writes').toFixed(1)}`;
      print(
        `| ${name} | ${system} | ${Math.round(rateOf(system) * unit)} | ${times.toFixed(2)} | ${must} | ${costs} |`,
      );
      if (system === 'service' && times > maxTimes) process.exitCode = 1;
    }
  }
}

/** Prints how much WAL the same work writes on each server. */
async function countWal(
  url: string,
  { name, runsNaively = false, onService, onFloor }: ShopJob,
  systems: readonly System[],
): Promise<void> {
  const parts: string[] = [];
  for (const system of systems.filter((candidate) => runsNaively || candidate.name !== NAIVE)) {
    const run = () => (system.name === 'service' ? onService(system.origin) : onFloor(system.origin));
    // After a checkpoint, the first change of each page is much larger.
    for (let count = 0; count < COUNTED_LIFECYCLES; count += 1) await run();
    const start = await walPosition(url);
    for (let count = 0; count < COUNTED_LIFECYCLES; count += 1) await run();
    const bytes = Number((await walPosition(url)) - start) / COUNTED_LIFECYCLES;
    parts.push(`${system.name} ${(bytes / 1_000).toFixed(1)} kB`);
  }
  print(`\nWAL of ${name}: ${parts.join(', ')}.`);
}

async function walPosition(url: string): Promise<bigint> {
  const [row] = await runQuery<{ bytes: string }>(url, `select pg_current_wal_insert_lsn() - '0/0' as bytes`);
  return BigInt(row?.bytes ?? 0);
}

async function countMessages(url: string, shop: BenchApp, bankTransferId: number): Promise<void> {
  const counts = { statements: 0, writes: 0 };
  const proxy = await startMessageProxy(url, {
    onRequest: (type) => {
      if (EXECUTED_STATEMENT.test(type)) counts.statements += 1;
    },
    onWrite: () => (counts.writes += 1),
  });
  const service = await startServiceProcess(proxy.url, { WORKER: 'off' });
  try {
    const options = { variantCount: SIZES.variants, bankTransferId };
    await runLifecycle(service.origin, shop, options);
    const before = { ...counts };
    for (let run = 0; run < COUNTED_LIFECYCLES; run += 1) await runLifecycle(service.origin, shop, options);
    const mean = (key: keyof typeof before): string => ((counts[key] - before[key]) / COUNTED_LIFECYCLES).toFixed(1);
    print(`\nA lifecycle sends ${mean('statements')} statements (BEGIN and COMMIT count) in ${mean('writes')} writes.`);
  } finally {
    service.stop();
    proxy.stop();
  }
}
