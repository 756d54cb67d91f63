import type { Size } from '@back-office/media';
import { once } from 'node:events';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import mediaInfoFactory, { type VideoTrack } from 'mediainfo.js';
import type { MediainfoMessage, MediainfoTask } from './mediainfo-facts.js';
import { limitMemory } from '@back-office/upload-parser/processes';

const port = parentPort as MessagePort;
const { size, memoryMegabytes } = workerData as MediainfoTask;

function post(message: MediainfoMessage): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  port.postMessage(message);
}

async function read(length: number, from: number): Promise<Uint8Array> {
  post({ from, length });
  const [bytes] = (await once(port, 'message')) as [Uint8Array];
  return bytes;
}

async function analyze(): Promise<Size | undefined> {
  const mediaInfo = await mediaInfoFactory();
  limitMemory(memoryMegabytes);
  const { media } = await mediaInfo.analyzeData(size, read);
  const video = media?.track.find((track) => track['@type'] === 'Video');
  return video && sizeOf(video);
}

function sizeOf({ Width = 0, Height = 0, PixelAspectRatio = 1, Rotation = '0' }: VideoTrack): Size | undefined {
  const width = Math.round(Width * PixelAspectRatio);
  if (!(width > 0 && Height > 0)) return undefined;
  const isTransposed = Math.round(Number(Rotation) / 90) % 2 !== 0;
  return isTransposed ? { width: Height, height: width } : { width, height: Height };
}

post({ size: await analyze().catch(() => undefined) });
