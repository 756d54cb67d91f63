import type { MediaFacts, ReadableFile, Size } from '@back-office/media';
import { Worker } from 'node:worker_threads';

export interface MediainfoOptions {
  /** Timeout per file; the size of a file that takes longer is unknown. */
  readonly timeoutMs?: number;
  /** Memory limit per file; the size of a file above the limit is unknown. */
  readonly memoryMegabytes?: number;
}

export interface MediainfoTask {
  readonly size: number;
  readonly memoryMegabytes: number;
}

export type MediainfoMessage = { readonly from: number; readonly length: number } | { readonly size: Size | undefined };

const TIMEOUT_MS = 10_000;
const MAX_READ_BYTES = 64 * 2 ** 20;
const MEMORY_MEGABYTES = 256;
// Loads the compiled worker even when the service runs from its sources, because a thread cannot load TypeScript.
const WORKER = new URL('../dist/mediainfo-worker.js', import.meta.url);

/** Reads one video at a time with MediaInfo, in a thread that requests ranges of the file. */
export class MediainfoFacts implements MediaFacts {
  private queue: Promise<unknown> = Promise.resolve();
  private worker: Worker | undefined;

  constructor(private readonly options: MediainfoOptions = {}) {}

  sizeOf(file: ReadableFile): Promise<Size | undefined> {
    const result = this.queue.then(() => this.runInThread(file));
    this.queue = result.catch(() => {});
    return result;
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private async runInThread(file: ReadableFile): Promise<Size | undefined> {
    const memoryMegabytes = this.options.memoryMegabytes ?? MEMORY_MEGABYTES;
    const task: MediainfoTask = { size: file.size, memoryMegabytes };
    const worker = new Worker(WORKER, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
      // Keeps the output of the library out of the service's log.
      stdout: true,
      stderr: true,
    });
    this.worker = worker;
    try {
      return await this.serveRanges(worker, file);
    } finally {
      await worker.terminate();
    }
  }

  private serveRanges(worker: Worker, file: ReadableFile): Promise<Size | undefined> {
    let remainingBytes = MAX_READ_BYTES;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(undefined), this.options.timeoutMs ?? TIMEOUT_MS);
      const sendRange = ({ from, length }: { readonly from: number; readonly length: number }): void => {
        remainingBytes -= length;
        if (remainingBytes < 0) resolve(undefined);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        else file.read(from, length).then((bytes) => worker.postMessage(bytes), reject);
      };
      worker.on('message', (message: MediainfoMessage) => {
        if ('size' in message) resolve(message.size);
        else sendRange(message);
      });
      // Treats a crash of the library as an unreadable file.
      worker.on('error', () => resolve(undefined));
      worker.on('exit', () => {
        clearTimeout(timer);
        resolve(undefined);
      });
    });
  }
}
