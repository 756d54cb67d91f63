import type { MediaFacts, ReadableFile, Size } from '@back-office/media';
import { Worker } from 'node:worker_threads';

export interface MediainfoOptions {
  /** Of one file; after it its thread is ended, and its size is not known. */
  readonly timeoutMs?: number;
  /** Of what MediaInfo holds of one file; where it is not enough, its size is not known. */
  readonly memoryMegabytes?: number;
}

/** What a thread is begun with. */
export interface MediainfoTask {
  readonly size: number;
  readonly memoryMegabytes: number;
}

/** What the thread asks for, and at last what it has found. */
export type MediainfoMessage =
  { readonly from: number; readonly length: number } | { readonly found: Size | undefined };

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 64 * 2 ** 20;
const MEMORY_MEGABYTES = 256;
// From the sources as well as from the build: a thread runs what Node can read.
const WORKER = new URL('../dist/mediainfo-worker.js', import.meta.url);

/** Films by MediaInfo, one at a time, each in a thread of its own that is given the stretches of the file it asks for. */
export class MediainfoFacts implements MediaFacts {
  private last: Promise<unknown> = Promise.resolve();
  private current: Worker | undefined;

  constructor(private readonly options: MediainfoOptions = {}) {}

  sizeOf(file: ReadableFile): Promise<Size | undefined> {
    const turn = this.last.then(() => this.inThread(file));
    this.last = turn.catch(() => {});
    return turn;
  }

  async close(): Promise<void> {
    await this.current?.terminate();
  }

  private async inThread(file: ReadableFile): Promise<Size | undefined> {
    const memoryMegabytes = this.options.memoryMegabytes ?? MEMORY_MEGABYTES;
    const task: MediainfoTask = { size: file.size, memoryMegabytes };
    const worker = new Worker(WORKER, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
      // A library of a thread has nothing to say on the streams of the service.
      stdout: true,
      stderr: true,
    });
    this.current = worker;
    try {
      return await this.found(worker, file);
    } finally {
      await worker.terminate();
    }
  }

  private found(worker: Worker, file: ReadableFile): Promise<Size | undefined> {
    let left = MOST_BYTES;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(undefined), this.options.timeoutMs ?? TIMEOUT_MS);
      const give = ({ from, length }: { readonly from: number; readonly length: number }): void => {
        left -= length;
        if (left < 0) resolve(undefined);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        else file.read(from, length).then((bytes) => worker.postMessage(bytes), reject);
      };
      worker.on('message', (message: MediainfoMessage) => {
        if ('found' in message) resolve(message.found);
        else give(message);
      });
      // It broke down on the file.
      worker.on('error', () => resolve(undefined));
      worker.on('exit', () => {
        clearTimeout(timer);
        resolve(undefined);
      });
    });
  }
}
