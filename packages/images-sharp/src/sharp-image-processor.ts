import {
  fitsType,
  UnreadableFile,
  type ImageFacts,
  type ImageOutput,
  type ImageProcessor,
  type OutputFormat,
  type ProcessedImage,
} from '@back-office/media';
import { Tinypool } from 'tinypool';
import type { SharpAnswer, SharpTask } from './sharp-worker.js';

export interface SharpOptions {
  /** Images of more pixels are refused before they are decoded. */
  readonly pixelLimit: number;
  /** Images in work at the same time; each of them decoded holds four bytes a pixel. */
  readonly atOnce?: number;
}

const DECODABLE = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif', 'image/tiff']);
/** Formats that a browser shows; others are not written, so an original of theirs stays as it is. */
const ENCODABLE = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']);
const MOVING = new Set(['image/gif', 'image/webp']);
// From the sources as well as from the build: a process runs what Node can read.
const WORKER = new URL('../dist/sharp-worker.js', import.meta.url).href;
/** After which a process that has nothing to do ends. */
const IDLE_MS = 30_000;

/**
 * Images by libvips: decoded once, every output derived from the largest one. In processes of their own: an image that
 * takes them down takes nothing else down, and one that takes minutes can be given up when the service ends.
 */
export class SharpImageProcessor implements ImageProcessor {
  private readonly pool: Tinypool;

  constructor(private readonly options: SharpOptions) {
    this.pool = new Tinypool({
      filename: WORKER,
      runtime: 'child_process',
      serialization: 'advanced',
      minThreads: 0,
      maxThreads: options.atOnce ?? 2,
      idleTimeout: IDLE_MS,
    });
  }

  can(image: ImageFacts, format: OutputFormat, width: number = image.width): boolean {
    const { mime, animated } = image;
    const type = format === 'original' ? mime : `image/${format}`;
    if (!DECODABLE.has(mime) || !(animated ? MOVING : ENCODABLE).has(type)) return false;
    return fitsType(image, width, type);
  }

  async process(
    bytes: Uint8Array,
    image: ImageFacts,
    outputs: readonly ImageOutput[],
  ): Promise<readonly ProcessedImage[]> {
    const task: SharpTask = { bytes, image, outputs, pixelLimit: this.options.pixelLimit };
    const answer = (await this.pool.run(task, { name: 'processed' })) as SharpAnswer;
    if ('error' in answer) throw new UnreadableFile(answer.error);
    return answer.made;
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
