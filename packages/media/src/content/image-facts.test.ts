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

const uprightFacts = { width: 30, height: 40, animated: false, cmyk: false };
const rotatedFacts = { ...uprightFacts, width: 40, height: 30 };
const readFacts = (mime: string, content: Uint8Array): unknown => {
  const detectedFacts = imageFacts(mime, content);
  if (detectedFacts === undefined) return undefined;
  const { mime: detectedMime, ...otherFacts } = detectedFacts;
  expect(detectedMime).toBe(mime);
  return otherFacts;
};

const jpegFrame = (marker: number, components: number): Uint8Array =>
  jpegSegment(marker, 8, u16be(40), u16be(30), components, new Uint8Array(3 * components));
const makeJpeg = (...parts: readonly Part[]): Uint8Array => bytes([0xff, 0xd8], ...parts);
const PNG = bytes('\x89PNG\r\n\x1a\n', pngChunk('IHDR', u32be(30), u32be(40), [8, 2, 0, 0, 0]));
const makeExtendedWebp = (flags: number, ...chunks: readonly Part[]): Uint8Array =>
  riff(
    'WEBP',
    riffChunk('VP8X', [flags, 0, 0, 0], u24le(29), u24le(39)),
    riffChunk('VP8L', new Uint8Array(20)),
    ...chunks,
  );
const makeGif = (...parts: readonly Part[]): Uint8Array =>
  bytes('GIF89a', u16le(30), u16le(40), [0x80, 0, 0], new Uint8Array(6), ...parts);
const gifImage = bytes(0x2c, new Uint8Array(8), 0x80, new Uint8Array(6), 2, gifBlocks('p'.repeat(600)));
const gifControl = (delay: number): Uint8Array => bytes([0x21, 0xf9, 4, 0], u16le(delay), [0, 0]);
const gifLoopCount = bytes([0x21, 0xff, 11], 'NETSCAPE2.0', gifBlocks([1, 0, 0]));
const makeBmp = (headerSize: number, ...size: readonly Part[]): Uint8Array =>
  bytes('BM', u32le(0), u32le(0), u32le(54), u32le(headerSize), ...size, new Uint8Array(30));
const makeAvif = (primary: Uint8Array, ipma: Uint8Array, brand = 'avif'): Uint8Array =>
  bytes(
    box('ftyp', brand, u32be(0), brand),
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
    ['image/jpeg', 'a sample', jpegSample(), rotatedFacts],
    ['image/jpeg', 'upright', jpegSample(1), uprightFacts],
    ['image/jpeg', 'upside down', jpegSample(3), uprightFacts],
    ['image/jpeg', 'progressive CMYK', makeJpeg(jpegFrame(0xc2, 4)), { ...uprightFacts, cmyk: true }],
    [
      'image/jpeg',
      'grey, after skipped segments',
      makeJpeg('xx', [0xff, 0xff], jpegSegment(0xc4, 'x'), jpegFrame(0xc0, 1)),
      uprightFacts,
    ],
    [
      'image/jpeg',
      'two EXIF segments',
      makeJpeg(jpegSegment(0xe1, 'Exif\0\0', exif(8)), jpegSegment(0xe1, 'Exif\0\0', exif(1)), jpegFrame(0xc0, 3)),
      rotatedFacts,
    ],
    ['image/png', 'a sample', pngSample(), { ...rotatedFacts, animated: true }],
    ['image/png', 'still', bytes(PNG, pngChunk('IDAT', 'x'), pngChunk('acTL', 'x')), uprightFacts],
    ['image/webp', 'a sample', webpSample(), { ...rotatedFacts, animated: true }],
    ['image/webp', 'still, without EXIF', makeExtendedWebp(0), uprightFacts],
    [
      'image/webp',
      'EXIF beyond the head',
      makeExtendedWebp(0x08, riffChunk('EXIF', exif())).slice(0, 60),
      uprightFacts,
    ],
    [
      'image/webp',
      'lossy',
      riff('WEBP', riffChunk('VP8 ', [0x50, 1, 0, 0x9d, 1, 0x2a], u16le(30 | 0x4000), u16le(40))),
      uprightFacts,
    ],
    ['image/webp', 'lossless', riff('WEBP', riffChunk('VP8L', [0x2f, 29, 0xc0, 9, 0, 0, 0, 0, 0, 0])), uprightFacts],
    ['image/gif', 'a sample', gifSample(), { ...uprightFacts, animated: true }],
    ['image/gif', 'one image', makeGif(gifControl(0), gifImage, 0x3b), uprightFacts],
    ['image/gif', 'one image with a loop count', makeGif(gifLoopCount, gifControl(9), gifImage, 0x3b), uprightFacts],
    ['image/gif', 'two images', makeGif(gifImage, gifImage, 0x3b), { ...uprightFacts, animated: true }],
    ['image/gif', 'truncated in its first image', makeGif(gifControl(0), gifImage).slice(0, 200), uprightFacts],
    [
      'image/gif',
      'truncated, with a loop count',
      makeGif(gifLoopCount, gifImage).slice(0, 200),
      { ...uprightFacts, animated: true },
    ],
    [
      'image/gif',
      'truncated, with a delay',
      makeGif(gifControl(9), gifImage).slice(0, 200),
      { ...uprightFacts, animated: true },
    ],
    ['image/avif', 'a sample', avifSample(), rotatedFacts],
    ['image/avif', 'the primary image', makeAvif(pitm, ipma(2)), uprightFacts],
    ['image/avif', 'rotated by 90°', makeAvif(pitm, ipma(0x82, 0x83)), rotatedFacts],
    ['image/avif', 'rotated by 180°', makeAvif(pitm, ipma(2, 4)), uprightFacts],
    ['image/avif', 'animated', makeAvif(pitm, ipma(2), 'avis'), { ...uprightFacts, animated: true }],
    [
      'image/avif',
      'large item ids',
      makeAvif(fullBox('pitm', 1, u32be(7)), box('ipma', [1, 0, 0, 1], u32be(1), u32be(7), 1, u16be(0x8002))),
      uprightFacts,
    ],
    ['image/tiff', 'a sample', tiffSample('II'), { ...rotatedFacts, width: 2, height: 4 }],
    ['image/tiff', 'big-endian', tiffSample('MM'), { ...rotatedFacts, width: 2, height: 4 }],
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
      { ...uprightFacts, cmyk: true },
    ],
    ['image/bmp', 'usual header', makeBmp(40, u32le(30), u32le(40)), uprightFacts],
    ['image/bmp', 'rows from the top', makeBmp(124, u32le(30), u32le(-40)), uprightFacts],
    ['image/bmp', 'oldest header', makeBmp(12, u16le(30), u16le(40)), uprightFacts],
  ])('reads %s: %s', (mime, _, content, expected) => {
    expect(readFacts(mime, content)).toEqual(expected);
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('applies orientation %d', (orientation) => {
    const expected = orientation < 5 ? uprightFacts : rotatedFacts;
    expect(readFacts('image/jpeg', jpegSample(orientation))).toEqual(expected);
    expect(readFacts('image/webp', webpSample(orientation))).toEqual({ ...expected, animated: true });
  });

  it.each([
    ['image/jpeg', 'frame beyond the head', jpegSample().slice(0, 300)],
    ['image/jpeg', 'pixels before a frame', makeJpeg(jpegSegment(0xda, 'x'), jpegFrame(0xc0, 3))],
    ['image/jpeg', 'a height of 0', makeJpeg(jpegSegment(0xc0, 8, u16be(0), u16be(30), 3))],
    ['image/png', 'pixels beyond the head', bytes(PNG, pngChunk('iCCP', new Uint8Array(500)))],
    ['image/webp', 'size beyond the head', webpSample().slice(0, 29)],
    ['image/webp', 'an unknown chunk', riff('WEBP', riffChunk('NONE', new Uint8Array(20)))],
    ['image/gif', 'no size', makeGif().fill(0, 6, 8)],
    ['image/gif', 'half a header', bytes('GIF89a')],
    ['image/avif', 'item list beyond the head', avifSample({ isMetaLast: true }).slice(0, 300)],
    ['image/avif', 'no primary image', makeAvif(bytes(), ipma(2))],
    ['image/avif', 'no size', makeAvif(pitm, ipma(3))],
    ['image/avif', 'no properties', makeAvif(fullBox('pitm', 0, u16be(8)), ipma(2))],
    ['image/tiff', 'directory beyond the head', bytes('II*\0', u32le(1_000))],
    ['image/tiff', 'no width', tiff('II', [[[257, 3, [40]]]])],
    ['image/bmp', 'half a header', makeBmp(40).slice(0, 20)],
    ['image/svg+xml', 'no pixels', bytes('<svg/>')],
    ['constructor', 'an inherited property', bytes('x')],
  ])('returns undefined for %s: %s', (mime, _, content) => {
    expect(readFacts(mime, content)).toBeUndefined();
  });

  it('never returns an empty size for damaged files', () => {
    const images = SAMPLE_FILES.filter(({ mime }) => mime.startsWith('image/'));
    fc.assert(
      fc.property(
        fc.constantFrom(...images),
        fc.array(fc.tuple(fc.nat(400), fc.nat(255))),
        fc.nat(2_000),
        ({ mime, bytes: file }, changes, size) => {
          const damagedFile = file.slice(0, size);
          for (const [at, value] of changes) if (at < damagedFile.length) damagedFile[at] = value;
          const detectedFacts = imageFacts(mime, damagedFile);
          if (detectedFacts) expect(Math.min(detectedFacts.width, detectedFacts.height)).toBeGreaterThan(0);
        },
      ),
      { numRuns: 5_000 },
    );
  });
});
