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
  /** Of one image, after which its worker is ended. */
  readonly timeoutMs?: number;
}

/** A task as the worker gets it. */
export interface JimpTask {
  readonly id: number;
  readonly bytes: Uint8Array;
  readonly mime: string;
  readonly outputs: readonly ImageOutput[];
}

export type JimpAnswer =
  { readonly id: number; readonly made: readonly ProcessedImage[] } | { readonly id: number; readonly error: string };

const READ = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/tiff', 'image/bmp']);
const WRITTEN = new Set(['image/jpeg', 'image/png', 'image/webp']);
const TIMEOUT_MS = 60_000;
const WORKER_MEGABYTES = 1_024;
// From the sources as well as from the build: a thread runs what Node can read.
const WORKER = new URL('../dist/jimp-worker.js', import.meta.url);

interface Waiting {
  readonly resolve: (made: readonly ProcessedImage[]) => void;
  readonly reject: (error: Error) => void;
}

/** Images in pure JavaScript, one at a time, in a thread of its own: for platforms without native code, and for BMP. */
export class JimpImageProcessor implements ImageProcessor {
  private worker: Worker | undefined;
  private waiting: Waiting | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private lastId = 0;

  constructor(private readonly options: JimpOptions) {}

  /** No AVIF, nothing that moves, no CMYK: such files stay as they were uploaded. */
  can(image: ImageFacts, format: OutputFormat, width: number = image.width): boolean {
    const { mime, animated, cmyk } = image;
    const type = format === 'original' ? mime : `image/${format}`;
    return READ.has(mime) && !animated && !cmyk && WRITTEN.has(type) && fitsType(image, width, type);
  }

  process(bytes: Uint8Array, image: ImageFacts, outputs: readonly ImageOutput[]): Promise<readonly ProcessedImage[]> {
    if (image.width * image.height > this.options.pixelLimit) {
      return Promise.reject(new UnreadableFile('The image has more pixels than are allowed'));
    }
    const turn = this.last.then(() => this.inWorker(bytes, image.mime, outputs));
    this.last = turn.catch(() => {});
    return turn;
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
    this.worker = undefined;
  }

  private inWorker(
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
        <Value>(tell: (value: Value) => void) =>
        (value: Value): void => {
          clearTimeout(timer);
          this.waiting = undefined;
          this.worker?.unref();
          tell(value);
        };
      this.waiting = { resolve: settled(resolve), reject: settled(reject) };
      this.worker ??= this.started();
      this.worker.ref();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      this.worker.postMessage(task);
    });
  }

  private started(): Worker {
    const worker = new Worker(WORKER, { resourceLimits: { maxOldGenerationSizeMb: WORKER_MEGABYTES } });
    worker.on('message', (answer: JimpAnswer) => {
      if (answer.id !== this.lastId) return;
      if ('made' in answer) this.waiting?.resolve(answer.made);
      else this.waiting?.reject(new UnreadableFile(answer.error));
    });
    worker.on('error', (error: Error) => this.giveUp(error));
    worker.on('exit', () => this.giveUp(new Error('The image worker ended')));
    return worker;
  }

  /** The thread may be lost in an image; the next one gets a new one. */
  private giveUp(error: Error): void {
    const { worker, waiting } = this;
    this.worker = undefined;
    worker?.removeAllListeners();
    void worker?.terminate();
    waiting?.reject(error);
  }
}
