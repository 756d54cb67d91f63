import { fileType, imageFacts, stripLocation } from '@back-office/media';
import { collectBytes, streamInChunks, parts, streamOf } from '@back-office/media/testing';
import { chunkSizes } from '@back-office/media/testing/arbitraries';
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { sharpSampleImages } from './testing/index.js';

const { LOCATION, hasLocation, XMP, bytes, jpegSegment: segment, pngChunk, exif } = parts;
const [WIDTH, HEIGHT] = [90, 60];
const PACKET = XMP.slice(XMP.indexOf('\0') + 1);

function drawPixels(frame = 0): Sharp {
  const colours = Buffer.alloc(WIDTH * HEIGHT * 3, 0);
  for (let at = 0; at < colours.length; at += 1) colours[at] = (at * 7 + (at >> 5) * 13 + frame * 50) % 256;
  return sharp(colours, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });
}

const addLocation = (image: Sharp, orientation = 6): Sharp =>
  image
    .withMetadata({ orientation })
    .withExifMerge({
      IFD0: { ImageDescription: LOCATION },
      IFD3: {
        GPSLatitudeRef: 'N',
        GPSLatitude: '44/1 48/1 45/1',
        GPSLongitudeRef: 'E',
        GPSLongitude: '20/1 27/1 40/1',
      },
    })
    .withIccProfile('p3')
    .withXmp(PACKET);

async function drawAnimation(mime: 'image/gif' | 'image/webp'): Promise<Buffer> {
  const frames = await Promise.all([0, 1, 2].map((frame) => drawPixels(frame).png().toBuffer()));
  const animation = sharp(frames, { join: { animated: true } });
  return mime === 'image/gif' ? animation.gif().toBuffer() : addLocation(animation).webp({ lossless: true }).toBuffer();
}

const insert = (file: Uint8Array, at: number, ...insertedParts: readonly Uint8Array[]): Uint8Array =>
  bytes(file.subarray(0, at), ...insertedParts, file.subarray(at), LOCATION);

const insertAfterJpegStart = (file: Uint8Array): Uint8Array =>
  insert(
    file,
    2,
    segment(0xe2, 'MPF\0', LOCATION),
    segment(0xed, 'Photoshop 3.0\0', LOCATION),
    segment(0xfe, LOCATION),
    segment(0xe1, 'http://ns.adobe.com/xmp/extension/\0', LOCATION),
  );
const insertAfterPngStart = (file: Uint8Array): Uint8Array =>
  insert(file, 33, pngChunk('tEXt', 'Comment\0', LOCATION), pngChunk('iTXt', `Location\0\0\0\0\0${LOCATION}`));
const insertAfterGifColours = (file: Uint8Array): Uint8Array =>
  insert(
    file,
    13 + ((file[10] ?? 0) & 0x80 ? 3 * 2 ** (((file[10] ?? 0) & 7) + 1) : 0),
    bytes([0x21, 0xfe, LOCATION.length], LOCATION, 0),
  );

const FILES: readonly (readonly [string, string, () => Promise<Uint8Array>])[] = [
  ['a JPEG', 'image/jpeg', async () => insertAfterJpegStart(await addLocation(drawPixels()).jpeg().toBuffer())],
  [
    'a progressive JPEG',
    'image/jpeg',
    async () =>
      insertAfterJpegStart(await addLocation(drawPixels()).jpeg({ progressive: true, mozjpeg: true }).toBuffer()),
  ],
  ['a grey JPEG', 'image/jpeg', () => addLocation(drawPixels().greyscale(), 3).jpeg().toBuffer()],
  ['a CMYK JPEG', 'image/jpeg', async () => insertAfterJpegStart(await sharpSampleImages.cmyk(WIDTH, HEIGHT))],
  ['a PNG', 'image/png', async () => insertAfterPngStart(await addLocation(drawPixels()).png().toBuffer())],
  ['a palette PNG', 'image/png', () => addLocation(drawPixels(), 8).png({ palette: true, colours: 16 }).toBuffer()],
  ['an interlaced PNG', 'image/png', () => addLocation(drawPixels()).png({ progressive: true }).toBuffer()],
  ['a 16-bit PNG', 'image/png', async () => insertAfterPngStart(await sharpSampleImages.deep(WIDTH, HEIGHT))],
  [
    'a transparent PNG',
    'image/png',
    async () => insertAfterPngStart(await sharpSampleImages.transparent(WIDTH, HEIGHT)),
  ],
  ['a WebP', 'image/webp', () => addLocation(drawPixels()).webp().toBuffer()],
  ['a lossless WebP', 'image/webp', () => addLocation(drawPixels(), 8).webp({ lossless: true }).toBuffer()],
  ['a transparent WebP', 'image/webp', () => addLocation(drawPixels().ensureAlpha(0.5)).webp().toBuffer()],
  ['an animated WebP', 'image/webp', () => drawAnimation('image/webp')],
  ['a GIF', 'image/gif', async () => insertAfterGifColours(await drawPixels().gif().toBuffer())],
  ['an animated GIF', 'image/gif', async () => insertAfterGifColours(await drawAnimation('image/gif'))],
  ['an AVIF', 'image/avif', () => addLocation(drawPixels()).avif({ quality: 90 }).toBuffer()],
  [
    'a transparent AVIF',
    'image/avif',
    () => addLocation(drawPixels().ensureAlpha(0.5)).avif({ lossless: true }).toBuffer(),
  ],
  ...(['none', 'lzw', 'deflate', 'jpeg', 'packbits'] as const).map(
    (compression) =>
      [
        `a TIFF, ${compression}`,
        'image/tiff',
        () => addLocation(drawPixels()).tiff({ compression }).toBuffer(),
      ] as const,
  ),
  [
    'a tiled TIFF',
    'image/tiff',
    () => addLocation(drawPixels()).tiff({ tile: true, tileWidth: 32, tileHeight: 32, compression: 'jpeg' }).toBuffer(),
  ],
  [
    'a pyramid TIFF',
    'image/tiff',
    () => addLocation(drawPixels()).tiff({ tile: true, tileWidth: 16, tileHeight: 16, pyramid: true }).toBuffer(),
  ],
  [
    'a CMYK TIFF',
    'image/tiff',
    () =>
      addLocation(drawPixels().toColourspace('cmyk')).withIccProfile('cmyk').tiff({ compression: 'lzw' }).toBuffer(),
  ],
];

/** Decodes page by page, because pages of a TIFF may differ in size. */
async function decodePixels(file: Uint8Array): Promise<Buffer> {
  const { pages = 1 } = await sharp(file).metadata();
  const pageDecodings = Array.from({ length: pages }, (_, page) =>
    sharp(file, { page, failOn: 'warning' }).raw().toBuffer(),
  );
  return Buffer.concat(await Promise.all(pageDecodings));
}
const stripFile = (mime: string, file: Uint8Array): Promise<Uint8Array> =>
  collectBytes(stripLocation(mime, streamOf(file)));

describe.each(FILES)('%s with a location', (_, mime, draw) => {
  let before: Uint8Array;
  let after: Uint8Array;

  beforeAll(async () => {
    before = await draw();
    after = await stripFile(mime, before);
  });

  it('loses its location', () => {
    expect([hasLocation(before), hasLocation(after)]).toEqual([true, false]);
  });

  it('keeps its pixels', async () => {
    expect((await decodePixels(after)).equals(await decodePixels(before))).toBe(true);
  });

  it('keeps orientation, colours and animation', async () => {
    const [originalMetadata, strippedMetadata] = await Promise.all(
      [before, after].map((file) => sharp(file).metadata()),
    );
    const comparableMetadata = ({
      width,
      height,
      orientation,
      icc,
      pages,
      delay,
      loop,
      space,
      depth,
      hasAlpha,
    }: typeof originalMetadata & object): unknown => ({
      width,
      height,
      orientation,
      icc,
      pages,
      delay,
      loop,
      space,
      depth,
      hasAlpha,
    });
    expect(comparableMetadata(strippedMetadata!)).toEqual(comparableMetadata(originalMetadata!));
    expect(strippedMetadata!.iptc).toBeUndefined();
  });

  it('has the same output for all chunk sizes', async () => {
    await fc.assert(
      fc.asyncProperty(chunkSizes, async (sizes) => {
        expect(Buffer.from(after).equals(await collectBytes(stripLocation(mime, streamInChunks(before, sizes))))).toBe(
          true,
        );
      }),
      { numRuns: 5 },
    );
  });

  it('keeps its detected type and facts', async () => {
    const { autoOrient, pages = 1, space } = await sharp(after).metadata();
    for (const file of [before, after]) {
      expect(fileType(file, 'x')).toBe(mime);
      expect(imageFacts(mime, file)).toEqual({
        mime,
        width: autoOrient.width,
        height: autoOrient.height,
        animated: pages > 1 && mime !== 'image/tiff',
        cmyk: space === 'cmyk',
      });
    }
  });
});

describe('the EXIF data of an image', () => {
  it.each(['image/jpeg', 'image/png', 'image/webp'])('keeps only the orientation: %s', async (mime) => {
    for (let orientation = 1; orientation <= 8; orientation += 1) {
      const format = mime.slice(6) as 'jpeg' | 'png' | 'webp';
      const after = await stripFile(mime, await addLocation(drawPixels(), orientation).toFormat(format).toBuffer());
      const { exif: strippedExif, xmp, orientation: keptOrientation } = await sharp(after).metadata();
      expect([keptOrientation, xmp]).toEqual([orientation, undefined]);
      expect(strippedExif!.length).toBeLessThanOrEqual(mime === 'image/webp' ? 10_000 : 32);
      expect(Buffer.from(strippedExif!).includes(Buffer.from('GPS'))).toBe(false);
    }
  });

  it('is read in both byte orders (II and MM)', async () => {
    const plainJpeg = await drawPixels().jpeg().toBuffer();
    for (const order of ['II', 'MM'] as const) {
      const before = insert(plainJpeg, 2, segment(0xe1, 'Exif\0\0', exif(6, order)));
      const after = await stripFile('image/jpeg', before);
      expect((await sharp(after).metadata()).orientation).toBe(6);
      expect(imageFacts('image/jpeg', after)).toMatchObject({ width: HEIGHT, height: WIDTH });
    }
  });
});
