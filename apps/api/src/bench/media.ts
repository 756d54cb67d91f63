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

const CLIENT_COUNT = 16;
const POOL_SIZE = 10;
const UPLOADS_IN_FLIGHT = 4;
const LIMITS = { time: 1.3, rate: 0.8, list: 0.7, lagMs: 50 };
const RENDITION_WIDTHS = [320, 640, 1_280];
const MAIN_IMAGE = { width: 2_560, quality: 82, effort: 2 };
/** Polling intervals; shorter intervals would take CPU time from the service. */
const POLL_MS = { one: 10, inFlight: 200 };
/** The floor uses the same copy of sharp as the service's image adapter. */
const sharp = createRequire(import.meta.url)('sharp') as typeof Sharp;

/** Compares the service's image processing with plain sharp, and its list of a large library with plain SQL. */
export async function benchMedia(url: string, options: MediaOptions): Promise<void> {
  const [shop, large] = await makeApps({ DATABASE_URL: url }, ['shop', 'large']);
  const dataDir = await mkdtemp(join(tmpdir(), 'back-office-bench-media-'));
  try {
    await benchImages(url, shop, dataDir, options);
    await benchLists(url, large, options);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function benchImages(
  url: string,
  shop: BenchApp,
  dataDir: string,
  { images: imageCount, rounds }: MediaOptions,
): Promise<void> {
  const photo = await makePhoto();
  const service = await startServiceProcess(url, { WORKER: 'inline', DATA_DIR: dataDir });
  try {
    const times: Record<'bare' | 'service', number[]> = { bare: [], service: [] };
    const rates: Record<'bare' | 'service', number[]> = { bare: [], service: [] };
    await processWithSharp(photo);
    await uploadAndWait(service, shop, photo, POLL_MS.one);
    for (let round = 0; round < rounds; round += 1) {
      for (let image = 0; image < imageCount; image += 1) {
        times.bare.push(await measureMs(() => processWithSharp(photo)));
        times.service.push(await measureMs(() => uploadAndWait(service, shop, photo, POLL_MS.one)));
      }
      rates.bare.push(
        (2 * imageCount) /
          ((await measureMs(() => runInFlight(2 * imageCount, () => processWithSharp(photo)))) / 1_000),
      );
      rates.service.push(
        (2 * imageCount) /
          ((await measureMs(() =>
            runInFlight(2 * imageCount, () => uploadAndWait(service, shop, photo, POLL_MS.inFlight)),
          )) /
            1_000),
      );
    }
    const lagMs = await fetchLagMs(service);
    const [time, rate] = [median(times.service) / median(times.bare), median(rates.service) / median(rates.bare)];
    print(
      `| 12-megapixel JPEG → WebP and 3 renditions (${photo.length} bytes) | only sharp | service | ratio | must |`,
    );
    print('| --- | --- | --- | --- | --- |');
    print(
      `| one at a time, ms | ${medianMs(times.bare)} | ${medianMs(times.service)} | ${time.toFixed(2)} | ≤ ${LIMITS.time} |`,
    );
    print(
      `| ${UPLOADS_IN_FLIGHT} in flight, images/s | ${median(rates.bare).toFixed(2)} | ${median(rates.service).toFixed(2)} | ${rate.toFixed(2)} | ≥ ${LIMITS.rate} |`,
    );
    print(`| event-loop delay p99, ms | | ${lagMs.toFixed(1)} | | ≤ ${LIMITS.lagMs} |`);
    if (time > LIMITS.time || rate < LIMITS.rate || lagMs > LIMITS.lagMs) process.exitCode = 1;
  } finally {
    service.stop();
  }
}

async function benchLists(url: string, app: BenchApp, { files, seconds, rounds }: MediaOptions): Promise<void> {
  await fillFiles(url, app, files);
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
  const task = { url, poolSize: POOL_SIZE, statements };
  const service = await startServiceProcess(url);
  const systems: System[] = [
    await startFloor('floor', { ...task, kind: 'node' }),
    await startFloor('Express floor', { ...task, kind: 'express' }),
    service,
  ];
  try {
    const jobs = Object.entries(pages).map(([name, { query }], index): Job => {
      const path = `/api/v2/cdn/files?${new URLSearchParams({ ...query, pageSize: '30' }).toString()}`;
      const measure: Job['measure'] = (system, load) =>
        loadWith(system.origin + (system === service ? path : `/list${index}`), app.token, load);
      return { name: `${files} files, ${name}`, minRatio: LIMITS.list, measure };
    });
    report(jobs, systems, await measureAll(jobs, systems, { clients: CLIENT_COUNT, seconds }, rounds), CLIENT_COUNT);
  } finally {
    for (const system of systems) system.stop();
  }
}

async function fillFiles(url: string, app: BenchApp, files: number): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const startMs = performance.now();
    const { rows } = await client.query<{ prefix: string }>('select media_prefix as prefix from apps where id = $1', [
      app.id,
    ]);
    for (const statement of FILL_FILES) await client.query(statement, [app.id, files, rows[0]?.prefix]);
    await client.query('vacuum analyze');
    print(`\n${files} files created in ${((performance.now() - startMs) / 1_000).toFixed(1)} s`);
  } finally {
    await client.end();
  }
}

/** Draws soft shapes under fine noise, because such an image compresses like a photo. */
async function makePhoto(): Promise<Buffer> {
  const [width, height] = [1_000, 750];
  const pixels = Buffer.alloc(width * height * 3);
  let seed = 1;
  for (let offset = 0; offset < pixels.length; offset += 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    const [x, y] = [Math.floor(offset / 3) % width, Math.floor(offset / 3 / width)];
    pixels[offset] = 128 + 90 * Math.sin(x / 60 + (offset % 3)) * Math.cos(y / 45) + (seed % 24);
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .resize(4_000, 3_000)
    .jpeg({ quality: 90 })
    .toBuffer();
}

/** Makes the same images as the service with plain sharp, and decodes the photo only once. */
async function processWithSharp(photo: Buffer): Promise<void> {
  sharp.concurrency(1);
  const { data, info } = await sharp(photo)
    .autoOrient()
    .resize({ width: MAIN_IMAGE.width })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const rawFormat = { width: info.width, height: info.height, channels: info.channels };
  for (const width of [MAIN_IMAGE.width, ...RENDITION_WIDTHS]) {
    await sharp(data, { raw: rawFormat })
      .resize({ width })
      .webp({ quality: MAIN_IMAGE.quality, effort: MAIN_IMAGE.effort })
      .toBuffer();
  }
}

let uploadCount = 0;
async function uploadAndWait(service: System, app: BenchApp, photo: Buffer, pollMs: number): Promise<void> {
  uploadCount += 1;
  const { id, ...uploadedFile } = await sendFile(service, app, `photo-${uploadCount}.jpg`, [photo]);
  let { processing } = uploadedFile;
  while (processing === 'pending') {
    await pause(pollMs);
    const file = await call(`${service.origin}/api/v2/cdn/files/${id}`, app.token, undefined, 'GET');
    processing = String(file['processing']);
    if (processing === 'failed') throw new Error('The image was not processed');
  }
}

async function runInFlight(count: number, work: () => Promise<void>): Promise<void> {
  let remaining = count;
  const runNext = async (): Promise<void> => {
    while (remaining > 0) {
      remaining -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: UPLOADS_IN_FLIGHT }, runNext));
}

async function measureMs(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

async function fetchLagMs({ origin }: System): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const [, seconds] = /^nodejs_eventloop_lag_p99_seconds(?:\{[^}]*\})? ([\d.e+-]+)$/m.exec(text) ?? [];
  return Number(seconds) * 1_000;
}

function medianMs(times: readonly number[]): string {
  return median(times).toFixed(0);
}
