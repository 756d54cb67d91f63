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
import type { SharpResult, SharpTask } from './sharp-worker.js';

export interface SharpOptions {
  /** Images with more pixels are refused before they are decoded. */
  readonly pixelLimit: number;
  /** Maximum number of images that are processed at once; each takes four bytes per pixel. */
  readonly maxConcurrent?: number;
}

const INPUT_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif', 'image/tiff']);
/** Browsers show these types. Originals of other types stay unchanged. */
const OUTPUT_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']);
const ANIMATED_OUTPUT_TYPES = new Set(['image/gif', 'image/webp']);
// Even when the sources run, the worker comes from the build: a process cannot load TypeScript.
const WORKER = new URL('../dist/sharp-worker.js', import.meta.url).href;
const IDLE_MS = 30_000;

/**
 * Processes images by libvips. Decodes an image once and derives all outputs from the widest. Child processes isolate a
 * crash, and a slow image can be abandoned at shutdown.
 */
export class SharpImageProcessor implements ImageProcessor {
  private readonly pool: Tinypool;

  constructor(private readonly options: SharpOptions) {
    this.pool = new Tinypool({
      filename: WORKER,
      runtime: 'child_process',
      serialization: 'advanced',
      minThreads: 0,
      maxThreads: options.maxConcurrent ?? 2,
      idleTimeout: IDLE_MS,
    });
  }

  can(image: ImageFacts, format: OutputFormat, width: number = image.width): boolean {
    const { mime, animated } = image;
    const type = format === 'original' ? mime : `image/${format}`;
    if (!INPUT_TYPES.has(mime) || !(animated ? ANIMATED_OUTPUT_TYPES : OUTPUT_TYPES).has(type)) return false;
    return fitsType(image, width, type);
  }

  async process(
    bytes: Uint8Array,
    image: ImageFacts,
    outputs: readonly ImageOutput[],
  ): Promise<readonly ProcessedImage[]> {
    const task: SharpTask = { bytes, image, outputs, pixelLimit: this.options.pixelLimit };
    const result = (await this.pool.run(task, { name: 'processImage' })) as SharpResult;
    if ('error' in result) throw new UnreadableFile(result.error);
    return result.images;
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
