import pg from 'pg';
import type Sharp from 'sharp';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileListStatement } from '@back-office/database-postgres';
import { parseFileFilter } from '../media/index.js';
import { call, loadWith, median } from './load.js';
import { makeApps } from '../runtime/with-apps.js';
import { measureAll, print, report, type BenchApp, type Job } from './measure.js';
import { FILL_FILES } from './media-fill.query.js';
import { sendFile } from './send-file.js';
import { startFloor, startServiceProcess, type System } from './systems.js';

export interface MediaOptions {
  readonly files: number;
  readonly images: number;
  readonly seconds: number;
  readonly rounds: number;
}

const CLIENTS = 16;
const POOL = 10;
const IN_FLIGHT = 4;
const MUST = { time: 1.3, rate: 0.8, list: 0.7, lagMs: 50 };
const WIDTHS = [320, 640, 1_280];
const MAIN = { width: 2_560, quality: 82, effort: 2 };
/** More frequent polls would take CPU from the service. */
const POLL_MS = { one: 10, inFlight: 200 };
/** The floor uses the library of the service's image adapter. */
const sharp = createRequire(import.meta.url)('sharp') as typeof Sharp;

/** Compares image processing with sharp alone, and the list of a large library with plain SQL. */
export async function benchMedia(url: string, options: MediaOptions): Promise<void> {
  const [shop, large] = await makeApps({ DATABASE_URL: url }, ['shop', 'large']);
  const dataDir = await mkdtemp(join(tmpdir(), 'back-office-bench-media-'));
  try {
    await images(url, shop, dataDir, options);
    await lists(url, large, options);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function images(
  url: string,
  shop: BenchApp,
  dataDir: string,
  { images: count, rounds }: MediaOptions,
): Promise<void> {
  const photo = await twelveMegapixels();
  const service = await startServiceProcess(url, { WORKER: 'inline', DATA_DIR: dataDir });
  try {
    const times: Record<'bare' | 'service', number[]> = { bare: [], service: [] };
    const rates: Record<'bare' | 'service', number[]> = { bare: [], service: [] };
    await bare(photo);
    await uploaded(service, shop, photo, POLL_MS.one);
    for (let round = 0; round < rounds; round += 1) {
      for (let image = 0; image < count; image += 1) {
        times.bare.push(await timed(() => bare(photo)));
        times.service.push(await timed(() => uploaded(service, shop, photo, POLL_MS.one)));
      }
      rates.bare.push((2 * count) / ((await timed(() => inFlight(2 * count, () => bare(photo)))) / 1_000));
      rates.service.push(
        (2 * count) /
          ((await timed(() => inFlight(2 * count, () => uploaded(service, shop, photo, POLL_MS.inFlight)))) / 1_000),
      );
    }
    const lag = await lagOf(service);
    const [time, rate] = [median(times.service) / median(times.bare), median(rates.service) / median(rates.bare)];
    print(
      `| 12-megapixel JPEG → WebP and 3 renditions (${photo.length} bytes) | bare sharp | service | ratio | must |`,
    );
    print('| --- | --- | --- | --- | --- |');
    print(`| one at a time, ms | ${ms(times.bare)} | ${ms(times.service)} | ${time.toFixed(2)} | ≤ ${MUST.time} |`);
    print(
      `| ${IN_FLIGHT} in flight, images/s | ${median(rates.bare).toFixed(2)} | ${median(rates.service).toFixed(2)} | ${rate.toFixed(2)} | ≥ ${MUST.rate} |`,
    );
    print(`| event-loop delay p99, ms | | ${lag.toFixed(1)} | | ≤ ${MUST.lagMs} |`);
    if (time > MUST.time || rate < MUST.rate || lag > MUST.lagMs) process.exitCode = 1;
  } finally {
    service.stop();
  }
}

async function lists(url: string, app: BenchApp, { files, seconds, rounds }: MediaOptions): Promise<void> {
  await fill(url, app, files);
  const page = { offset: 0, limit: 30 };
  const pages = {
    'first page by name': { query: {}, page },
    'first page of a folder': { query: { folder: 'f7' }, page },
    'first page of a search': { query: { search: `photo ${Math.floor(files / 2)}` }, page },
  };
  const statements = Object.fromEntries(
    Object.entries(pages).map(([, { query }], index) => {
      const filter = parseFileFilter(query, 30, new Date());
      return [`list${index}`, fileListStatement(app.id, 'http://localhost/media', filter, undefined, page)];
    }),
  );
  const task = { url, poolSize: POOL, statements };
  const service = await startServiceProcess(url);
  const systems: System[] = [
    await startFloor('floor', { ...task, kind: 'node' }),
    await startFloor('Express floor', { ...task, kind: 'express' }),
    service,
  ];
  try {
    const jobs = Object.entries(pages).map(([name, { query }], index): Job => {
      const path = `/api/v2/cdn/files?${new URLSearchParams({ ...query, pageSize: '30' }).toString()}`;
      const measure: Job['measure'] = (system, pace) =>
        loadWith(system.origin + (system === service ? path : `/list${index}`), app.token, pace);
      return { name: `${files} files, ${name}`, must: MUST.list, measure };
    });
    report(jobs, systems, await measureAll(jobs, systems, { clients: CLIENTS, seconds }, rounds), CLIENTS);
  } finally {
    for (const system of systems) system.stop();
  }
}

async function fill(url: string, app: BenchApp, files: number): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const started = performance.now();
    const { rows } = await client.query<{ prefix: string }>('select media_prefix as prefix from apps where id = $1', [
      app.id,
    ]);
    for (const statement of FILL_FILES) await client.query(statement, [app.id, files, rows[0]?.prefix]);
    await client.query('vacuum analyze');
    print(`\n${files} files filled in ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  } finally {
    await client.end();
  }
}

/** Soft shapes under fine noise compress like a photo. */
async function twelveMegapixels(): Promise<Buffer> {
  const [width, height] = [1_000, 750];
  const pixels = Buffer.alloc(width * height * 3);
  let seed = 1;
  for (let at = 0; at < pixels.length; at += 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    const [x, y] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width)];
    pixels[at] = 128 + 90 * Math.sin(x / 60 + (at % 3)) * Math.cos(y / 45) + (seed % 24);
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .resize(4_000, 3_000)
    .jpeg({ quality: 90 })
    .toBuffer();
}

/** Makes the same outputs with sharp alone, decoding once. */
async function bare(photo: Buffer): Promise<void> {
  sharp.concurrency(1);
  const { data, info } = await sharp(photo)
    .autoOrient()
    .resize({ width: MAIN.width })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: info.channels };
  for (const width of [MAIN.width, ...WIDTHS]) {
    await sharp(data, { raw }).resize({ width }).webp({ quality: MAIN.quality, effort: MAIN.effort }).toBuffer();
  }
}

let names = 0;
async function uploaded(service: System, app: BenchApp, photo: Buffer, pollMs: number): Promise<void> {
  names += 1;
  const { id, ...sent } = await sendFile(service, app, `photo-${names}.jpg`, [photo]);
  let { processing } = sent;
  while (processing === 'pending') {
    await pause(pollMs);
    const file = await call(`${service.origin}/api/v2/cdn/files/${id}`, app.token, undefined, 'GET');
    processing = String(file['processing']);
    if (processing === 'failed') throw new Error('The image was not processed');
  }
}

async function inFlight(count: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, one));
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

async function lagOf({ origin }: System): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const [, seconds] = /^nodejs_eventloop_lag_p99_seconds(?:\{[^}]*\})? ([\d.e+-]+)$/m.exec(text) ?? [];
  return Number(seconds) * 1_000;
}

function ms(times: readonly number[]): string {
  return median(times).toFixed(0);
}
