import { sharpSampleImages } from '@back-office/images-sharp/testing';
import { parts } from '@back-office/media/testing';
import sharp, { type TiffOptions } from 'sharp';
import { JimpImageProcessor } from './jimp-image-processor.js';

const { bytes, u16le, u32le } = parts;
const processor = new JimpImageProcessor({ pixelLimit: 1_000 });
afterAll(() => processor.close());

const SIDE = 16;
const [RED, GREEN, BLUE, WHITE] = [
  [255, 0, 0],
  [0, 255, 0],
  [0, 0, 255],
  [255, 255, 255],
] as const;
const COLOURS = [RED, GREEN, BLUE, WHITE] as const;

/** Returns the index of the colour: red and green above, blue and white below. */
const colourAt = (x: number, y: number, width = SIDE): number => (y * 2 < SIDE ? 0 : 2) + (x * 2 < width ? 0 : 1);

interface BmpVariant {
  readonly bits: number;
  readonly width?: number;
  readonly compression?: number;
  readonly headerSize?: number;
  readonly isTopDown?: boolean;
  readonly masks?: readonly number[];
  readonly colours?: number;
  readonly gap?: number;
  readonly pixels?: Uint8Array;
}

function bmp(variant: BmpVariant): Uint8Array {
  const { bits, compression = 0, headerSize = 40, masks = [], colours = bits > 8 ? 0 : 2 ** bits, gap = 0 } = variant;
  const { width = SIDE, isTopDown = false } = variant;
  const rows = Array.from({ length: SIDE }, (_, y) => packRow(bits, width, y));
  const pixels = variant.pixels ?? bytes(...(isTopDown ? rows : rows.reverse()));
  const palette = Array.from({ length: colours }, (_, index) =>
    [...(COLOURS[index] ?? RED)].reverse().concat(0),
  ).flat();
  const size = [u32le(width), u32le(isTopDown ? 2 ** 32 - SIDE : SIDE)];
  const header = bytes(u32le(headerSize), ...size, u16le(1), u16le(bits), u32le(compression), u32le(pixels.length));
  const fields = bytes(header, u32le(0), u32le(0), u32le(variant.colours ?? 0), u32le(0), ...masks.map(u32le));
  const padding = new Uint8Array(Math.max(0, headerSize - fields.length));
  const pixelsAt = 14 + fields.length + padding.length + palette.length + gap;
  const head = bytes('BM', u32le(pixelsAt + pixels.length), u32le(0), u32le(pixelsAt));
  return bytes(head, fields, padding, palette, new Uint8Array(gap), pixels);
}

function packRow(bits: number, width: number, y: number): Uint8Array {
  const row = new Uint8Array(Math.ceil((width * bits) / 32) * 4);
  for (let x = 0; x < width; x += 1) {
    const index = colourAt(x, y, width);
    const [red, green, blue] = COLOURS[index] ?? RED;
    if (bits < 8) row[(x * bits) >> 3]! |= (index % 2 ** bits) << (8 - bits - ((x * bits) % 8));
    else if (bits === 8) row[x] = index;
    else if (bits === 16) row.set(u16le(((red >> 3) << 10) | ((green >> 3) << 5) | (blue >> 3)), x * 2);
    else row.set([blue, green, red, 128].slice(0, bits / 8), (x * bits) / 8);
  }
  return row;
}

async function coloursOf(mime: string, content: Uint8Array, width = SIDE, cmyk = false): Promise<readonly string[]> {
  const facts = { mime, width, height: SIDE, animated: false, cmyk };
  const [result] = await processor.process(content, facts, [{ width, format: 'webp', quality: 100 }]);
  const image = await sharpSampleImages.decode(result!.bytes);
  const places = [
    [0.2, 0.2],
    [0.8, 0.2],
    [0.2, 0.8],
    [0.8, 0.8],
  ] as const;
  return Promise.all(
    places.map(async ([x, y]) => (await image.pixelAt(x, y)).map((value) => (value + 8) >> 4).join(' ')),
  );
}

const expected = (colours: readonly (readonly number[])[]) =>
  colours.map((colour) => [...colour, 255].map((value) => (value + 8) >> 4).join(' '));
const MASKS = [0xff_00_00, 0xff_00, 0xff] as const;

describe('a BMP image', () => {
  it.each<[string, BmpVariant]>([
    ['8 bits', { bits: 8 }],
    ['8 bits with a short palette', { bits: 8, colours: 4 }],
    ['4 bits', { bits: 4 }],
    ['24 bits', { bits: 24 }],
    ['24 bits with an odd width', { bits: 24, width: 15 }],
    ['24 bits from top to bottom', { bits: 24, isTopDown: true }],
    ['24 bits with the newest header', { bits: 24, headerSize: 124 }],
    ['32 bits, whose fourth byte is unused', { bits: 32 }],
    ['32 bits with bit fields', { bits: 32, compression: 3, masks: MASKS }],
  ])('is decoded exactly: %s', async (_, variant) => {
    expect(await coloursOf('image/bmp', bmp(variant), variant.width)).toEqual(expected(COLOURS));
  });

  it('is decoded exactly: 1 bit', async () => {
    expect(await coloursOf('image/bmp', bmp({ bits: 1 }))).toEqual(expected([RED, GREEN, RED, GREEN]));
  });

  it.each<[string, BmpVariant]>([
    [
      'RLE8',
      { bits: 8, compression: 1, pixels: bytes(...Array.from({ length: SIDE }, () => [SIDE, 1, 0, 0]), [0, 1]) },
    ],
    [
      'RLE4',
      { bits: 4, compression: 2, pixels: bytes(...Array.from({ length: SIDE }, () => [SIDE, 1, 0, 0]), [0, 1]) },
    ],
    ['2 bits', { bits: 2 }],
    ['4 bits with an odd width', { bits: 4, width: 15 }],
    ['8 bits with colours beyond the palette', { bits: 8, colours: 2 }],
    ['16 bits', { bits: 16 }],
    ['16 bits with bit fields', { bits: 16, compression: 3, masks: [0xf8_00, 0x07_e0, 0x1f] }],
    ['32 bits with transparency', { bits: 32, compression: 3, headerSize: 124, masks: [...MASKS, 0xff_00_00_00] }],
    ['32 bits with other bit fields', { bits: 32, compression: 3, masks: [0x3f_f0_00_00, 0xf_fc_00, 0x3_ff] }],
    ['pixels after a gap', { bits: 24, gap: 10 }],
    ['the header of OS/2 2', { bits: 24, headerSize: 64 }],
    ['an embedded JPEG', { bits: 24, compression: 4 }],
    ['an embedded PNG', { bits: 24, compression: 5 }],
  ])('is not converted: %s', async (_, variant) => {
    await expect(coloursOf('image/bmp', bmp(variant))).rejects.toMatchObject({ name: 'UnsupportedImage' });
  });
});

describe('a JPEG image', () => {
  const jpeg = async (): Promise<Buffer> => Buffer.from(await sharpSampleImages.still('image/jpeg', SIDE, SIDE));
  const frameAt = (content: Buffer): number => content.indexOf(Buffer.from([0xff, 0xc0]));

  it.each(['4:4:4', '4:2:0'])('is decoded with chroma subsampling %s', async (chromaSubsampling) => {
    const pixels = await sharpSampleImages.still('image/png', SIDE, SIDE);
    for (const progressive of [true, false]) {
      const content = await sharp(pixels).jpeg({ quality: 100, progressive, chromaSubsampling }).toBuffer();
      expect(await coloursOf('image/jpeg', content)).toEqual(expected(COLOURS));
    }
  });

  it('is not converted when it stores RGB', async () => {
    const content = await jpeg();
    const adobe = bytes([0xff, 0xee, 0, 14], 'Adobe', [0, 100, 0, 0, 0, 0, 0]);
    const rgb = Buffer.concat([content.subarray(0, 2), adobe, content.subarray(2)]);
    await expect(coloursOf('image/jpeg', rgb)).rejects.toMatchObject({ name: 'UnsupportedImage' });
  });

  it.each([
    ['12 bits per sample', 4, 12],
    ['more than three components', 9, 4],
    ['a chroma sampling that is no whole part', 11, 0x31],
  ])('is not converted with %s', async (_, offset, value) => {
    const content = await jpeg();
    const at = frameAt(content);
    content[at + offset] = value;
    if (offset === 11) content[at + 14] = 0x21;
    await expect(coloursOf('image/jpeg', content)).rejects.toMatchObject({ name: 'UnsupportedImage' });
  });
});

describe('a TIFF image', () => {
  const pixels = () => sharpSampleImages.still('image/png', SIDE, SIDE);

  it.each(['none', 'lzw', 'deflate', 'packbits'] as const)('is decoded with compression %s', async (compression) => {
    const content = await sharp(await pixels())
      .tiff({ compression })
      .toBuffer();
    expect(await coloursOf('image/tiff', content)).toEqual(expected(COLOURS));
  });

  it.each<[string, TiffOptions]>([
    ['in tiles', { tile: true, tileWidth: 16, tileHeight: 16 }],
    ['with JPEG compression', { compression: 'jpeg' }],
    ['with WebP compression', { compression: 'webp' }],
    ['with 4 bits', { bitdepth: 4 }],
  ])('is not converted %s', async (_, options) => {
    const grey = options.bitdepth === undefined ? sharp(await pixels()) : sharp(await pixels()).greyscale();
    const content = await grey.tiff(options).toBuffer();
    await expect(coloursOf('image/tiff', content)).rejects.toMatchObject({ name: 'UnsupportedImage' });
  });

  it('is not converted when it is to be rotated', async () => {
    const content = await sharp(await pixels())
      .withMetadata({ orientation: 6 })
      .tiff({ compression: 'none' })
      .toBuffer();
    await expect(coloursOf('image/tiff', content)).rejects.toMatchObject({ name: 'UnsupportedImage' });
  });
});
