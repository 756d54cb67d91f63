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

export interface JimpOptions {
  /** Maximum number of pixels; a larger image is refused before it is decoded. */
  readonly pixelLimit: number;
  readonly maxCpuMs?: number;
  readonly maxMemoryMegabytes?: number;
}

export interface JimpTask {
  readonly bytes: Uint8Array;
  readonly mime: string;
  readonly outputs: readonly ImageOutput[];
}

export type JimpResult = { readonly images: readonly ProcessedImage[] } | { readonly error: string } | 'unsupported';

const INPUT_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/tiff', 'image/bmp']);
const OUTPUT_TYPES = new Set(['image/jpeg', 'image/png', 'image/webp']);
const MAX_CPU_MS = 60_000;
const MAX_ELAPSED_TO_CPU_RATIO = 20;
const MAX_MEMORY_MEGABYTES = 1_536;
const IDLE_MS = 30_000;
/** All tasks have the same owner, because the job queue already takes turns by app. */
const ALL_IMAGES = 0;
// Loads the compiled worker even when the service runs from its sources, because a process cannot load TypeScript.
const ENTRY = new URL('../dist/jimp-worker.js', import.meta.url);

/**
 * Processes one image at a time in pure JavaScript, in a child process. Suits platforms without native code. Unlike the
 * processor with sharp, it also reads BMP.
 */
export class JimpImageProcessor implements ImageProcessor {
  private readonly pool: ProcessPool<JimpTask, JimpResult>;
  private readonly turns = new Turns<number>(1);

  constructor(private readonly options: JimpOptions) {
    const { maxMemoryMegabytes = MAX_MEMORY_MEGABYTES } = options;
    this.pool = new ProcessPool({ entry: ENTRY, maxMemoryMegabytes, idleMs: IDLE_MS });
  }

  /** Returns false for AVIF, animations, CMYK, and sizes that the output type does not allow. */
  can(image: ImageFacts, format: OutputFormat, width: number = image.width): boolean {
    const { mime, animated, cmyk } = image;
    const type = format === 'original' ? mime : `image/${format}`;
    return INPUT_TYPES.has(mime) && !animated && !cmyk && OUTPUT_TYPES.has(type) && fitsType(image, width, type);
  }

  async process(
    bytes: Uint8Array,
    image: ImageFacts,
    outputs: readonly ImageOutput[],
  ): Promise<readonly ProcessedImage[]> {
    if (image.width * image.height > this.options.pixelLimit)
      throw new UnreadableFile('The image has more pixels than allowed');
    const result = await this.run({ bytes, mime: image.mime, outputs });
    if (result === 'unsupported') throw new UnsupportedImage('Jimp cannot read this variant of the type');
    if ('error' in result) throw new UnreadableFile(result.error);
    return result.images;
  }

  async close(): Promise<void> {
    await this.pool.close();
  }

  private async run(task: JimpTask): Promise<JimpResult> {
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
