import type Sharp from 'sharp';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { makeApps, type NewApp } from '../../apps/api/src/runtime/with-apps.js';
import { call, median, print } from './load.js';
import { startServiceProcess, type System } from './systems.js';

export const UPLOAD = 'upload of an image';

const IMAGES_OF_A_ROUND = 5;
const UPLOADS_IN_FLIGHT = 4;
const LIMITS = { time: 1.3, rate: 0.8 };
const RENDITION_WIDTHS = [320, 640, 1_280];
const MAIN_IMAGE = { width: 2_560, quality: 82, effort: 2 };
/** Polling intervals; shorter intervals would take CPU time from the service. */
const POLL_MS = { one: 10, inFlight: 200 };
/** The floor uses the same copy of sharp as the service's image adapter. */
const sharp = createRequire(import.meta.url)('sharp') as typeof Sharp;

type Work = () => Promise<void>;

/** Compares the way from an upload to its finished renditions with plain sharp. */
export async function benchUploads(url: string, rounds: number): Promise<void> {
  const [shop] = await makeApps({ DATABASE_URL: url }, ['shop']);
  const dataDir = await mkdtemp(join(tmpdir(), 'back-office-bench-media-'));
  const service = await startServiceProcess(url, { DATA_DIR: dataDir });
  try {
    const photo = await makePhoto();
    const bare = (): Promise<void> => processWithSharp(photo);
    const upload = (pollMs: number) => () => uploadAndWait(service, shop, photo, pollMs);
    await bare();
    await upload(POLL_MS.one)();
    const times: Record<'bare' | 'service', number[]> = { bare: [], service: [] };
    const rates: Record<'bare' | 'service', number[]> = { bare: [], service: [] };
    for (let round = 0; round < rounds; round += 1) {
      for (let image = 0; image < IMAGES_OF_A_ROUND; image += 1) {
        times.bare.push(await measureMs(bare));
        times.service.push(await measureMs(upload(POLL_MS.one)));
      }
      rates.bare.push(await rateInFlight(bare));
      rates.service.push(await rateInFlight(upload(POLL_MS.inFlight)));
    }
    print(`\n| ${UPLOAD}, ${photo.length} bytes | only sharp | service | ratio | must |`);
    print('| --- | --- | --- | --- | --- |');
    const [bareMs, serviceMs] = [median(times.bare), median(times.service)];
    const time = serviceMs / bareMs;
    print(
      `| one at a time, ms | ${bareMs.toFixed(0)} | ${serviceMs.toFixed(0)} | ${time.toFixed(2)} | ≤ ${LIMITS.time} |`,
    );
    const [bareRate, serviceRate] = [median(rates.bare), median(rates.service)];
    const rate = serviceRate / bareRate;
    print(
      `| ${UPLOADS_IN_FLIGHT} in flight, images/s | ${bareRate.toFixed(2)} | ${serviceRate.toFixed(2)} | ${rate.toFixed(2)} | ≥ ${LIMITS.rate} |`,
    );
    if (time > LIMITS.time || rate < LIMITS.rate) process.exitCode = 1;
  } finally {
    service.stop();
    await rm(dataDir, { recursive: true, force: true });
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
async function uploadAndWait({ origin }: System, { token }: NewApp, photo: Buffer, pollMs: number): Promise<void> {
  uploadCount += 1;
  const body = new FormData();
  body.append('file', new Blob([new Uint8Array(photo)]), `photo-${uploadCount}.jpg`);
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${origin}/api/v2/cdn/files`, { method: 'POST', headers, body });
  if (response.status !== 201) throw new Error(`The upload was answered ${response.status} ${await response.text()}`);
  const { data } = (await response.json()) as { readonly data: { readonly id: number; processing: string } };
  let { processing } = data;
  while (processing === 'pending') {
    await pause(pollMs);
    const file = await call(`${origin}/api/v2/cdn/files/${data.id}`, token, undefined, 'GET');
    processing = String(file['processing']);
    if (processing === 'failed') throw new Error('The image was not processed');
  }
}

/** Returns the images per second. */
async function rateInFlight(work: Work): Promise<number> {
  const count = 2 * IMAGES_OF_A_ROUND;
  let remaining = count;
  const runNext = async (): Promise<void> => {
    while (remaining > 0) {
      remaining -= 1;
      await work();
    }
  };
  const ms = await measureMs(async () => void (await Promise.all(Array.from({ length: UPLOADS_IN_FLIGHT }, runNext))));
  return count / (ms / 1_000);
}

async function measureMs(work: Work): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}
