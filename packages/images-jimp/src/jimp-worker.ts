import { scaledTo, type ImageOutput, type ProcessedImage } from '@back-office/media';
import { parentPort } from 'node:worker_threads';
import type { JimpAnswer, JimpTask } from './jimp-image-processor.js';
import { JimpWithWebp, type Picture } from './jimp-with-webp.js';

const MIMES: Readonly<Record<string, 'image/jpeg' | 'image/png' | 'image/webp'>> = {
  jpeg: 'image/jpeg',
  webp: 'image/webp',
};
const WHITE = 0xff_ff_ff_ff;

parentPort?.on('message', (task: JimpTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  void answered(task).then((answer) => parentPort?.postMessage(answer));
});

async function answered({ id, bytes, mime, outputs }: JimpTask): Promise<JimpAnswer> {
  try {
    // Its reader has applied the EXIF orientation already, and forgets the rest of the metadata.
    const image = (await JimpWithWebp.fromBuffer(Buffer.from(bytes))) as unknown as Picture;
    const made: ProcessedImage[] = [];
    for (const output of outputs) made.push(await written(image, mime, output));
    return { id, made };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}

async function written(image: Picture, mime: string, { width, format, quality }: ImageOutput): Promise<ProcessedImage> {
  const target = format === 'original' ? (mime as 'image/jpeg') : (MIMES[format] ?? 'image/webp');
  const size = scaledTo(width, image);
  const scaled = size.width < image.width ? image.clone().resize({ w: size.width, h: size.height }) : image.clone();
  const shown = target === 'image/jpeg' ? onWhite(scaled) : scaled;
  const bytes = await shown.getBuffer(target, target === 'image/png' ? {} : { quality });
  return { mime: target, width: shown.width, height: shown.height, bytes };
}

/** JPEG has no transparency; what shines through would turn black. */
function onWhite(image: Picture): Picture {
  return new JimpWithWebp({ width: image.width, height: image.height, color: WHITE }).composite(image) as Picture;
}
