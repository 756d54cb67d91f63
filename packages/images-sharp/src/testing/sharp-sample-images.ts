import type { SampleImages, DecodedImage } from '@back-office/media/testing';
import sharp, { type Sharp } from 'sharp';

const QUARTERS = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 255],
] as const;

/** Transforms an upright image into the stored pixels of each EXIF orientation. */
const TO_STORED_PIXELS: Readonly<Record<number, (image: Sharp) => Sharp>> = {
  2: (image) => image.flop(),
  3: (image) => image.rotate(180),
  4: (image) => image.flip(),
  5: (image) => image.rotate(270).flop(),
  6: (image) => image.rotate(270),
  7: (image) => image.rotate(90).flop(),
  8: (image) => image.rotate(90),
};

const FORMATS = {
  'image/jpeg': 'jpeg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'image/avif': 'avif',
  'image/tiff': 'tiff',
} as const;
export const DRAWABLE_MIMES = Object.keys(FORMATS) as readonly (keyof typeof FORMATS)[];

function drawQuarters(width: number, height: number, frame = 0): Sharp {
  const pixels = Buffer.alloc(width * height * 3);
  const middle = Math.ceil(width / 2);
  for (let y = 0; y < height; y += 1) {
    const [left, right] = y * 2 >= height ? [2, 3] : [0, 1];
    const [start, end] = [y * width * 3, (y + 1) * width * 3];
    pixels.fill(Buffer.from(QUARTERS[(left + frame) % 4] as readonly number[]), start, start + middle * 3);
    pixels.fill(Buffer.from(QUARTERS[(right + frame) % 4] as readonly number[]), start + middle * 3, end);
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

export const sharpSampleImages: SampleImages = {
  async still(mime, width, height, orientation = 1) {
    const uprightPng = await drawQuarters(width, height).png().toBuffer();
    const transformedImage = TO_STORED_PIXELS[orientation]?.(sharp(uprightPng)) ?? sharp(uprightPng);
    // Takes two steps, because sharp reorders rotations and flips.
    const storedImage = sharp(await transformedImage.png().toBuffer());
    const taggedImage = orientation === 1 ? storedImage : storedImage.withMetadata({ orientation });
    // Not every processor reads JPEG within TIFF.
    if (mime === 'image/tiff') return taggedImage.tiff({ compression: 'lzw' }).toBuffer();
    return taggedImage.toFormat(mime === 'image/bmp' ? 'png' : FORMATS[mime], { quality: 95 }).toBuffer();
  },
  async animated(mime, width, height, frames) {
    const framePngs = await Promise.all(
      Array.from({ length: frames }, (_, frame) => drawQuarters(width, height, frame).png().toBuffer()),
    );
    const animation = sharp(framePngs, { join: { animated: true } });
    return (mime === 'image/gif' ? animation.gif() : animation.webp({ lossless: true })).toBuffer();
  },
  noisy(width, height) {
    const pixels = Buffer.alloc(width * height * 3);
    for (let at = 0, value = 1; at < pixels.length; at += 1) {
      value = (value * 75) % 65_537;
      pixels[at] = value;
    }
    return sharp(pixels, { raw: { width, height, channels: 3 } })
      .jpeg({ quality: 95 })
      .toBuffer();
  },
  async transparent(width, height) {
    const pixels = Buffer.alloc(width * height * 4);
    for (let at = 0; at < width * height; at += 1) pixels.set([200, 0, 0, at * 2 < width * height ? 255 : 0], at * 4);
    return sharp(pixels, { raw: { width, height, channels: 4 } })
      .png()
      .toBuffer();
  },
  cmyk: (width, height) =>
    drawQuarters(width, height).toColourspace('cmyk').withIccProfile('cmyk').jpeg({ quality: 95 }).toBuffer(),
  deep: (width, height) => drawQuarters(width, height).toColourspace('rgb16').png().toBuffer(),
  withLocation: (width, height) =>
    drawQuarters(width, height)
      .withExif({ IFD0: { Make: 'Camera' }, IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '44/1 49/1 0/1' } })
      .jpeg()
      .toBuffer(),
  decode: decodeImage,
};

async function decodeImage(bytes: Uint8Array): Promise<DecodedImage> {
  const { width, height, pageHeight, format, pages, exif, xmp, iptc, mediaType } = await sharp(bytes, {
    animated: true,
  }).metadata();
  return {
    width,
    height: pageHeight ?? height,
    mime: mediaType ?? `image/${format}`,
    pages: pages ?? 1,
    hasMetadata: (exif ?? xmp ?? iptc) !== undefined,
    async pixelAt(x, y) {
      const { data, info } = await sharp(bytes)
        .toColourspace('srgb')
        .ensureAlpha()
        .raw()
        .toBuffer({ resolveWithObject: true });
      const offset = (Math.floor(y * info.height) * info.width + Math.floor(x * info.width)) * 4;
      return [data[offset] ?? 0, data[offset + 1] ?? 0, data[offset + 2] ?? 0, data[offset + 3] ?? 0];
    },
  };
}
