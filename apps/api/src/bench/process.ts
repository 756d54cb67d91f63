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
const ROUNDS = 5;
const QUIET_MS = 3_000;
const MB = 2 ** 20;
const LARGE = 99 * MB;
const ROWS = 10_000;

/** What a process of the service takes before it has done anything, and while it takes in much. */
export async function benchProcess(url: string): Promise<void> {
  const [shop] = await makeApps({ DATABASE_URL: url }, ['shop']);
  const home = await mkdtemp(join(tmpdir(), 'back-office-bench-process-'));
  try {
    print('| a process | | must |');
    print('| --- | --- | --- |');
    await starts(url);
    // Only Linux tells how much memory a process has ever had.
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
  const service = await startServiceProcess(url, { DATA_DIR: home });
  try {
    await pause(QUIET_MS);
    show('memory of an idle process (resident)', memoryOf(service, 'VmRSS') / MB, 'MB', MUST.idleMb);
    let sounds = 0;
    const upload = async (): Promise<number> => {
      sounds += 1;
      await sendFile(service, shop, `sound-${sounds}.wav`, sound(LARGE));
      return LARGE;
    };
    show('growth by an upload of 99 MB', (await growth(service, upload)).bytes / MB, 'MB', MUST.uploadMb, 1);
    await call(`${service.origin}/api/v2/int/products`, shop.token, { products: products() });
    const { bytes, body } = await growth(service, () => counted(service, shop));
    show(`growth by a call of ${ROWS} rows (${(body / MB).toFixed(1)} MB)`, bytes / body, 'bodies', MUST.bodies, 1);
  } finally {
    service.stop();
  }
}

/** How much more memory a call needs at its height than the process held before; it has done the same before. */
async function growth(
  service: System,
  work: () => Promise<number>,
): Promise<{ readonly bytes: number; readonly body: number }> {
  let body = await work();
  const grown: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    await pause(500);
    const before = memoryOf(service, 'VmRSS');
    // The height is that since now.
    writeFileSync(`/proc/${service.pid}/clear_refs`, '5');
    body = await work();
    grown.push(memoryOf(service, 'VmHWM') - before);
  }
  return { bytes: median(grown), body };
}

function memoryOf({ pid }: System, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const [, kilobytes = '0'] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
  return Number(kilobytes) * 1_024;
}

/** A sound of so many bytes, a piece at a time. */
function* sound(size: number): Generator<Uint8Array> {
  yield waveHead(size);
  const piece = Buffer.alloc(65_536, 128);
  for (let left = size; left > 0; left -= piece.length) yield piece.subarray(0, Math.min(left, piece.length));
}

/** Of a mono sound, 8,000 samples of a byte each a second. */
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

function products(): object[] {
  return Array.from({ length: ROWS }, (_, index) => {
    const code = `P${index}`;
    return { code, name: code, price: 100, vat_rate: 20, variants: [{ code }] };
  });
}

async function counted({ origin }: System, { token }: BenchApp): Promise<number> {
  const stocks = Array.from({ length: ROWS }, (_, index) => ({ code: `P${index}`, warehouse_code: 'MAIN', qty: 1 }));
  await call(`${origin}/api/v2/int/stocks`, token, { stocks }, 'PUT');
  return Buffer.byteLength(JSON.stringify({ stocks }));
}

function show(what: string, value: number, unit: string, must: number, digits = 0): void {
  print(`| ${what} | ${value.toFixed(digits)} ${unit} | ≤ ${must} |`);
  if (value > must) process.exitCode = 1;
}
