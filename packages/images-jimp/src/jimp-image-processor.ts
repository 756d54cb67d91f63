import {
  fitsType,
  UnreadableFile,
  type ImageFacts,
  type ImageOutput,
  type ImageProcessor,
  type OutputFormat,
  type ProcessedImage,
} from '@back-office/media';
import { Worker } from 'node:worker_threads';

export interface JimpOptions {
  /** Images with more pixels are refused before they are decoded. */
  readonly pixelLimit: number;
  /** Time limit per image. The worker is terminated when it is exceeded. */
  readonly timeoutMs?: number;
}

export interface JimpTask {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly mime: string;
  readonly outputs: readonly ImageOutput[];
}

export type JimpResult =
  | { readonly id: number; readonly images: readonly ProcessedImage[] }
  | { readonly id: number; readonly error: string };

const INPUT_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/tiff', 'image/bmp']);
const OUTPUT_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp']);
const TIMEOUT_MS = 60_000;
const MAX_WORKER_MEGABYTES = 1_024;
// Even when the sources run, the worker comes from the build: a thread cannot load TypeScript.
const WORKER = new URL('../dist/jimp-worker.js', import.meta.url);

interface PendingTask {
  readonly resolve: (images: readonly ProcessedImage[]) => void;
  readonly reject: (error: Error) => void;
}

/** Processes one image at a time in pure JavaScript, in a thread. It serves platforms without native code, and BMP. */
export class JimpImageProcessor implements ImageProcessor {
  private worker: Worker | undefined;
  private pending: PendingTask | undefined;
  private queue: Promise<unknown> = Promise.resolve();
  private lastId = 0;

  constructor(private readonly options: JimpOptions) {}

  /** Returns false for AVIF, animations and CMYK. */
  can(image: ImageFacts, format: OutputFormat, width: number = image.width): boolean {
    const { mime, animated, cmyk } = image;
    const type = format === 'original' ? mime : `image/${format}`;
    return INPUT_TYPES.has(mime) && !animated && !cmyk && OUTPUT_TYPES.has(type) && fitsType(image, width, type);
  }

  process(bytes: Uint8Array, image: ImageFacts, outputs: readonly ImageOutput[]): Promise<readonly ProcessedImage[]> {
    if (image.width * image.height > this.options.pixelLimit) {
      return Promise.reject(new UnreadableFile('The image has more pixels than allowed'));
    }
    const result = this.queue.then(() => this.runInWorker(bytes, image.mime, outputs));
    this.queue = result.catch(() => {});
    return result;
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
    this.worker = undefined;
  }

  private runInWorker(
    bytes: Uint8Array,
    mime: string,
    outputs: readonly ImageOutput[],
  ): Promise<readonly ProcessedImage[]> {
    this.lastId += 1;
    const task: JimpTask = { id: this.lastId, bytes, mime, outputs };
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.giveUp(new UnreadableFile('The image took too long')),
        this.options.timeoutMs ?? TIMEOUT_MS,
      );
      const onSettled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value): void => {
          clearTimeout(timer);
          this.pending = undefined;
          this.worker?.unref();
          settle(value);
        };
      this.pending = { resolve: onSettled(resolve), reject: onSettled(reject) };
      this.worker ??= this.startWorker();
      this.worker.ref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      this.worker.postMessage(task);
    });
  }

  private startWorker(): Worker {
    const worker = new Worker(WORKER, { resourceLimits: { maxOldGenerationSizeMb: MAX_WORKER_MEGABYTES } });
    worker.on('message', (result: JimpResult) => {
      if (result.id !== this.lastId) return;
      if ('images' in result) this.pending?.resolve(result.images);
      else this.pending?.reject(new UnreadableFile(result.error));
    });
    worker.on('error', (error: Error) => this.giveUp(error));
    worker.on('exit', () => this.giveUp(new Error('The image worker ended')));
    return worker;
  }

  /** Terminates the thread, which may hang in an image. Another thread processes the next image. */
  private giveUp(error: Error): void {
    const { worker, pending } = this;
    this.worker = undefined;
    worker?.removeAllListeners();
    void worker?.terminate();
    pending?.reject(error);
  }
}
