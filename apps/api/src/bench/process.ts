import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeApps } from '../runtime/with-apps.js';
import { call, median } from './load.js';
import { print, type BenchApp } from './measure.js';
import { sendFile } from './send-file.js';
import { startNaiveService, startServiceProcess, type System } from './systems.js';

const LIMITS = { startSeconds: 0.7, startTimes: 3, idleMb: 110, uploadMb: 32, bodies: 6 };
const START_COUNT = 5;
const PROCESS_COUNT = 3;
/** Small calls before the measurement let V8 compile the code. */
const WARM_UP_CALLS = 20;
const QUIET_MS = 3_000;
/** V8 reduces the heap of a process only after about half a minute without work. */
const IDLE_MS = 75_000;
const MB = 2 ** 20;
const SMALL_FILE_BYTES = 100_000;
const LARGE_FILE_BYTES = 99 * MB;
const ROW_COUNT = 10_000;
const DESCRIPTION = 'Warm and dry, lined with wool. '.repeat(20);

/** Measures start-up time and memory of a service process, idle and under large uploads. */
export async function benchProcess(url: string): Promise<void> {
  const [shop] = await makeApps({ DATABASE_URL: url }, ['shop']);
  const dataDir = await mkdtemp(join(tmpdir(), 'back-office-bench-process-'));
  try {
    print('| a process | | must |');
    print('| --- | --- | --- |');
    await measureStarts(url);
    // Only Linux reports the peak memory of a process.
    if (process.platform === 'linux') await measureMemory(url, shop, dataDir);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Starts the service in turn with a small process of Express, pg and TypeORM. */
async function measureStarts(url: string): Promise<void> {
  const [times, smallTimes]: [number[], number[]] = [[], []];
  for (let run = 0; run < START_COUNT; run += 1) {
    smallTimes.push(await secondsOfStart(() => startNaiveService('small', url, 1)));
    times.push(await secondsOfStart(() => startServiceProcess(url), '/health/ready'));
  }
  report('cold start: time until ready, with a running database', median(times), 's', LIMITS.startSeconds, 2);
  const ratio = median(times) / median(smallTimes);
  report('the same, compared with Express, pg and TypeORM', ratio, 'times', LIMITS.startTimes, 2);
}

async function secondsOfStart(start: () => Promise<System>, readyPath?: string): Promise<number> {
  const startMs = performance.now();
  const system = await start();
  try {
    if (readyPath !== undefined && !(await fetch(system.origin + readyPath)).ok)
      throw new Error('The service reports its start but is not ready');
    return (performance.now() - startMs) / 1_000;
  } finally {
    system.stop();
  }
}

async function measureMemory(url: string, shop: BenchApp, dataDir: string): Promise<void> {
  await measureIdleMemory(url, dataDir);
  const uploadGrowth = await medianOfProcesses(url, dataDir, async (service) => {
    for (let run = 0; run < WARM_UP_CALLS; run += 1) await upload(service, shop, SMALL_FILE_BYTES);
    return memoryGrowth(service, () => upload(service, shop, LARGE_FILE_BYTES));
  });
  report('memory growth of an upload of 99 MB, after small uploads', uploadGrowth / MB, 'MB', LIMITS.uploadMb, 1);
  await measureRows(url, shop, dataDir);
}

/** Measures processes of the service without background work, beside small processes of Express, pg and TypeORM. */
async function measureIdleMemory(url: string, dataDir: string): Promise<void> {
  const runs = Array.from({ length: PROCESS_COUNT });
  const [services, smallProcesses]: [System[], System[]] = [[], []];
  const medianMb = (systems: readonly System[]) => median(systems.map((system) => memoryOf(system, 'VmRSS'))) / MB;
  try {
    for (const _ of runs) {
      services.push(await startServiceProcess(url, { DATA_DIR: dataDir }));
      smallProcesses.push(await startNaiveService('small', url, 1));
    }
    await pause(QUIET_MS);
    print(`| resident memory after the start | ${medianMb(services).toFixed(0)} MB | |`);
    print(`| the same, of Express, pg and TypeORM | ${medianMb(smallProcesses).toFixed(0)} MB | |`);
    await pause(IDLE_MS);
    report(`resident memory, idle for ${IDLE_MS / 1_000} s`, medianMb(services), 'MB', LIMITS.idleMb);
    print(`| the same, of Express, pg and TypeORM | ${medianMb(smallProcesses).toFixed(0)} MB | |`);
  } finally {
    for (const system of [...services, ...smallProcesses]) system.stop();
  }
}

/** Measures the first large call of a process, which also enlarges the heap of the process, and the next one. */
async function measureRows(url: string, shop: BenchApp, dataDir: string): Promise<void> {
  let bodyBytes = 0;
  const growthOf = (service: System) =>
    memoryGrowth(service, async () => (bodyBytes = await importProducts(service, shop, ROW_COUNT)));
  const nextGrowths: number[] = [];
  const firstGrowth = await medianOfProcesses(url, dataDir, async (service) => {
    for (let run = 0; run < WARM_UP_CALLS; run += 1) await importProducts(service, shop, WARM_UP_CALLS);
    const growth = await growthOf(service);
    nextGrowths.push(await growthOf(service));
    return growth;
  });
  const name = `memory growth of POST /int/products with ${ROW_COUNT} rows (${(bodyBytes / MB).toFixed(1)} MB)`;
  report(`${name}, after small calls`, firstGrowth / bodyBytes, 'times the body', LIMITS.bodies, 1);
  report(`${name}, again`, median(nextGrowths) / bodyBytes, 'times the body', LIMITS.bodies, 1);
}

async function medianOfProcesses(
  url: string,
  dataDir: string,
  work: (service: System) => Promise<number>,
): Promise<number> {
  const results: number[] = [];
  for (let run = 0; run < PROCESS_COUNT; run += 1) {
    const service = await startServiceProcess(url, { DATA_DIR: dataDir });
    try {
      results.push(await work(service));
    } finally {
      service.stop();
    }
  }
  return median(results);
}

/** Returns the peak memory of the process during the work, minus its memory before the work. */
async function memoryGrowth(service: System, work: () => Promise<unknown>): Promise<number> {
  const bytesBefore = memoryOf(service, 'VmRSS');
  // Writing 5 to this file resets the peak.
  writeFileSync(`/proc/${service.pid}/clear_refs`, '5');
  await work();
  return memoryOf(service, 'VmHWM') - bytesBefore;
}

function memoryOf({ pid }: System, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, kilobytes = '0'] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
  return Number(kilobytes) * 1_024;
}

let callCount = 0;
function upload(service: System, app: BenchApp, size: number): Promise<unknown> {
  callCount += 1;
  return sendFile(service, app, `sound-${callCount}.wav`, wavFile(size));
}

/** Generates a WAV file of about `size` bytes in chunks. */
function* wavFile(size: number): Generator<Uint8Array> {
  yield wavHeader(size);
  const chunk = Buffer.alloc(65_536, 128);
  for (let remaining = size; remaining > 0; remaining -= chunk.length)
    yield chunk.subarray(0, Math.min(remaining, chunk.length));
}

/** Makes the header of a mono WAV file with 8,000 one-byte samples per second. */
function wavHeader(size: number): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + size, 4);
  header.write('WAVEfmt ', 8);
  for (const [offset, value] of [
    [16, 16],
    [24, 8_000],
    [28, 8_000],
    [40, size],
  ] as const)
    header.writeUInt32LE(value, offset);
  for (const [offset, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    header.writeUInt16LE(value, offset);
  header.write('data', 36);
  return header;
}

/**
 * Imports products with one variant each. `rows` counts products and variants. Returns the size of the body in bytes.
 */
async function importProducts({ origin }: System, { token }: BenchApp, rows: number): Promise<number> {
  callCount += 1;
  const products = Array.from({ length: rows / 2 }, (_, index) => {
    const code = `P${callCount}-${index}`;
    return { code, name: `Product ${code}`, description: DESCRIPTION, price: 100, vat_rate: 20, variants: [{ code }] };
  });
  await call(`${origin}/api/v2/int/products`, token, { products });
  return Buffer.byteLength(JSON.stringify({ products }));
}

function report(name: string, value: number, unit: string, max: number, digits = 0): void {
  print(`| ${name} | ${value.toFixed(digits)} ${unit} | ≤ ${max} |`);
  if (value > max) process.exitCode = 1;
}
