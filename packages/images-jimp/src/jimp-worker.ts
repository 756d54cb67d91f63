import { scaleTo, type ImageOutput, type ProcessedImage } from '@back-office/media';
import { parentPort } from 'node:worker_threads';
import type { JimpResult, JimpTask } from './jimp-image-processor.js';
import { JimpWithWebp, type JimpImage } from './jimp-with-webp.js';

const MIMES: Readonly<Record<string, 'image/jpeg' | 'image/png' | 'image/webp'>> = {
  jpeg: 'image/jpeg',
  webp: 'image/webp',
};
const WHITE = 0xff_ff_ff_ff;

parentPort?.on('message', (task: JimpTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  void runTask(task).then((answer) => parentPort?.postMessage(answer));
});

async function runTask({ id, bytes, mime, outputs }: JimpTask): Promise<JimpResult> {
  try {
    // Decoding applies the EXIF orientation and drops all metadata.
    const image = (await JimpWithWebp.fromBuffer(Buffer.from(bytes))) as unknown as JimpImage;
    const made: ProcessedImage[] = [];
    for (const output of outputs) made.push(await makeOutput(image, mime, output));
    return { id, made };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

async function makeOutput(
  image: JimpImage,
  mime: string,
  { width, format, quality }: ImageOutput,
): Promise<ProcessedImage> {
  const target = format === 'original' ? (mime as 'image/jpeg') : (MIMES[format] ?? 'image/webp');
  const size = scaleTo(width, image);
  const scaled = size.width < image.width ? image.clone().resize({ w: size.width, h: size.height }) : image.clone();
  const shown = target === 'image/jpeg' ? onWhite(scaled) : scaled;
  const bytes = await shown.getBuffer(target, target === 'image/png' ? {} : { quality });
  return { mime: target, width: shown.width, height: shown.height, bytes };
}

/** Transparent pixels would turn black in a JPEG. */
function onWhite(image: JimpImage): JimpImage {
  return new JimpWithWebp({ width: image.width, height: image.height, color: WHITE }).composite(image) as JimpImage;
}
