import { tiffEncoding } from '@back-office/media';

const CHECKS: Readonly<Record<string, (bytes: Uint8Array) => boolean>> = {
  'image/bmp': isSupportedBmp,
  'image/jpeg': isSupportedJpeg,
  'image/tiff': isSupportedTiff,
};

/** Returns false for a variant whose pixels jimp would decode without an error, but wrongly. */
export function isSupportedVariant(bytes: Uint8Array, mime: string): boolean {
  return CHECKS[mime]?.(bytes) ?? true;
}

const INFO_HEADER = 40;
const BMP_HEADERS = new Set([INFO_HEADER, 52, 56, 108, 124]);
const BIT_FIELDS = 3;
const [RED, GREEN, BLUE] = [0xff_00_00, 0xff_00, 0xff];

/** The decoder reads the pixels right after the colours, wherever the header says that they are. */
function isSupportedBmp(bytes: Uint8Array): boolean {
  if (bytes.length < 54) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const u32 = (at: number): number => view.getUint32(at, true);
  const [pixelsAt, headerSize, width] = [u32(10), u32(14), u32(18)];
  const [bits, compression, colours] = [view.getUint16(28, true), u32(30), u32(46)];
  const hasFields = compression === BIT_FIELDS && bits === 32;
  if (!BMP_HEADERS.has(headerSize) || (compression !== 0 && !hasFields)) return false;
  const paletteSize = bits <= 8 && colours === 0 ? 2 ** bits : colours;
  const fieldsSize = hasFields && headerSize === INFO_HEADER ? 12 : 0;
  if (pixelsAt !== 14 + headerSize + fieldsSize + 4 * paletteSize) return false;
  if (bits === 32) return headerSize + fieldsSize === INFO_HEADER || hasOpaqueMasks(bytes, u32, headerSize);
  // An odd width makes the decoder stop after the first row.
  if (bits === 4) return width % 2 === 0;
  return bits === 1 || bits === 24 || (bits === 8 && bytes.subarray(pixelsAt).every((colour) => colour < paletteSize));
}

/** The decoder drops transparency, and reads other masks with wrong brightness. */
function hasOpaqueMasks(bytes: Uint8Array, u32: (at: number) => number, headerSize: number): boolean {
  if (bytes.length < 70) return false;
  return u32(54) === RED && u32(58) === GREEN && u32(62) === BLUE && (headerSize < 56 || u32(66) === 0);
}

const [SCAN, ADOBE] = [0xda, 0xee];
const FRAMES = new Set([0xc0, 0xc1, 0xc2]);
const ADOBE_NAME = 'Adobe';

/** The decoder treats three components as YCbCr and samples as eight bits, whatever the headers say. */
function isSupportedJpeg(bytes: Uint8Array): boolean {
  let isRgb = false;
  for (let at = 2; at + 10 < bytes.length;) {
    if (bytes[at] !== 0xff) return false;
    const marker = bytes[at + 1] ?? SCAN;
    if (FRAMES.has(marker)) return !isRgb && isSupportedFrame(bytes.subarray(at + 4));
    if (marker === SCAN) return false;
    if (marker === ADOBE && String.fromCodePoint(...bytes.subarray(at + 4, at + 9)) === ADOBE_NAME)
      isRgb = bytes[at + 15] === 0;
    at += marker === 0xff ? 1 : 2 + ((bytes[at + 2] ?? 0) << 8) + (bytes[at + 3] ?? 0);
  }
  return false;
}

function isSupportedFrame(frame: Uint8Array): boolean {
  const [precision, count = 0] = [frame[0], frame[5]];
  const components = Array.from({ length: count }, (_, index) => frame.subarray(6 + 3 * index, 9 + 3 * index));
  const name = String.fromCodePoint(...components.map(([id = 0]) => id));
  return precision === 8 && (count === 1 || (count === 3 && name !== 'RGB')) && hasWholeRatios(components);
}

function hasWholeRatios(components: readonly Uint8Array[]): boolean {
  const factors = [4, 0].map((shift) => components.map(([, factor = 0]) => (factor >> shift) & 15));
  return factors.every((sizes) => sizes.every((size) => size > 0 && Math.max(...sizes) % size === 0));
}

const TIFF_COMPRESSIONS = new Set([1, 5, 8, 32_773, 32_946]);
const [WHITE_IS_ZERO, BLACK_IS_ZERO, RGB] = [0, 1, 2];
const PREMULTIPLIED_ALPHA = 1;

function isSupportedTiff(bytes: Uint8Array): boolean {
  const encoding = tiffEncoding(bytes);
  // The decoder refuses a file without a directory.
  if (encoding === undefined) return true;
  const { samples, photometric, bitsPerSample, sampleFormats, extraSamples, compression } = encoding;
  const isGrey = samples === 1 && (photometric === WHITE_IS_ZERO || photometric === BLACK_IS_ZERO);
  const isRgb = photometric === RGB && samples === 3 + extraSamples.length && samples <= 4;
  return (
    (isGrey || (isRgb && !extraSamples.includes(PREMULTIPLIED_ALPHA))) &&
    bitsPerSample.every((bits) => bits === bitsPerSample[0] && [8, 16].includes(bits)) &&
    sampleFormats.every((format) => format === 1) &&
    !encoding.isTiled &&
    TIFF_COMPRESSIONS.has(compression) &&
    [encoding.planar, encoding.fillOrder, encoding.orientation].every((value) => value === 1)
  );
}
