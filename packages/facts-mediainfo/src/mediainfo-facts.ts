import type { MediaFacts, ReadableFile, Size } from '@back-office/media';
import { Worker } from 'node:worker_threads';

export interface MediainfoOptions {
  /** Time limit per file; its size is unknown then. */
  readonly timeoutMs?: number;
  /** Memory limit per file; its size is unknown above it. */
  readonly memoryMegabytes?: number;
}

/** Data that a thread starts with. */
export interface MediainfoTask {
  readonly size: number;
  readonly memoryMegabytes: number;
}

/** A request of the thread for bytes, or its result. */
export type MediainfoMessage =
  { readonly from: number; readonly length: number } | { readonly found: Size | undefined };

const TIMEOUT_MS = 10_000;
const MAX_READ_BYTES = 64 * 2 ** 20;
const MEMORY_MEGABYTES = 256;
// Points to the build from the sources, too: a thread cannot load TypeScript.
const WORKER = new URL('../dist/mediainfo-worker.js', import.meta.url);

/** Reads videos by MediaInfo, one at a time, each in a thread that requests ranges of the file. */
export class MediainfoFacts implements MediaFacts {
  private last: Promise<unknown> = Promise.resolve();
  private current: Worker | undefined;

  constructor(private readonly options: MediainfoOptions = {}) {}

  sizeOf(file: ReadableFile): Promise<Size | undefined> {
    const turn = this.last.then(() => this.runInThread(file));
    this.last = turn.catch(() => {});
    return turn;
  }

  async close(): Promise<void> {
    await this.current?.terminate();
  }

  private async runInThread(file: ReadableFile): Promise<Size | undefined> {
    const memoryMegabytes = this.options.memoryMegabytes ?? MEMORY_MEGABYTES;
    const task: MediainfoTask = { size: file.size, memoryMegabytes };
    const worker = new Worker(WORKER, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: memoryMegabytes },
      // Keeps the library's output out of the service's log.
      stdout: true,
      stderr: true,
    });
    this.current = worker;
    try {
      return await this.serve(worker, file);
    } finally {
      await worker.terminate();
    }
  }

  private serve(worker: Worker, file: ReadableFile): Promise<Size | undefined> {
    let left = MAX_READ_BYTES;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(undefined), this.options.timeoutMs ?? TIMEOUT_MS);
      const sendRange = ({ from, length }: { readonly from: number; readonly length: number }): void => {
        left -= length;
        if (left < 0) resolve(undefined);
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
        else file.read(from, length).then((bytes) => worker.postMessage(bytes), reject);
      };
      worker.on('message', (message: MediainfoMessage) => {
        if ('found' in message) resolve(message.found);
        else sendRange(message);
      });
      // The file has crashed the library.
      worker.on('error', () => resolve(undefined));
      worker.on('exit', () => {
        clearTimeout(timer);
        resolve(undefined);
      });
    });
  }
}
