import { scaleTo, type ImageFacts, type ImageOutput, type ProcessedImage } from '@back-office/media';
import { serveTasks } from '@back-office/upload-parser/processes';
import sharp, { type Sharp } from 'sharp';
import { isSupportedVariant } from './supported-variant.js';

export interface SharpTask {
  readonly bytes: Uint8Array;
  readonly image: ImageFacts;
  readonly outputs: readonly ImageOutput[];
  readonly pixelLimit: number;
}

/** Outputs of at most this size are scaled from one decoded image. A larger decoded image would need too much memory. */
const MAX_SHARED_PIXELS = 25_000_000;
/** The default effort of 4 would take 50 % longer and make files only 5 % smaller. */
const WEBP_EFFORT = 2;
const AVIF_EFFORT = 3;

// One thread per image, because several images in parallel use the cores better than several threads per image.
sharp.concurrency(1);
sharp.cache(false);

/** `error` is a message; it is present if the image is broken. */
export type SharpResult = { readonly images: readonly ProcessedImage[] } | { readonly error: string } | 'unsupported';

async function processImage(task: SharpTask): Promise<SharpResult> {
  if (!isSupportedVariant(task.bytes, task.image)) return 'unsupported';
  try {
    return { images: await (task.image.animated ? processAnimated(task) : processStill(task)) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function processStill(task: SharpTask): Promise<ProcessedImage[]> {
  const { image, outputs } = task;
  const makeFromPixels = makerFromPixels(
    task,
    outputs.filter((output) => isShared(output, image)),
  );
  const images: ProcessedImage[] = [];
  for (const output of outputs)
    images.push(await (isShared(output, image) ? makeFromPixels(output) : makeFromSource(task, output)));
  return images;
}

function isShared({ width }: ImageOutput, image: ImageFacts): boolean {
  const size = scaleTo(width, image);
  return size.width * size.height <= MAX_SHARED_PIXELS;
}

function makerFromPixels(
  task: SharpTask,
  outputs: readonly ImageOutput[],
): (output: ImageOutput) => Promise<ProcessedImage> {
  const { image } = task;
  const maxWidth = Math.max(1, ...outputs.map(({ width }) => width));
  const decode = () =>
    openUpright(task, scaleTo(maxWidth, image).width).raw({ depth: 'uchar' }).toBuffer({ resolveWithObject: true });
  let decoded: ReturnType<typeof decode> | undefined;
  return async (output) => {
    const { data, info } = await (decoded ??= decode());
    const raw = { width: info.width, height: info.height, channels: info.channels };
    return resizeAndEncode(sharp(data, { raw }), image, output);
  };
}

function makeFromSource(task: SharpTask, output: ImageOutput): Promise<ProcessedImage> {
  const { image } = task;
  return encodeOutput(openUpright(task, scaleTo(output.width, image).width), image, output);
}

function openUpright(task: SharpTask, width: number): Sharp {
  return openImage(task).autoOrient().resize({ width, withoutEnlargement: true }).toColourspace('srgb');
}

async function processAnimated(task: SharpTask): Promise<ProcessedImage[]> {
  const images: ProcessedImage[] = [];
  for (const output of task.outputs) images.push(await resizeAndEncode(openImage(task), task.image, output));
  return images;
}

function openImage({ bytes, image, pixelLimit }: SharpTask): Sharp {
  return sharp(bytes, { animated: image.animated, limitInputPixels: pixelLimit, failOn: 'error' });
}

function resizeAndEncode(source: Sharp, image: ImageFacts, output: ImageOutput): Promise<ProcessedImage> {
  return encodeOutput(source.resize({ width: output.width, withoutEnlargement: true }), image, output);
}

async function encodeOutput(
  image: Sharp,
  { mime }: ImageFacts,
  { format, quality }: ImageOutput,
): Promise<ProcessedImage> {
  const type = format === 'original' ? mime : `image/${format}`;
  const { data, info } = await encode(image, type, quality).toBuffer({ resolveWithObject: true });
  return { mime: type, width: info.width, height: info.pageHeight ?? info.height, bytes: data };
}

function encode(image: Sharp, type: string, quality: number): Sharp {
  if (type === 'image/webp') return image.webp({ quality, effort: WEBP_EFFORT });
  if (type === 'image/avif') return image.avif({ quality, effort: AVIF_EFFORT });
  if (type === 'image/png') return image.png();
  if (type === 'image/gif') return image.gif();
  // Uses a white background, because transparent pixels would turn black in a JPEG.
  return image.flatten({ background: '#ffffff' }).jpeg({ quality, mozjpeg: false });
}

serveTasks(processImage);
