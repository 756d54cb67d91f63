import { mayBeTruncated } from './head.js';
import { isoBoxes } from '../formats/iso-boxes.js';
import { decodeLatin1, matchesAt, u16, u32 } from '../formats/octets.js';
import { colourTableSize, isGif } from '../location/gif.js';
import { PNG_SIGNATURE } from '../location/png.js';
import { directoryAt, numberOf, TAG, tiffHeader } from '../formats/tiff-directory.js';

/** Allowed bit depths by colour type. */
const PNG_BIT_DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};
const MAX_SIDE_PIXELS = 0x7fff_ffff;
const BMP_HEADERS = new Set([12, 16, 40, 52, 56, 64, 108, 124]);
const BMP_BITS = new Set([1, 2, 4, 8, 16, 24, 32]);
const GIF_BLOCKS = new Set([0x21, 0x2c, 0x3b]);
const MAX_BRANDS_BYTES = 1_024;
const SCAN = 0xda;

/** Requires two consecutive segments. If the head contains the whole file, the segments before the scan are enough. */
export function isJpeg(head: Uint8Array): boolean {
  let at = 2;
  if (!matchesAt(head, 0, '\xff\xd8')) return false;
  for (let isFirst = true; head[at] === 0xff; isFirst = false) {
    while (head[at + 1] === 0xff) at += 1;
    const marker = head[at + 1];
    if (marker === SCAN) return !isFirst;
    const size = u16(head, at + 2);
    if (marker === undefined) break;
    if (!isJpegSegment(marker) || size < 2) return false;
    at += 2 + size;
    // Accepts bytes between later segments, because decoders skip them.
    if (!isFirst && at < head.length && head[at] !== 0xff) return true;
  }
  return at >= head.length && mayBeTruncated(head);
}

function isJpegSegment(marker: number): boolean {
  return (marker >= 0xc0 && marker < 0xd0) || (marker > SCAN && marker < 0xf0) || marker === 0xfe;
}

export function isPng(head: Uint8Array): boolean {
  if (!matchesAt(head, 0, PNG_SIGNATURE) || u32(head, 8) !== 13 || !matchesAt(head, 12, 'IHDR')) return false;
  const [width, height] = [u32(head, 16), u32(head, 20)];
  const [depth = 0, colour = 0, compression, filter, interlace = 2] = head.subarray(24, 29);
  const isValidSize = width > 0 && height > 0 && width <= MAX_SIDE_PIXELS && height <= MAX_SIDE_PIXELS;
  const hasValidEncoding =
    PNG_BIT_DEPTHS[colour]?.includes(depth) === true && compression === 0 && filter === 0 && interlace < 2;
  return isValidSize && hasValidEncoding && /^[A-Za-z]{4}$/.test(decodeLatin1(head, 37, 41));
}

export function isWebp(head: Uint8Array): boolean {
  if (!matchesAt(head, 0, 'RIFF') || !matchesAt(head, 8, 'WEBP') || u32(head, 4, 'little') < 12) return false;
  const [kind, size] = [decodeLatin1(head, 12, 16), u32(head, 16, 'little')];
  if (kind === 'VP8X') return size >= 10 && ((head[20] ?? 0) & 0xc1) === 0;
  if (kind === 'VP8L') return size >= 5 && head[20] === 0x2f && (head[24] ?? 0xff) >> 5 === 0;
  return kind === 'VP8 ' && size >= 10 && ((head[20] ?? 1) & 1) === 0 && matchesAt(head, 23, '\x9d\x01\x2a');
}

/** Requires a block after the colour table, because a script may start with `GIF89a`. */
export function isGifImage(head: Uint8Array): boolean {
  if (!isGif(head) || u16(head, 6, 'little') === 0 || u16(head, 8, 'little') === 0) return false;
  const first = head[13 + colourTableSize(head[10])];
  return first === undefined ? mayBeTruncated(head) : GIF_BLOCKS.has(first);
}

export function isAvif(head: Uint8Array): boolean {
  const brands = isoBrands(head);
  const isImage = ['avif', 'avis', 'mif1', 'msf1', 'miaf', 'MA1B', 'MA1A'].includes(brands?.[0] ?? '');
  return isImage && brands?.some((brand) => brand === 'avif' || brand === 'avis') === true;
}

export function isoBrands(head: Uint8Array): readonly string[] | undefined {
  const size = u32(head, 0);
  if (!matchesAt(head, 4, 'ftyp') || size < 16 || size > MAX_BRANDS_BYTES || size % 4 !== 0) return undefined;
  const compatibleBrands = Array.from({ length: size / 4 - 4 }, (_, index) =>
    decodeLatin1(head, 16 + 4 * index, 20 + 4 * index),
  );
  const [nextBox] = isoBoxes(head, size, Infinity);
  const hasNextBox = nextBox !== undefined && /^[A-Za-z0-9 _\xa9-]{4}$/.test(nextBox.type);
  return hasNextBox ? [decodeLatin1(head, 8, 12), ...compatibleBrands] : undefined;
}

/** Rejects camera raw images, which also use the TIFF format. */
export function isTiff(head: Uint8Array): boolean {
  const header = tiffHeader(head);
  if (header === undefined || matchesAt(head, 8, 'CR')) return false;
  if (header.firstOffset + 2 > head.length) return mayBeTruncated(head);
  const directory = directoryAt(head, header.firstOffset, header.order);
  if (directory === undefined) return mayBeTruncated(head);
  const hasTag = (tag: number): boolean => numberOf(head, directory, tag, header.order) !== undefined;
  return hasTag(TAG.width) && hasTag(TAG.height) && !hasTag(TAG.dngVersion);
}

export function isBmp(head: Uint8Array): boolean {
  const headerSize = u32(head, 14, 'little');
  if (!matchesAt(head, 0, 'BM') || !BMP_HEADERS.has(headerSize) || head.length < 26) return false;
  const isCoreHeader = headerSize === 12;
  const [width, height] = isCoreHeader
    ? [u16(head, 18, 'little'), u16(head, 20, 'little')]
    : [u32(head, 18, 'little') | 0, u32(head, 22, 'little') | 0];
  const [planes, bits] = [u16(head, isCoreHeader ? 22 : 26, 'little'), u16(head, isCoreHeader ? 24 : 28, 'little')];
  const hasPixels = u32(head, 10, 'little') >= 14 + headerSize;
  return (
    width > 0 && height !== 0 && planes === 1 && BMP_BITS.has(bits) && hasPixels && hasBitmapPixels(head, headerSize)
  );
}

/** Rejects BMP files with JPEG or PNG pixels, because only printers support them. */
function hasBitmapPixels(head: Uint8Array, headerSize: number): boolean {
  const compression = headerSize >= 40 ? u32(head, 30, 'little') : 0;
  return compression <= 3 || compression === 6;
}
