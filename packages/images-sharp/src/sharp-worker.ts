import { scaleTo, type ImageFacts, type ImageOutput, type ProcessedImage } from '@back-office/media';
import sharp, { type Sharp } from 'sharp';

/** An image and its outputs. */
export interface SharpTask {
  readonly bytes: Uint8Array;
  readonly image: ImageFacts;
  readonly outputs: readonly ImageOutput[];
  readonly pixelLimit: number;
}

/** The default effort of 4 takes half as long again for files 5 % smaller. */
const WEBP_EFFORT = 2;
const AVIF_EFFORT = 3;

// Several images in parallel use the cores better than several threads per image.
sharp.concurrency(1);
sharp.cache(false);

/** `error` means a broken image; a thrown error means a broken process. */
export type SharpResult = { readonly made: readonly ProcessedImage[] } | { readonly error: string };

export async function processImage(task: SharpTask): Promise<SharpResult> {
  try {
    return { made: await (task.image.animated ? animated(task) : still(task)) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function still({ bytes, image, outputs, pixelLimit }: SharpTask): Promise<ProcessedImage[]> {
  const widest = scaleTo(Math.max(1, ...outputs.map(({ width }) => width)), image);
  const { data, info } = await openImage(bytes, false, pixelLimit)
    .autoOrient()
    .resize({ width: widest.width, withoutEnlargement: true })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: info.channels };
  const made: ProcessedImage[] = [];
  for (const output of outputs) made.push(await makeOutput(sharp(data, { raw }), image, output, raw));
  return made;
}

async function animated({ bytes, image, outputs, pixelLimit }: SharpTask): Promise<ProcessedImage[]> {
  const made: ProcessedImage[] = [];
  for (const output of outputs) made.push(await makeOutput(openImage(bytes, true, pixelLimit), image, output, image));
  return made;
}

function openImage(bytes: Uint8Array, isAnimated: boolean, pixelLimit: number): Sharp {
  return sharp(bytes, { animated: isAnimated, limitInputPixels: pixelLimit, failOn: 'error' });
}

async function makeOutput(
  source: Sharp,
  { mime }: ImageFacts,
  { width, format, quality }: ImageOutput,
  own: { readonly width: number },
): Promise<ProcessedImage> {
  const type = format === 'original' ? mime : `image/${format}`;
  const scaled = width < own.width ? source.resize({ width, withoutEnlargement: true }) : source;
  const { data, info } = await encode(scaled, type, quality).toBuffer({ resolveWithObject: true });
  return { mime: type, width: info.width, height: info.pageHeight ?? info.height, bytes: data };
}

function encode(image: Sharp, type: string, quality: number): Sharp {
  if (type === 'image/webp') return image.webp({ quality, effort: WEBP_EFFORT });
  if (type === 'image/avif') return image.avif({ quality, effort: AVIF_EFFORT });
  if (type === 'image/png') return image.png();
  if (type === 'image/gif') return image.gif();
  // Transparent pixels would turn black.
  return image.flatten({ background: '#ffffff' }).jpeg({ quality, mozjpeg: false });
}
