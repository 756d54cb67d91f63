import fc from 'fast-check';
import {
  box,
  bytes,
  exif,
  fullBox,
  gifBlocks,
  pngChunk,
  riff,
  riffChunk,
  jpegSegment,
  tiff,
  u16be,
  u16le,
  u24le,
  u32be,
  u32le,
  type Part,
} from '../testing/file-parts.js';
import {
  avifSample,
  gifSample,
  jpegSample,
  pngSample,
  SAMPLE_FILES,
  tiffSample,
  webpSample,
} from '../testing/index.js';
import { imageFacts } from './image-facts.js';

const upright = { width: 30, height: 40, animated: false, cmyk: false };
const rotated = { ...upright, width: 40, height: 30 };
const facts = (mime: string, content: Uint8Array): unknown => {
  const found = imageFacts(mime, content);
  if (found === undefined) return undefined;
  const { mime: same, ...rest } = found;
  expect(same).toBe(mime);
  return rest;
};

const frame = (marker: number, components: number): Uint8Array =>
  jpegSegment(marker, 8, u16be(40), u16be(30), components, new Uint8Array(3 * components));
const jpeg = (...parts: readonly Part[]): Uint8Array => bytes([0xff, 0xd8], ...parts);
const PNG = bytes('\x89PNG\r\n\x1a\n', pngChunk('IHDR', u32be(30), u32be(40), [8, 2, 0, 0, 0]));
const extended = (flags: number, ...chunks: readonly Part[]): Uint8Array =>
  riff(
    'WEBP',
    riffChunk('VP8X', [flags, 0, 0, 0], u24le(29), u24le(39)),
    riffChunk('VP8L', new Uint8Array(20)),
    ...chunks,
  );
const gif = (...parts: readonly Part[]): Uint8Array =>
  bytes('GIF89a', u16le(30), u16le(40), [0x80, 0, 0], new Uint8Array(6), ...parts);
const image = bytes(0x2c, new Uint8Array(8), 0x80, new Uint8Array(6), 2, gifBlocks('p'.repeat(600)));
const control = (delay: number): Uint8Array => bytes([0x21, 0xf9, 4, 0], u16le(delay), [0, 0]);
const loops = bytes([0x21, 0xff, 11], 'NETSCAPE2.0', gifBlocks([1, 0, 0]));
const bmp = (headerSize: number, ...size: readonly Part[]): Uint8Array =>
  bytes('BM', u32le(0), u32le(0), u32le(54), u32le(headerSize), ...size, new Uint8Array(30));
const avif = (primary: Uint8Array, ipma: Uint8Array, own = 'avif'): Uint8Array =>
  bytes(
    box('ftyp', own, u32be(0), own),
    fullBox(
      'meta',
      0,
      primary,
      box(
        'iprp',
        box(
          'ipco',
          fullBox('ispe', 0, u32be(99), u32be(98)),
          fullBox('ispe', 0, u32be(30), u32be(40)),
          box('irot', 3),
          box('irot', 2),
        ),
        ipma,
      ),
    ),
  );
const pitm = fullBox('pitm', 0, u16be(7));
const ipma = (...indexes: readonly number[]): Uint8Array =>
  fullBox('ipma', 0, u32be(2), u16be(3), 1, 1, u16be(7), indexes.length, indexes);

describe('imageFacts', () => {
  it.each([
    ['image/jpeg', 'a sample', jpegSample(), rotated],
    ['image/jpeg', 'upright', jpegSample(1), upright],
    ['image/jpeg', 'upside down', jpegSample(3), upright],
    ['image/jpeg', 'progressive CMYK', jpeg(frame(0xc2, 4)), { ...upright, cmyk: true }],
    [
      'image/jpeg',
      'grey, after skipped segments',
      jpeg('xx', [0xff, 0xff], jpegSegment(0xc4, 'x'), frame(0xc0, 1)),
      upright,
    ],
    [
      'image/jpeg',
      'two EXIF segments',
      jpeg(jpegSegment(0xe1, 'Exif\0\0', exif(8)), jpegSegment(0xe1, 'Exif\0\0', exif(1)), frame(0xc0, 3)),
      rotated,
    ],
    ['image/png', 'a sample', pngSample(), { ...rotated, animated: true }],
    ['image/png', 'still', bytes(PNG, pngChunk('IDAT', 'x'), pngChunk('acTL', 'x')), upright],
    ['image/webp', 'a sample', webpSample(), { ...rotated, animated: true }],
    ['image/webp', 'still, without EXIF', extended(0), upright],
    ['image/webp', 'EXIF beyond the head', extended(0x08, riffChunk('EXIF', exif())).slice(0, 60), upright],
    [
      'image/webp',
      'lossy',
      riff('WEBP', riffChunk('VP8 ', [0x50, 1, 0, 0x9d, 1, 0x2a], u16le(30 | 0x4000), u16le(40))),
      upright,
    ],
    ['image/webp', 'lossless', riff('WEBP', riffChunk('VP8L', [0x2f, 29, 0xc0, 9, 0, 0, 0, 0, 0, 0])), upright],
    ['image/gif', 'a sample', gifSample(), { ...upright, animated: true }],
    ['image/gif', 'one image', gif(control(0), image, 0x3b), upright],
    ['image/gif', 'one image with a loop count', gif(loops, control(9), image, 0x3b), upright],
    ['image/gif', 'two images', gif(image, image, 0x3b), { ...upright, animated: true }],
    ['image/gif', 'truncated in its first image', gif(control(0), image).slice(0, 200), upright],
    ['image/gif', 'truncated, with a loop count', gif(loops, image).slice(0, 200), { ...upright, animated: true }],
    ['image/gif', 'truncated, with a delay', gif(control(9), image).slice(0, 200), { ...upright, animated: true }],
    ['image/avif', 'a sample', avifSample(), rotated],
    ['image/avif', 'the primary image', avif(pitm, ipma(2)), upright],
    ['image/avif', 'rotated by 90°', avif(pitm, ipma(0x82, 0x83)), rotated],
    ['image/avif', 'rotated by 180°', avif(pitm, ipma(2, 4)), upright],
    ['image/avif', 'animated', avif(pitm, ipma(2), 'avis'), { ...upright, animated: true }],
    [
      'image/avif',
      'large item ids',
      avif(fullBox('pitm', 1, u32be(7)), box('ipma', [1, 0, 0, 1], u32be(1), u32be(7), 1, u16be(0x8002))),
      upright,
    ],
    ['image/tiff', 'a sample', tiffSample('II'), { ...rotated, width: 2, height: 4 }],
    ['image/tiff', 'big-endian', tiffSample('MM'), { ...rotated, width: 2, height: 4 }],
    [
      'image/tiff',
      'CMYK',
      tiff('MM', [
        [
          [256, 4, [30]],
          [257, 3, [40]],
          [262, 3, [5]],
        ],
      ]),
      { ...upright, cmyk: true },
    ],
    ['image/bmp', 'usual header', bmp(40, u32le(30), u32le(40)), upright],
    ['image/bmp', 'rows from the top', bmp(124, u32le(30), u32le(-40)), upright],
    ['image/bmp', 'oldest header', bmp(12, u16le(30), u16le(40)), upright],
  ])('reads %s, %s', (mime, _, content, expected) => {
    expect(facts(mime, content)).toEqual(expected);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('applies orientation %d', (orientation) => {
    const expected = orientation < 5 ? upright : rotated;
    expect(facts('image/jpeg', jpegSample(orientation))).toEqual(expected);
    expect(facts('image/webp', webpSample(orientation))).toEqual({ ...expected, animated: true });
  });

  it.each([
    ['image/jpeg', 'frame beyond the head', jpegSample().slice(0, 300)],
    ['image/jpeg', 'pixels before a frame', jpeg(jpegSegment(0xda, 'x'), frame(0xc0, 3))],
    ['image/jpeg', 'a height of 0', jpeg(jpegSegment(0xc0, 8, u16be(0), u16be(30), 3))],
    ['image/png', 'pixels beyond the head', bytes(PNG, pngChunk('iCCP', new Uint8Array(500)))],
    ['image/webp', 'size beyond the head', webpSample().slice(0, 29)],
    ['image/webp', 'an unknown chunk', riff('WEBP', riffChunk('NONE', new Uint8Array(20)))],
    ['image/gif', 'no size', gif().fill(0, 6, 8)],
    ['image/gif', 'half a header', bytes('GIF89a')],
    ['image/avif', 'item list beyond the head', avifSample({ isMetaLast: true }).slice(0, 300)],
    ['image/avif', 'no primary image', avif(bytes(), ipma(2))],
    ['image/avif', 'no size', avif(pitm, ipma(3))],
    ['image/avif', 'no properties', avif(fullBox('pitm', 0, u16be(8)), ipma(2))],
    ['image/tiff', 'directory beyond the head', bytes('II*\0', u32le(1_000))],
    ['image/tiff', 'no width', tiff('II', [[[257, 3, [40]]]])],
    ['image/bmp', 'half a header', bmp(40).slice(0, 20)],
    ['image/svg+xml', 'no pixels', bytes('<svg/>')],
    ['constructor', 'an inherited property', bytes('x')],
  ])('returns undefined for %s, %s', (mime, _, content) => {
    expect(facts(mime, content)).toBeUndefined();
  });

  it('never returns an empty size for damaged files', () => {
    const images = SAMPLE_FILES.filter(({ mime }) => mime.startsWith('image/'));
    fc.assert(
      fc.property(
        fc.constantFrom(...images),
        fc.array(fc.tuple(fc.nat(400), fc.nat(255))),
        fc.nat(2_000),
        ({ mime, bytes: file }, changes, size) => {
          const damaged = file.slice(0, size);
          for (const [at, value] of changes) if (at < damaged.length) damaged[at] = value;
          const found = imageFacts(mime, damaged);
          if (found) expect(Math.min(found.width, found.height)).toBeGreaterThan(0);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
