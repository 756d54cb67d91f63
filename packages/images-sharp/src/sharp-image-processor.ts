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
  /** Images of more pixels are refused before they are decoded. */
  readonly pixelLimit: number;
  /** Maximum number of images at a time; each takes four bytes per pixel. */
  readonly maxConcurrent?: number;
}

const DECODABLE = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif', 'image/tiff']);
/** Formats that browsers show; originals of other formats stay unchanged. */
const ENCODABLE = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']);
const ANIMATABLE = new Set(['image/gif', 'image/webp']);
// Points to the build from the sources, too: a process cannot load TypeScript.
const WORKER = new URL('../dist/sharp-worker.js', import.meta.url).href;
/** Idle processes end after this time. */
const IDLE_MS = 30_000;

/**
 * Processes images by libvips. Decodes once and derives all outputs from the widest. Runs in child processes: a crash
 * stays isolated, and a slow image can be abandoned at shutdown.
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
    if (!DECODABLE.has(mime) || !(animated ? ANIMATABLE : ENCODABLE).has(type)) return false;
    return fitsType(image, width, type);
  }

  async process(
    bytes: Uint8Array,
    image: ImageFacts,
    outputs: readonly ImageOutput[],
  ): Promise<readonly ProcessedImage[]> {
    const task: SharpTask = { bytes, image, outputs, pixelLimit: this.options.pixelLimit };
    const answer = (await this.pool.run(task, { name: 'processImage' })) as SharpResult;
    if ('error' in answer) throw new UnreadableFile(answer.error);
    return answer.made;
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
