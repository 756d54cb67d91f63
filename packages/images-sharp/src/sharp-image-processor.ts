import {
  scaledTo,
  type ImageFacts,
  type ImageOutput,
  type ImageProcessor,
  type OutputFormat,
  type ProcessedImage,
} from '@back-office/media';
import sharp, { type Sharp } from 'sharp';

export interface SharpOptions {
  /** Images of more pixels are refused before they are decoded. */
  readonly pixelLimit: number;
  /** Images in work at the same time; each of them decoded holds four bytes a pixel. */
  readonly atOnce?: number;
}

const DECODABLE = new Set(['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif', 'image/tiff']);
/** Formats that a browser shows; others are not written, so an original of theirs stays as it is. */
const ENCODABLE: Readonly<Record<string, 'jpeg' | 'png' | 'webp' | 'gif' | 'avif'>> = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
};
/** WebP at effort 2 is half as slow again for files a twentieth larger. */
const WEBP_EFFORT = 2;
const AVIF_EFFORT = 3;

/** Images by libvips: decoded once, every output derived from the largest one. */
export class SharpImageProcessor implements ImageProcessor {
  private readonly turns: Turns;

  constructor(private readonly options: SharpOptions) {
    // Several images at once keep the cores busier than several threads on one.
    sharp.concurrency(1);
    sharp.cache(false);
    this.turns = new Turns(options.atOnce ?? 2);
  }

  can({ mime, animated }: ImageFacts, format: OutputFormat): boolean {
    if (!DECODABLE.has(mime)) return false;
    if (animated)
      return format === 'webp' || (format === 'original' && (mime === 'image/gif' || mime === 'image/webp'));
    return format !== 'original' || Object.hasOwn(ENCODABLE, mime);
  }

  process(bytes: Uint8Array, image: ImageFacts, outputs: readonly ImageOutput[]): Promise<ProcessedImage[]> {
    return this.turns.take(() =>
      image.animated ? this.animated(bytes, image, outputs) : this.still(bytes, image, outputs),
    );
  }

  async close(): Promise<void> {}

  private async still(
    bytes: Uint8Array,
    image: ImageFacts,
    outputs: readonly ImageOutput[],
  ): Promise<ProcessedImage[]> {
    const widest = scaledTo(Math.max(0, ...outputs.map(({ width }) => width)), image);
    const { data, info } = await this.opened(bytes, false)
      .autoOrient()
      .resize({ width: widest.width, withoutEnlargement: true })
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    const raw = { width: info.width, height: info.height, channels: info.channels };
    const made: ProcessedImage[] = [];
    for (const output of outputs) made.push(await written(sharp(data, { raw }), image, output, raw));
    return made;
  }

  private async animated(
    bytes: Uint8Array,
    image: ImageFacts,
    outputs: readonly ImageOutput[],
  ): Promise<ProcessedImage[]> {
    const made: ProcessedImage[] = [];
    for (const output of outputs) made.push(await written(this.opened(bytes, true), image, output, image));
    return made;
  }

  private opened(bytes: Uint8Array, animated: boolean): Sharp {
    return sharp(bytes, { animated, limitInputPixels: this.options.pixelLimit, failOn: 'error' });
  }
}

async function written(
  source: Sharp,
  { mime }: ImageFacts,
  { width, format, quality }: ImageOutput,
  own: { readonly width: number },
): Promise<ProcessedImage> {
  const target = format === 'original' ? (ENCODABLE[mime] ?? 'webp') : format;
  const scaled = width < own.width ? source.resize({ width, withoutEnlargement: true }) : source;
  const { data, info } = await encoded(scaled, target, quality).toBuffer({ resolveWithObject: true });
  return { mime: `image/${target}`, width: info.width, height: info.pageHeight ?? info.height, bytes: data };
}

function encoded(image: Sharp, format: string, quality: number): Sharp {
  if (format === 'webp') return image.webp({ quality, effort: WEBP_EFFORT });
  if (format === 'avif') return image.avif({ quality, effort: AVIF_EFFORT });
  if (format === 'png') return image.png();
  if (format === 'gif') return image.gif();
  // Transparency would turn black.
  return image.flatten({ background: '#ffffff' }).jpeg({ quality, mozjpeg: false });
}

/** Lets so many at a time do their work, the others in the order in which they came. */
class Turns {
  private readonly waiting: (() => void)[] = [];
  private free: number;

  constructor(atOnce: number) {
    this.free = atOnce;
  }

  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}
