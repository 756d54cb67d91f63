import { scaleTo, type ImageOutput, type ProcessedImage } from '@back-office/media';
import { serveTasks } from '@back-office/upload-parser/processes';
import type { JimpResult, JimpTask } from './jimp-image-processor.js';
import { JimpWithWebp, type JimpImage } from './jimp-with-webp.js';
import { isSupportedVariant } from './supported-variant.js';

const WHITE = 0xff_ff_ff_ff;

async function runTask({ bytes, mime, outputs }: JimpTask): Promise<JimpResult> {
  if (!isSupportedVariant(bytes, mime)) return 'unsupported';
  try {
    // Decoding applies the EXIF orientation and drops all metadata.
    const image = (await JimpWithWebp.fromBuffer(Buffer.from(bytes))) as unknown as JimpImage;
    const images: ProcessedImage[] = [];
    for (const output of outputs) images.push(await makeOutput(image, mime, output));
    return { images };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

async function makeOutput(
  image: JimpImage,
  mime: string,
  { width, format, quality }: ImageOutput,
): Promise<ProcessedImage> {
  const mimeType = format === 'original' ? mime : `image/${format}`;
  const size = scaleTo(width, image);
  const scaledImage =
    size.width < image.width ? image.clone().resize({ w: size.width, h: size.height }) : image.clone();
  const outputImage = mimeType === 'image/jpeg' ? drawOnWhite(scaledImage) : scaledImage;
  const bytes = await outputImage.getBuffer(mimeType, mimeType === 'image/png' ? {} : { quality });
  return { mime: mimeType, width: outputImage.width, height: outputImage.height, bytes };
}

/** Draws the image on white, because transparent pixels would turn black in a JPEG. */
function drawOnWhite(image: JimpImage): JimpImage {
  return new JimpWithWebp({ width: image.width, height: image.height, color: WHITE }).composite(image) as JimpImage;
}

serveTasks(runTask);
