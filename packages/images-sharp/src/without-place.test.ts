import { fileType, imageFacts, withoutPlace } from '@back-office/media';
import { collected, inPieces, parts, pieceSizes, streamed } from '@back-office/media/testing';
import fc from 'fast-check';
import sharp, { type Sharp } from 'sharp';
import { sharpSampleImages } from '../testing/index.js';

const { PLACE, tellsPlace, XMP, bytes, segment, pngChunk, exif } = parts;
const [WIDTH, HEIGHT] = [90, 60];
const PACKET = XMP.slice(XMP.indexOf('\0') + 1);

/** Colours that no two neighbours share. */
function drawn(frame = 0): Sharp {
  const colours = Buffer.alloc(WIDTH * HEIGHT * 3, 0);
  for (let at = 0; at < colours.length; at += 1) colours[at] = (at * 7 + (at >> 5) * 13 + frame * 50) % 256;
  return sharp(colours, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } });
}

const placed = (image: Sharp, orientation = 6): Sharp =>
  image
    .withMetadata({ orientation })
    .withExifMerge({
      IFD0: { ImageDescription: PLACE },
      IFD3: {
        GPSLatitudeRef: 'N',
        GPSLatitude: '44/1 48/1 45/1',
        GPSLongitudeRef: 'E',
        GPSLongitude: '20/1 27/1 40/1',
      },
    })
    .withIccProfile('p3')
    .withXmp(PACKET);

async function moving(mime: 'image/gif' | 'image/webp'): Promise<Buffer> {
  const frames = await Promise.all([0, 1, 2].map((frame) => drawn(frame).png().toBuffer()));
  const joined = sharp(frames, { join: { animated: true } });
  return mime === 'image/gif' ? joined.gif().toBuffer() : placed(joined).webp({ lossless: true }).toBuffer();
}

/** Puts more into a file: at a place in it, and after its end. */
const put = (file: Uint8Array, at: number, ...more: readonly Uint8Array[]): Uint8Array =>
  bytes(file.subarray(0, at), ...more, file.subarray(at), PLACE);

const afterJpegStart = (file: Uint8Array): Uint8Array =>
  put(
    file,
    2,
    segment(0xe2, 'MPF\0', PLACE),
    segment(0xed, 'Photoshop 3.0\0', PLACE),
    segment(0xfe, PLACE),
    segment(0xe1, 'http://ns.adobe.com/xmp/extension/\0', PLACE),
  );
const afterPngStart = (file: Uint8Array): Uint8Array =>
  put(file, 33, pngChunk('tEXt', 'Comment\0', PLACE), pngChunk('iTXt', `Location\0\0\0\0\0${PLACE}`));
const afterGifColours = (file: Uint8Array): Uint8Array =>
  put(
    file,
    13 + ((file[10] ?? 0) & 0x80 ? 3 * 2 ** (((file[10] ?? 0) & 7) + 1) : 0),
    bytes([0x21, 0xfe, PLACE.length], PLACE, 0),
  );

const FILES: readonly (readonly [string, string, () => Promise<Uint8Array>])[] = [
  ['a JPEG', 'image/jpeg', async () => afterJpegStart(await placed(drawn()).jpeg().toBuffer())],
  [
    'a progressive JPEG',
    'image/jpeg',
    async () => afterJpegStart(await placed(drawn()).jpeg({ progressive: true, mozjpeg: true }).toBuffer()),
  ],
  ['a grey JPEG', 'image/jpeg', () => placed(drawn().greyscale(), 3).jpeg().toBuffer()],
  ['a JPEG for print', 'image/jpeg', async () => afterJpegStart(await sharpSampleImages.cmyk(WIDTH, HEIGHT))],
  ['a PNG', 'image/png', async () => afterPngStart(await placed(drawn()).png().toBuffer())],
  ['a PNG of few colours', 'image/png', () => placed(drawn(), 8).png({ palette: true, colours: 16 }).toBuffer()],
  ['a PNG that comes in steps', 'image/png', () => placed(drawn()).png({ progressive: true }).toBuffer()],
  ['a deep PNG', 'image/png', async () => afterPngStart(await sharpSampleImages.deep(WIDTH, HEIGHT))],
  ['a transparent PNG', 'image/png', async () => afterPngStart(await sharpSampleImages.transparent(WIDTH, HEIGHT))],
  ['a WebP', 'image/webp', () => placed(drawn()).webp().toBuffer()],
  ['a lossless WebP', 'image/webp', () => placed(drawn(), 8).webp({ lossless: true }).toBuffer()],
  ['a transparent WebP', 'image/webp', () => placed(drawn().ensureAlpha(0.5)).webp().toBuffer()],
  ['a moving WebP', 'image/webp', () => moving('image/webp')],
  ['a GIF', 'image/gif', async () => afterGifColours(await drawn().gif().toBuffer())],
  ['a moving GIF', 'image/gif', async () => afterGifColours(await moving('image/gif'))],
  ['an AVIF', 'image/avif', () => placed(drawn()).avif({ quality: 90 }).toBuffer()],
  ['a transparent AVIF', 'image/avif', () => placed(drawn().ensureAlpha(0.5)).avif({ lossless: true }).toBuffer()],
  ...(['none', 'lzw', 'deflate', 'jpeg', 'packbits'] as const).map(
    (compression) =>
      [`a TIFF, ${compression}`, 'image/tiff', () => placed(drawn()).tiff({ compression }).toBuffer()] as const,
  ),
  [
    'a TIFF of tiles',
    'image/tiff',
    () => placed(drawn()).tiff({ tile: true, tileWidth: 32, tileHeight: 32, compression: 'jpeg' }).toBuffer(),
  ],
  [
    'a TIFF of sizes',
    'image/tiff',
    () => placed(drawn()).tiff({ tile: true, tileWidth: 16, tileHeight: 16, pyramid: true }).toBuffer(),
  ],
  [
    'a TIFF for print',
    'image/tiff',
    () => placed(drawn().toColourspace('cmyk')).withIccProfile('cmyk').tiff({ compression: 'lzw' }).toBuffer(),
  ],
];

/** Of each page one after the other: those of a TIFF may differ in size. */
async function pixels(file: Uint8Array): Promise<Buffer> {
  const { pages = 1 } = await sharp(file).metadata();
  const all = Array.from({ length: pages }, (_, page) => sharp(file, { page, failOn: 'warning' }).raw().toBuffer());
  return Buffer.concat(await Promise.all(all));
}
const clean = (mime: string, file: Uint8Array): Promise<Uint8Array> => collected(withoutPlace(mime, streamed(file)));

describe.each(FILES)('%s that tells its place', (_, mime, draw) => {
  let before: Uint8Array;
  let after: Uint8Array;

  beforeAll(async () => {
    before = await draw();
    after = await clean(mime, before);
  });

  it('does not tell it any more', () => {
    expect([tellsPlace(before), tellsPlace(after)]).toEqual([true, false]);
  });

  it('has the same pixels', async () => {
    expect((await pixels(after)).equals(await pixels(before))).toBe(true);
  });

  it('is turned, coloured and moved as before', async () => {
    const [one, two] = await Promise.all([before, after].map((file) => sharp(file).metadata()));
    const seen = ({
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
    }: typeof one & object): unknown => ({
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
    expect(seen(two!)).toEqual(seen(one!));
    expect(two!.iptc).toBeUndefined();
  });

  it('is the same however it comes', async () => {
    await fc.assert(
      fc.asyncProperty(pieceSizes, async (sizes) => {
        expect(Buffer.from(after).equals(await collected(withoutPlace(mime, inPieces(before, sizes))))).toBe(true);
      }),
      { numRuns: 5 },
    );
  });

  it('is known by its type and by its facts', async () => {
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

describe('the EXIF of an image', () => {
  it.each(['image/jpeg', 'image/png', 'image/webp'])('keeps the orientation and nothing else: %s', async (mime) => {
    for (let orientation = 1; orientation <= 8; orientation += 1) {
      const format = mime.slice(6) as 'jpeg' | 'png' | 'webp';
      const after = await clean(mime, await placed(drawn(), orientation).toFormat(format).toBuffer());
      const { exif: left, xmp, orientation: kept } = await sharp(after).metadata();
      expect([kept, xmp]).toEqual([orientation, undefined]);
      expect(left!.length).toBeLessThanOrEqual(mime === 'image/webp' ? 10_000 : 32);
      expect(Buffer.from(left!).includes(Buffer.from('GPS'))).toBe(false);
    }
  });

  it('that a phone wrote is understood', async () => {
    const plain = await drawn().jpeg().toBuffer();
    for (const order of ['II', 'MM'] as const) {
      const before = put(plain, 2, segment(0xe1, 'Exif\0\0', exif(6, order)));
      const after = await clean('image/jpeg', before);
      expect((await sharp(after).metadata()).orientation).toBe(6);
      expect(imageFacts('image/jpeg', after)).toMatchObject({ width: HEIGHT, height: WIDTH });
    }
  });
});
