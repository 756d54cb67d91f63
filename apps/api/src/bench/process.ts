import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeApps } from '../runtime/with-apps.js';
import { call, median } from './load.js';
import { print, type BenchApp } from './measure.js';
import { sendFile } from './send-file.js';
import { startServiceProcess, type System } from './systems.js';

const MUST = { startSeconds: 1, idleMb: 130, uploadMb: 32, bodies: 6 };
const STARTS = 5;
const PROCESSES = 3;
/** Small calls that warm up the code before the measurement. */
const WARM = 20;
const QUIET_MS = 3_000;
const MB = 2 ** 20;
const SMALL = 100_000;
const LARGE = 99 * MB;
const ROWS = 10_000;
const DESCRIPTION = 'Warm and dry, lined with wool. '.repeat(20);

/** Measures start-up time and memory of a service process, idle and under large uploads. */
export async function benchProcess(url: string): Promise<void> {
  const [shop] = await makeApps({ DATABASE_URL: url }, ['shop']);
  const home = await mkdtemp(join(tmpdir(), 'back-office-bench-process-'));
  try {
    print('| a process | | must |');
    print('| --- | --- | --- |');
    await starts(url);
    // Only Linux reports the peak memory of a process.
    if (process.platform === 'linux') await memory(url, shop, home);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

async function starts(url: string): Promise<void> {
  const times: number[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const begun = performance.now();
    const service = await startServiceProcess(url);
    const ready = await fetch(`${service.origin}/health/ready`);
    if (!ready.ok) throw new Error('The service says that it is started, and is not ready');
    times.push((performance.now() - begun) / 1_000);
    service.stop();
  }
  show('cold start, the database there, until it is ready', median(times), 's', MUST.startSeconds, 2);
}

async function memory(url: string, shop: BenchApp, home: string): Promise<void> {
  const idle = await median3(url, home, async (service) => {
    await pause(QUIET_MS);
    return memoryOf(service, 'VmRSS');
  });
  show('memory of an idle process (resident, without background work)', idle / MB, 'MB', MUST.idleMb);
  const upload = await median3(url, home, async (service) => {
    for (let time = 0; time < WARM; time += 1) await sent(service, shop, SMALL);
    return growth(service, () => sent(service, shop, LARGE));
  });
  show('growth by an upload of 99 MB, after small ones', upload / MB, 'MB', MUST.uploadMb, 1);
  let body = 0;
  const rows = await median3(url, home, async (service) => {
    for (let time = 0; time < WARM; time += 1) await imported(service, shop, WARM);
    return growth(service, async () => (body = await imported(service, shop, ROWS)));
  });
  show(
    `growth by ${ROWS} rows of POST /int/products (${(body / MB).toFixed(1)} MB), after small calls`,
    rows / body,
    'bodies',
    MUST.bodies,
    1,
  );
}

/** Measures three fresh processes. */
async function median3(url: string, home: string, work: (service: System) => Promise<number>): Promise<number> {
  const measured: number[] = [];
  for (let time = 0; time < PROCESSES; time += 1) {
    const service = await startServiceProcess(url, { DATA_DIR: home });
    try {
      measured.push(await work(service));
    } finally {
      service.stop();
    }
  }
  return median(measured);
}

/** Peak memory of the process during the work, less its memory before. */
async function growth(service: System, work: () => Promise<unknown>): Promise<number> {
  const before = memoryOf(service, 'VmRSS');
  // Resets the peak.
  writeFileSync(`/proc/${service.pid}/clear_refs`, '5');
  await work();
  return memoryOf(service, 'VmHWM') - before;
}

function memoryOf({ pid }: System, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, kilobytes = '0'] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
  return Number(kilobytes) * 1_024;
}

let calls = 0;
function sent(service: System, app: BenchApp, size: number): Promise<unknown> {
  calls += 1;
  return sendFile(service, app, `sound-${calls}.wav`, sound(size));
}

/** A WAV file of that many bytes, in chunks. */
function* sound(size: number): Generator<Uint8Array> {
  yield waveHead(size);
  const piece = Buffer.alloc(65_536, 128);
  for (let left = size; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
}

/** Header of a mono WAV file with 8,000 samples of one byte per second. */
function waveHead(size: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + size, 4);
  head.write('WAVEfmt ', 8);
  for (const [at, value] of [
    [16, 16],
    [24, 8_000],
    [28, 8_000],
    [40, size],
  ] as const)
    head.writeUInt32LE(value, at);
  for (const [at, value] of [
    [20, 1],
    [22, 1],
    [32, 1],
    [34, 8],
  ] as const)
    head.writeUInt16LE(value, at);
  head.write('data', 36);
  return head;
}

/** Sends half as many products as rows, because each has a variant; returns the size of the body. */
async function imported({ origin }: System, { token }: BenchApp, rows: number): Promise<number> {
  calls += 1;
  const products = Array.from({ length: rows / 2 }, (_, index) => {
    const code = `P${calls}-${index}`;
    return { code, name: `Product ${code}`, description: DESCRIPTION, price: 100, vat_rate: 20, variants: [{ code }] };
  });
  await call(`${origin}/api/v2/int/products`, token, { products });
  return Buffer.byteLength(JSON.stringify({ products }));
}

function show(what: string, value: number, unit: string, must: number, digits = 0): void {
  print(`| ${what} | ${value.toFixed(digits)} ${unit} | ≤ ${must} |`);
  if (value > must) process.exitCode = 1;
}
