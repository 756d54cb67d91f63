import { scaleTo, type ImageFacts, type ImageOutput, type ProcessedImage } from '@back-office/media';
import sharp, { type Sharp } from 'sharp';

export interface SharpTask {
  readonly bytes: Uint8Array;
  readonly image: ImageFacts;
  readonly outputs: readonly ImageOutput[];
  readonly pixelLimit: number;
}

/** The default effort of 4 takes half as long again and makes files 5 % smaller. */
const WEBP_EFFORT = 2;
const AVIF_EFFORT = 3;

// Several images in parallel use the cores better than several threads per image.
sharp.concurrency(1);
sharp.cache(false);

/** `error` reports a broken image; a thrown error means a broken process. */
export type SharpResult = { readonly images: readonly ProcessedImage[] } | { readonly error: string };

export async function processImage(task: SharpTask): Promise<SharpResult> {
  try {
    return { images: await (task.image.animated ? processAnimated(task) : processStill(task)) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function processStill({ bytes, image, outputs, pixelLimit }: SharpTask): Promise<ProcessedImage[]> {
  const widestSize = scaleTo(Math.max(1, ...outputs.map(({ width }) => width)), image);
  const { data, info } = await openImage(bytes, false, pixelLimit)
    .autoOrient()
    .resize({ width: widestSize.width, withoutEnlargement: true })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: info.channels };
  const images: ProcessedImage[] = [];
  for (const output of outputs) images.push(await makeOutput(sharp(data, { raw }), image, output, raw));
  return images;
}

async function processAnimated({ bytes, image, outputs, pixelLimit }: SharpTask): Promise<ProcessedImage[]> {
  const images: ProcessedImage[] = [];
  for (const output of outputs) images.push(await makeOutput(openImage(bytes, true, pixelLimit), image, output, image));
  return images;
}

function openImage(bytes: Uint8Array, isAnimated: boolean, pixelLimit: number): Sharp {
  return sharp(bytes, { animated: isAnimated, limitInputPixels: pixelLimit, failOn: 'error' });
}

async function makeOutput(
  source: Sharp,
  { mime }: ImageFacts,
  { width, format, quality }: ImageOutput,
  original: { readonly width: number },
): Promise<ProcessedImage> {
  const type = format === 'original' ? mime : `image/${format}`;
  const scaledImage = width < original.width ? source.resize({ width, withoutEnlargement: true }) : source;
  const { data, info } = await encode(scaledImage, type, quality).toBuffer({ resolveWithObject: true });
  return { mime: type, width: info.width, height: info.pageHeight ?? info.height, bytes: data };
}

function encode(image: Sharp, type: string, quality: number): Sharp {
  if (type === 'image/webp') return image.webp({ quality, effort: WEBP_EFFORT });
  if (type === 'image/avif') return image.avif({ quality, effort: AVIF_EFFORT });
  if (type === 'image/png') return image.png();
  if (type === 'image/gif') return image.gif();
  // Transparent pixels would turn black in a JPEG.
  return image.flatten({ background: '#ffffff' }).jpeg({ quality, mozjpeg: false });
}
