import { Turns } from '@back-office/kernel';
import {
  CostlyFile,
  fitsType,
  UnreadableFile,
  UnsupportedImage,
  type ImageFacts,
  type ImageOutput,
  type ImageProcessor,
  type OutputFormat,
  type ProcessedImage,
} from '@back-office/media';
import { ProcessPool, TaskExceededLimit } from '@back-office/upload-parser/processes';
import type { SharpResult, SharpTask } from './sharp-worker.js';

export interface SharpOptions {
  /** Maximum number of pixels; a larger image is refused before it is decoded. */
  readonly pixelLimit: number;
  /** Maximum number of images processed at the same time; each image takes up to 15 bytes per pixel. */
  readonly maxConcurrent?: number;
  readonly maxCpuMs?: number;
  readonly maxMemoryMegabytes?: number;
}

const INPUT_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif', 'image/tiff']);
/** Types that browsers can show. An image of another type stays as uploaded. */
const OUTPUT_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']);
/** Types whose animations libvips reads and writes. Of others, such as APNG, it reads only the first frame. */
const ANIMATED_TYPES = new Set(['image/gif', 'image/webp']);
// Loads the compiled worker even when the service runs from its sources, because a process cannot load TypeScript.
const ENTRY = new URL('../dist/sharp-worker.js', import.meta.url);
const IDLE_MS = 30_000;
/** An app can run two jobs at once, so a third process stays free for other apps. */
const DEFAULT_CONCURRENT = 3;
/** All tasks have the same owner, because the job queue already takes turns by app. */
const ALL_IMAGES = 0;
const MAX_CPU_MS = 60_000;
const MAX_ELAPSED_TO_CPU_RATIO = 20;
const MAX_MEMORY_MEGABYTES = 1_536;
/** Larger images are processed one at a time, so that small images always find a free process. */
const LARGE_IMAGE_PIXELS = 25_000_000;

/**
 * Processes images with libvips. Decodes an image once and derives all outputs from the widest. Child processes isolate
 * crashes, and let a shutdown abandon a slow image.
 */
export class SharpImageProcessor implements ImageProcessor {
  private readonly pool: ProcessPool<SharpTask, SharpResult>;
  private readonly turns: Turns<number>;
  private lastLargeImage: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: SharpOptions) {
    const { maxConcurrent = DEFAULT_CONCURRENT, maxMemoryMegabytes = MAX_MEMORY_MEGABYTES } = options;
    this.pool = new ProcessPool({ entry: ENTRY, maxMemoryMegabytes, idleMs: IDLE_MS });
    this.turns = new Turns(maxConcurrent);
  }

  can(image: ImageFacts, format: OutputFormat, width: number = image.width): boolean {
    const { mime, animated } = image;
    const type = format === 'original' ? mime : `image/${format}`;
    const [inputTypes, outputTypes] = animated ? [ANIMATED_TYPES, ANIMATED_TYPES] : [INPUT_TYPES, OUTPUT_TYPES];
    return inputTypes.has(mime) && outputTypes.has(type) && fitsType(image, width, type);
  }

  async process(
    bytes: Uint8Array,
    image: ImageFacts,
    outputs: readonly ImageOutput[],
  ): Promise<readonly ProcessedImage[]> {
    const task: SharpTask = { bytes, image, outputs, pixelLimit: this.options.pixelLimit };
    const isLarge = image.width * image.height > LARGE_IMAGE_PIXELS;
    const result = await (isLarge ? this.runAfterLargeImages(task) : this.run(task));
    if (result === 'unsupported') throw new UnsupportedImage('libvips cannot read this variant of the type');
    if ('error' in result) throw new UnreadableFile(result.error);
    return result.images;
  }

  async close(): Promise<void> {
    await this.pool.close();
  }

  private runAfterLargeImages(task: SharpTask): Promise<SharpResult> {
    const result = this.lastLargeImage.then(() => this.run(task));
    this.lastLargeImage = result.catch(() => {});
    return result;
  }

  private async run(task: SharpTask): Promise<SharpResult> {
    const maxCpuMs = this.options.maxCpuMs ?? MAX_CPU_MS;
    const limits = { maxCpuMs, maxElapsedMs: maxCpuMs * MAX_ELAPSED_TO_CPU_RATIO };
    try {
      return await this.turns.run(ALL_IMAGES, () => this.pool.run(task, limits));
    } catch (error) {
      if (error instanceof TaskExceededLimit) throw new CostlyFile(error.message, { cause: error });
      throw error;
    }
  }
}
