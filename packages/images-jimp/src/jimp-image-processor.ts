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
  /** Images of more pixels are refused before they are decoded. */
  readonly pixelLimit: number;
  /** Time limit per image; its worker is terminated then. */
  readonly timeoutMs?: number;
}

/** Message to the worker. */
export interface JimpTask {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly mime: string;
  readonly outputs: readonly ImageOutput[];
}

export type JimpResult =
  { readonly id: number; readonly made: readonly ProcessedImage[] } | { readonly id: number; readonly error: string };

const READABLE = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/tiff', 'image/bmp']);
const WRITABLE = new Set(['image/jpeg', 'image/png', 'image/webp']);
const TIMEOUT_MS = 60_000;
const MAX_WORKER_MEGABYTES = 1_024;
// Points to the build from the sources, too: a thread cannot load TypeScript.
const WORKER = new URL('../dist/jimp-worker.js', import.meta.url);

interface PendingTask {
  readonly resolve: (made: readonly ProcessedImage[]) => void;
  readonly reject: (error: Error) => void;
}

/** Processes images in pure JavaScript, one at a time in a thread: for platforms without native code, and for BMP. */
export class JimpImageProcessor implements ImageProcessor {
  private worker: Worker | undefined;
  private pending: PendingTask | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private lastId = 0;

  constructor(private readonly options: JimpOptions) {}

  /** False for AVIF, animations and CMYK. */
  can(image: ImageFacts, format: OutputFormat, width: number = image.width): boolean {
    const { mime, animated, cmyk } = image;
    const type = format === 'original' ? mime : `image/${format}`;
    return READABLE.has(mime) && !animated && !cmyk && WRITABLE.has(type) && fitsType(image, width, type);
  }

  process(bytes: Uint8Array, image: ImageFacts, outputs: readonly ImageOutput[]): Promise<readonly ProcessedImage[]> {
    if (image.width * image.height > this.options.pixelLimit) {
      return Promise.reject(new UnreadableFile('The image has more pixels than allowed'));
    }
    const turn = this.last.then(() => this.runInWorker(bytes, image.mime, outputs));
    this.last = turn.catch(() => {});
    return turn;
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
      const settled =
        <Value>(settle: (value: Value) => void) =>
        (value: Value): void => {
          clearTimeout(timer);
          this.pending = undefined;
          this.worker?.unref();
          settle(value);
        };
      this.pending = { resolve: settled(resolve), reject: settled(reject) };
      this.worker ??= this.startWorker();
      this.worker.ref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      this.worker.postMessage(task);
    });
  }

  private startWorker(): Worker {
    const worker = new Worker(WORKER, { resourceLimits: { maxOldGenerationSizeMb: MAX_WORKER_MEGABYTES } });
    worker.on('message', (answer: JimpResult) => {
      if (answer.id !== this.lastId) return;
      if ('made' in answer) this.pending?.resolve(answer.made);
      else this.pending?.reject(new UnreadableFile(answer.error));
    });
    worker.on('error', (error: Error) => this.giveUp(error));
    worker.on('exit', () => this.giveUp(new Error('The image worker ended')));
    return worker;
  }

  /** Terminates the thread, which may hang in an image. The next image gets another. */
  private giveUp(error: Error): void {
    const { worker, pending } = this;
    this.worker = undefined;
    worker?.removeAllListeners();
    void worker?.terminate();
    pending?.reject(error);
  }
}
