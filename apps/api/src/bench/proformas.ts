import pg from 'pg';
import { parseProformaFilter } from '../proformas/proforma-filter.js';
import { proformaListStatement } from '@back-office/database-postgres';
import { analyze, bankTransferIdOf } from './bench-database.js';
import { benchExpiry } from './expiry.js';
import { fillCatalogue, fillProformas } from './fill.query.js';
import { FLOOR_LIFECYCLE, FLOOR_LIFECYCLE_IDS } from './floor-statements.query.js';
import { LIFECYCLE_WARM_UP_SECONDS, runFloorLifecycle, runLifecycle } from './lifecycle.js';
import { loadWithFlows, loadWith, type Figure, type Load } from './load.js';
import { makeApps } from '../runtime/with-apps.js';
import { measureAll, print, report, reportGrowth, sizesBelow, type BenchApp, type Job } from './measure.js';
import { startFloor, startServiceProcess, type System } from './systems.js';

export interface BenchOptions {
  readonly rows: number;
  readonly seconds: number;
  readonly rounds: number;
  /** Number of proformas that the sweep expires. */
  readonly dueCount: number;
}

const VARIANT_COUNT = 2_000;
const CLIENT_COUNT = 16;
const POOL_SIZE = 10;
/** Minimum ratios to the Express floor, and the maximum growth of the latency. */
const LIMITS = { list: 0.7, lifecycle: 0.5, growth: 1.5 };

const LIFECYCLE = 'evaluation → create → pay → confirm → convert';
/** Prefix of the floor statements that return only an id. */
const ID_PREFIX = 'id-';

type Lists = Readonly<Record<'first' | 'paid' | 'deep', ReturnType<typeof listOf>>>;

/** Compares lists and the lifecycle of proformas with the floors of `floor.ts`. */
export async function benchProformas(url: string, { rows, seconds, rounds, dueCount }: BenchOptions): Promise<void> {
  const [large, middle, small, shop] = await makeApps({ DATABASE_URL: url }, ['large', 'middle', 'small', 'shop']);
  await fillApps(url, { large, middle, small, shop }, rows);
  const now = new Date();
  const lists = {
    first: listOf(large, {}, 0, now),
    paid: listOf(large, { status: 'paid,confirmed' }, 0, now),
    deep: listOf(large, {}, 40_000, now),
  };
  const task = {
    url,
    poolSize: POOL_SIZE,
    statements: {
      ...Object.fromEntries(Object.entries(lists).map(([name, { statement }]) => [name, statement])),
      ...withPrefix('', FLOOR_LIFECYCLE),
      ...withPrefix(ID_PREFIX, FLOOR_LIFECYCLE_IDS),
    },
  };
  const systems = [
    await startFloor('floor', { ...task, kind: 'node' }),
    await startFloor('Express floor', { ...task, kind: 'express' }),
    await startServiceProcess(url),
  ];
  const bankTransferId = await bankTransferIdOf(url, shop);
  const jobs: Job[] = [
    listJob('list, first page of 30', 'first', lists, large.token),
    listJob('list, two statuses', 'paid', lists, large.token),
    listJob('list, offset 40,000', 'deep', lists, large.token),
    {
      ...lifecycleJob('', shop, bankTransferId),
      name: LIFECYCLE,
      minRatio: LIMITS.lifecycle,
      // Without `analyze`, the floors would run with plans for empty tables until autovacuum starts after a minute.
      prepareRounds: () => analyze(url),
    },
    { ...lifecycleJob(ID_PREFIX, shop, bankTransferId), name: `${LIFECYCLE}; the floors return only an id` },
  ];
  try {
    const figures = await measureAll(jobs, systems, { clients: CLIENT_COUNT, seconds }, rounds);
    report(jobs, systems, figures, CLIENT_COUNT);
    const { origin } = systems[2] as System;
    const pageUrl = `${origin}/api/v2/proforma_orders?limit=30`;
    const sizes = [
      { size: sizesBelow(rows).small, url: pageUrl, token: small.token },
      { size: sizesBelow(rows).middle, url: pageUrl, token: middle.token },
      { size: rows, url: pageUrl, token: large.token },
    ];
    await reportGrowth('first page of proformas', sizes, LIMITS.growth, seconds);
    await benchExpiry({ url, appId: shop.id, requestUrl: pageUrl, token: large.token, count: dueCount });
  } finally {
    for (const system of systems) system.stop();
  }
}

async function fillApps(
  url: string,
  { large, middle, small, shop }: Readonly<Record<'large' | 'middle' | 'small' | 'shop', BenchApp>>,
  rows: number,
): Promise<void> {
  const startMs = performance.now();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { middle: middleCount, small: smallCount } = sizesBelow(rows);
  await fillProformas(client, small.id, smallCount, new Date());
  await fillProformas(client, middle.id, middleCount, new Date());
  await fillProformas(client, large.id, rows, new Date());
  await fillCatalogue(client, shop.id, VARIANT_COUNT);
  await client.query('vacuum (analyze)');
  await client.end();
  print(
    `${rows}, ${middleCount} and ${smallCount} proformas in three apps, created in ${Math.round((performance.now() - startMs) / 1_000)} s\n`,
  );
}

function listOf(app: BenchApp, query: Readonly<Record<string, string>>, offset: number, now: Date) {
  const context = { id: app.id, decimals: 2, currency: 'RSD' };
  const statement = proformaListStatement(
    context,
    parseProformaFilter(query, now),
    undefined,
    { offset, limit: 30 },
    now,
  );
  const searchParams = new URLSearchParams({ ...query, offset: String(offset), limit: '30' });
  return { statement, path: `/api/v2/proforma_orders?${searchParams.toString()}` };
}

function listJob(name: string, key: keyof Lists, lists: Lists, token: string): Job {
  const list = lists[key];
  const measure = (system: System, load: Load): Promise<Figure> =>
    loadWith(system.origin + (system.name === 'service' ? list.path : `/${key}`), token, load);
  return { name, minRatio: LIMITS.list, measure };
}

function withPrefix(prefix: string, texts: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [prefix + name, { text }]));
}

/** `prefix` selects whether the floor returns full records or only ids. */
function lifecycleJob(prefix: string, shop: BenchApp, bankTransferId: number): Pick<Job, 'measure' | 'warmUpSeconds'> {
  const options = { variantCount: VARIANT_COUNT, bankTransferId };
  const runOnce = ({ name, origin }: System): Promise<void> =>
    name === 'service' ? runLifecycle(origin, shop, options) : runFloorLifecycle(`${origin}/${prefix}`, shop, options);
  return {
    measure: (system, load) => loadWithFlows(() => runOnce(system), load),
    warmUpSeconds: LIFECYCLE_WARM_UP_SECONDS,
  };
}
