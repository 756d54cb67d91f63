import pg from 'pg';
import { makeApps, type NewApp } from '../../apps/api/src/runtime/with-apps.js';
import { fillCatalogue, fillLines, fillProformas } from '../../apps/api/src/testing/fill.query.js';
import { runFloorLifecycle, runLifecycle } from './lifecycle.js';
import { call, measureRate, median, print, type Load } from './load.js';
import { costBetween, costMeter, type Cost } from './system-cost.js';
import { startFloor, startNaiveService, startServiceProcess, type System } from './systems.js';

interface ShopOptions {
  readonly seconds: number;
  readonly rounds: number;
  /** Measures only jobs whose name contains this text. */
  readonly only: string;
}

const SIZES = { variants: 20_000, proformas: 50_000, linesOfEach: 3 };
const WAREHOUSES = ['MAIN', 'SHOP'];
const CLIENT_COUNT = 16;
const POOL_SIZE = 10;

/** The same work as a call of the service, and as statements of the other servers. */
interface Job {
  readonly name: string;
  /** Maximum ratio of the bare server's throughput to the service's. */
  readonly maxTimes: number;
  readonly onService: (origin: string) => Promise<unknown>;
  readonly onFloor: (origin: string) => Promise<unknown>;
  readonly runsNaively: boolean;
  readonly warmUpSeconds: number;
}

interface Measured {
  readonly perSecond: number;
  readonly cost: Cost;
}

/** Compares the service with a bare server and a naive service on the records of one shop. */
export async function benchShop(url: string, { only, rounds, seconds }: ShopOptions): Promise<void> {
  const [shop] = await makeApps({ DATABASE_URL: url }, ['shop']);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const jobs = jobsOf(shop, await bankTransferIdOf(client, shop)).filter(({ name }) => name.includes(only));
  if (jobs.length === 0) return client.end();
  await fillShop(client, shop);
  const systems = [
    await startFloor(url, POOL_SIZE),
    await startNaiveService(url, POOL_SIZE),
    await startServiceProcess(url, {}),
  ];
  try {
    const readCost = await costMeter(url);
    print(
      '\n| work | server | per second | times slower than bare | must | CPU of the process | CPU of the database |',
    );
    print('| --- | --- | --- | --- | --- | --- | --- |');
    for (const job of jobs) {
      const runners = systems.filter(({ name }) => job.runsNaively || name !== 'naive service');
      const warmUp = { clients: CLIENT_COUNT, seconds: Math.max(seconds, job.warmUpSeconds) };
      for (const system of runners) await measureRate(() => runOn(system, job), warmUp);
      await client.query('vacuum (analyze)');
      report(job, await measureRounds(job, runners, rounds, { clients: CLIENT_COUNT, seconds }, readCost));
    }
  } finally {
    for (const system of systems) system.stop();
    await client.end();
  }
}

async function fillShop(client: pg.Client, shop: NewApp): Promise<void> {
  await fillCatalogue(client, shop.id, SIZES.variants, WAREHOUSES);
  await fillProformas(client, shop.id, SIZES.proformas, new Date());
  await fillLines(client, shop.id, SIZES.linesOfEach);
  await client.query('vacuum (analyze)');
  print(
    `One app: ${SIZES.variants} variants in two warehouses, ${SIZES.proformas} proformas of ${SIZES.linesOfEach} lines.`,
  );
}

async function bankTransferIdOf(client: pg.Client, { id }: NewApp): Promise<number> {
  const text = `select id from payment_methods where app_id = $1 and kind = 'bank_transfer'`;
  const { rows } = await client.query<{ id: string }>(text, [id]);
  return Number(rows[0]?.id);
}

function jobsOf(shop: NewApp, bankTransferId: number): Job[] {
  const options = { variantCount: SIZES.variants, bankTransferId };
  return [
    {
      name: 'lifecycle: evaluation → create → pay → confirm → convert',
      maxTimes: 3,
      onService: (origin) => runLifecycle(origin, shop, options),
      onFloor: (origin) => runFloorLifecycle(origin, shop, options),
      runsNaively: true,
      // A service that runs all day is warm: V8 optimizes its code for a lifecycle only after many of them.
      warmUpSeconds: 30,
    },
    {
      name: 'first page of proformas',
      maxTimes: 3,
      onService: (origin) => call(`${origin}/api/v2/proforma_orders?limit=30`, shop.token, undefined, 'GET'),
      onFloor: (origin) => call(`${origin}/firstPage`, shop.token, [shop.id]),
      runsNaively: false,
      warmUpSeconds: 8,
    },
  ];
}

function runOn({ name, origin }: System, { onService, onFloor }: Job): Promise<unknown> {
  return name === 'service' ? onService(origin) : onFloor(origin);
}

async function measureRounds(
  job: Job,
  systems: readonly System[],
  rounds: number,
  load: Load,
  readCost: (pid: number) => Cost,
): Promise<Map<System, Measured[]>> {
  const measured = new Map(systems.map((system) => [system, [] as Measured[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [system, figures] of measured) {
      const start = readCost(system.pid);
      const startMs = performance.now();
      const perSecond = await measureRate(() => runOn(system, job), load);
      const runs = perSecond * ((performance.now() - startMs) / 1_000);
      figures.push({ perSecond, cost: costBetween(start, readCost(system.pid), runs) });
    }
  }
  return measured;
}

function report({ name, maxTimes }: Job, measured: ReadonlyMap<System, readonly Measured[]>): void {
  let bareRate: number | undefined;
  for (const [system, figures] of measured) {
    const rate = median(figures.map(({ perSecond }) => perSecond));
    // The bare server comes first.
    bareRate ??= rate;
    const times = bareRate / rate;
    const must = system.name === 'service' ? `≤ ${maxTimes}` : '';
    const msOf = (key: keyof Cost): string => `${median(figures.map(({ cost }) => cost[key])).toFixed(2)} ms`;
    const costs = `${msOf('processMs')} | ${msOf('databaseMs')}`;
    print(`| ${name} | ${system.name} | ${Math.round(rate)} | ${times.toFixed(2)} | ${must} | ${costs} |`);
    if (system.name === 'service' && times > maxTimes) process.exitCode = 1;
  }
}
