import { scaledTo, type ImageFacts, type ImageOutput, type ProcessedImage } from '@back-office/media';
import sharp, { type Sharp } from 'sharp';

/** An image, and what is to be made of it. */
export interface SharpTask {
  readonly bytes: Uint8Array;
  readonly image: ImageFacts;
  readonly outputs: readonly ImageOutput[];
  readonly pixelLimit: number;
}

/** WebP at effort 2 is half as slow again for files a twentieth larger. */
const WEBP_EFFORT = 2;
const AVIF_EFFORT = 3;

// Several images at once keep the cores busier than several threads on one.
sharp.concurrency(1);
sharp.cache(false);

/** What is wrong with the image is told as an answer: an error is one of the process, and says nothing of the image. */
export type SharpAnswer = { readonly made: readonly ProcessedImage[] } | { readonly error: string };

export async function processed(task: SharpTask): Promise<SharpAnswer> {
  try {
    return { made: await (task.image.animated ? animated(task) : still(task)) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function still({ bytes, image, outputs, pixelLimit }: SharpTask): Promise<ProcessedImage[]> {
  const widest = scaledTo(Math.max(0, ...outputs.map(({ width }) => width)), image);
  const { data, info } = await opened(bytes, false, pixelLimit)
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

async function animated({ bytes, image, outputs, pixelLimit }: SharpTask): Promise<ProcessedImage[]> {
  const made: ProcessedImage[] = [];
  for (const output of outputs) made.push(await written(opened(bytes, true, pixelLimit), image, output, image));
  return made;
}

function opened(bytes: Uint8Array, isAnimated: boolean, pixelLimit: number): Sharp {
  return sharp(bytes, { animated: isAnimated, limitInputPixels: pixelLimit, failOn: 'error' });
}

async function written(
  source: Sharp,
  { mime }: ImageFacts,
  { width, format, quality }: ImageOutput,
  own: { readonly width: number },
): Promise<ProcessedImage> {
  const type = format === 'original' ? mime : `image/${format}`;
  const scaled = width < own.width ? source.resize({ width, withoutEnlargement: true }) : source;
  const { data, info } = await encoded(scaled, type, quality).toBuffer({ resolveWithObject: true });
  return { mime: type, width: info.width, height: info.pageHeight ?? info.height, bytes: data };
}

function encoded(image: Sharp, type: string, quality: number): Sharp {
  if (type === 'image/webp') return image.webp({ quality, effort: WEBP_EFFORT });
  if (type === 'image/avif') return image.avif({ quality, effort: AVIF_EFFORT });
  if (type === 'image/png') return image.png();
  if (type === 'image/gif') return image.gif();
  // Transparency would turn black.
  return image.flatten({ background: '#ffffff' }).jpeg({ quality, mozjpeg: false });
}
