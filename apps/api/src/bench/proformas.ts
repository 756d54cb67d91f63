import pg from 'pg';
import { randomInt } from 'node:crypto';
import { parseProformaFilter } from '../proformas/proforma-filter.js';
import { proformaListStatement } from '@back-office/database-postgres';
import { benchExpiry } from './expiry.js';
import { fillCatalogue, fillProformas } from './fill.query.js';
import { FLOOR_LIFECYCLE, FLOOR_LIFECYCLE_IDS } from './floor-statements.query.js';
import { call, flowsWith, loadWith, type Figure, type Load } from './load.js';
import { makeApps } from '../runtime/with-apps.js';
import { measureAll, print, report, reportGrowth, sizesBelow, type BenchApp, type Job } from './measure.js';
import { startFloor, startServiceProcess, type System } from './systems.js';

export interface BenchOptions {
  readonly rows: number;
  readonly seconds: number;
  readonly rounds: number;
  /** Proformas that the sweep expires. */
  readonly due: number;
}

const VARIANTS = 2_000;
const CLIENTS = 16;
const POOL = 10;
/** Minimum ratios to the Express floor. */
const MUST = { list: 0.7, lifecycle: 0.5, growth: 1.5 };

const LIFECYCLE = 'evaluation → create → pay → confirm → convert';
/** Prefix of the floor statements that answer only an id. */
const IDS = 'id-';

type Lists = Readonly<Record<'first' | 'paid' | 'deep', ReturnType<typeof listOf>>>;

/** Compares lists and the lifecycle of proformas with the floors, in rounds over all systems. */
export async function benchProformas(url: string, { rows, seconds, rounds, due }: BenchOptions): Promise<void> {
  const [large, middle, small, shop] = await makeApps({ DATABASE_URL: url }, ['large', 'middle', 'small', 'shop']);
  await fill(url, { large, middle, small, shop }, rows);
  const now = new Date();
  const lists = {
    first: listOf(large, {}, 0, now),
    paid: listOf(large, { status: 'paid,confirmed' }, 0, now),
    deep: listOf(large, {}, 40_000, now),
  };
  const task = {
    url,
    poolSize: POOL,
    statements: {
      ...Object.fromEntries(Object.entries(lists).map(([name, { statement }]) => [name, statement])),
      ...named('', FLOOR_LIFECYCLE),
      ...named(IDS, FLOOR_LIFECYCLE_IDS),
    },
  };
  const systems = [
    await startFloor('floor', { ...task, kind: 'node' }),
    await startFloor('Express floor', { ...task, kind: 'express' }),
    await startServiceProcess(url),
  ];
  const bank = await bankOf(url, shop);
  const jobs: Job[] = [
    listJob('list, first page of 30', 'first', lists, large.token),
    listJob('list, two statuses', 'paid', lists, large.token),
    listJob('list, offset 40,000', 'deep', lists, large.token),
    {
      ...lifecycleJob('', shop, bank),
      name: LIFECYCLE,
      must: MUST.lifecycle,
      // Autovacuum would do this within a minute; until then the floors plan for empty tables.
      settle: async () => void (await ask(url, 'analyze')),
    },
    { ...lifecycleJob(IDS, shop, bank), name: `${LIFECYCLE}; floors answer an id` },
  ];
  try {
    const figures = await measureAll(jobs, systems, { clients: CLIENTS, seconds }, rounds);
    report(jobs, systems, figures, CLIENTS);
    const { origin } = systems[2] as System;
    const url30 = `${origin}/api/v2/proforma_orders?limit=30`;
    const sizes = [
      { size: sizesBelow(rows).small, url: url30, token: small.token },
      { size: sizesBelow(rows).middle, url: url30, token: middle.token },
      { size: rows, url: url30, token: large.token },
    ];
    await reportGrowth('first page of proformas', sizes, MUST.growth, seconds);
    await benchExpiry({ url, appId: shop.id, path: url30, token: large.token, count: due });
  } finally {
    for (const system of systems) system.stop();
  }
}

async function fill(
  url: string,
  { large, middle, small, shop }: Readonly<Record<'large' | 'middle' | 'small' | 'shop', BenchApp>>,
  rows: number,
): Promise<void> {
  const started = performance.now();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { middle: some, small: few } = sizesBelow(rows);
  await fillProformas(client, small.id, few, new Date());
  await fillProformas(client, middle.id, some, new Date());
  await fillProformas(client, large.id, rows, new Date());
  await fillCatalogue(client, shop.id, VARIANTS);
  await client.query('vacuum (analyze)');
  await client.end();
  print(
    `${rows}, ${some} and ${few} proformas in three apps, filled in ${Math.round((performance.now() - started) / 1_000)} s\n`,
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
  const asked = new URLSearchParams({ ...query, offset: String(offset), limit: '30' });
  return { statement, path: `/api/v2/proforma_orders?${asked.toString()}` };
}

function listJob(name: string, key: keyof Lists, lists: Lists, token: string): Job {
  const list = lists[key];
  const measure = (system: System, load: Load): Promise<Figure> =>
    loadWith(system.origin + (system.name === 'service' ? list.path : `/${key}`), token, load);
  return { name, must: MUST.list, measure };
}

function named(prefix: string, texts: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [prefix + name, { text }]));
}

/** Calls the floor statements with this prefix. */
function lifecycleJob(prefix: string, shop: BenchApp, bank: number): Pick<Job, 'measure' | 'warmUp'> {
  const once = ({ name, origin }: System): Promise<void> =>
    name === 'service' ? flow(origin, shop, bank) : floorFlow(`${origin}/${prefix}`, shop);
  // Each call is slow and runs much code.
  return { measure: (system, load) => flowsWith(() => once(system), load), warmUp: 4 };
}

function basket(): string[] {
  return [...new Set(Array.from({ length: 3 }, () => `P${randomInt(VARIANTS) + 1}`))];
}

async function flow(origin: string, { token }: BenchApp, bank: number): Promise<void> {
  const base = `${origin}/api/v2`;
  const items = basket().map((code) => ({ code, qty: 1 }));
  const guest = { email: 'ana@example.com', first_name: 'Ana', last_name: 'Jović', phone: '1' };
  const address = { address_line_1: 'Bulevar 1', city: 'Novi Sad', postcode: '21000' };
  const order = { items, guest: { ...guest, ...address } };
  const { id: evaluation } = await call(`${base}/order_processings`, token, { order_processing: order });
  const { id } = await call(`${base}/proforma_orders`, token, { order_processing_id: evaluation });
  const path = `${base}/proforma_orders/${String(id)}`;
  await call(`${path}/pay`, token, { payment: { payment_method_id: bank, amount: 0 } });
  await call(`${path}/warehouse_confirm`, token, {});
  await call(`${path}/convert`, token, {});
}

/** Sequential numbers for the floors, which cannot draw again on a conflict. */
let floorFlows = 0;
async function floorFlow(base: string, { id: app, token }: BenchApp): Promise<void> {
  const { id: evaluation } = await call(`${base}evaluate`, token, [app, basket()]);
  floorFlows += 1;
  const { id } = await call(`${base}create`, token, [app, evaluation, `F-${floorFlows}`]);
  for (const step of ['pay', 'confirm', 'convert']) await call(`${base}${step}`, token, [app, id]);
}

async function bankOf(url: string, { id }: BenchApp): Promise<number> {
  const text = `select id from payment_methods where app_id = ${id} and kind = 'bank_transfer'`;
  const [row] = await ask<{ id: string }>(url, text);
  return Number(row?.id);
}

async function ask<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}
