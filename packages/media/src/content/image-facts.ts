import type { ImageFacts } from '../processing/image-processor.js';
import { decodeLatin1, matchesAt, u16, u24, u32 } from '../formats/octets.js';
import { orientationOf } from '../location/exif.js';
import { directoryAt, numberOf, TAG, tiffHeader } from '../formats/tiff-directory.js';
import { avifFacts } from './avif-facts.js';
import { gifFacts } from './gif-facts.js';
import type { UnrotatedFacts } from './unrotated-facts.js';

const CMYK = 5;
/** Orientations 5 to 8 swap width and height. */
const FIRST_TRANSPOSED = 5;

const READERS: Readonly<Record<string, (head: Uint8Array) => UnrotatedFacts | undefined>> = {
  'image/jpeg': jpegFacts,
  'image/png': pngFacts,
  'image/webp': webpFacts,
  'image/gif': gifFacts,
  'image/avif': avifFacts,
  'image/tiff': tiffFacts,
  'image/bmp': bmpFacts,
};

/**
 * Reads the facts of an image from its first bytes without decoding, and ignores EXIF beyond these bytes. Returns
 * `undefined` for other types, and when the header is longer than these bytes; callers then retry with more bytes. If
 * the second image of a GIF lies beyond these bytes, a loop count or a frame delay makes it animated.
 */
export function imageFacts(mime: string, head: Uint8Array): ImageFacts | undefined {
  const storedFacts = Object.hasOwn(READERS, mime) ? READERS[mime]?.(head) : undefined;
  if (storedFacts === undefined || storedFacts.width < 1 || storedFacts.height < 1) return undefined;
  const { orientation = 1, animated = false, cmyk = false } = storedFacts;
  const isTransposed = orientation >= FIRST_TRANSPOSED;
  const [width, height] = isTransposed
    ? [storedFacts.height, storedFacts.width]
    : [storedFacts.width, storedFacts.height];
  return { mime, width, height, animated, cmyk };
}

function jpegFacts(head: Uint8Array): UnrotatedFacts | undefined {
  let orientation: number | undefined;
  let hasExif = false;
  for (let at = head.indexOf(0xff, 2); at >= 0 && at + 10 <= head.length; at = head.indexOf(0xff, at)) {
    const marker = head[at + 1] ?? 0;
    if (marker === 0xff || marker < 0xc0) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    if (marker === 0xda) return undefined;
    if (isFrame(marker)) {
      return { height: u16(head, at + 5), width: u16(head, at + 7), cmyk: head[at + 9] === 4, orientation };
    }
    const end = at + 2 + u16(head, at + 2);
    if (marker === 0xe1 && !hasExif && matchesAt(head, at + 4, 'Exif\0')) {
      hasExif = true;
      orientation = orientationOf(head.subarray(at + 4, end));
    }
    at = Math.max(end, at + 2);
  }
  return undefined;
}

function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker < 0xd0 && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function pngFacts(head: Uint8Array): UnrotatedFacts | undefined {
  let animated = false;
  let orientation: number | undefined;
  for (let at = 8; at + 8 <= head.length; at += 12 + u32(head, at)) {
    const type = decodeLatin1(head, at + 4, at + 8);
    if (type === 'IDAT') return { width: u32(head, 16), height: u32(head, 20), animated, orientation };
    if (type === 'acTL') animated = true;
    if (type === 'eXIf') orientation ??= orientationOf(head.subarray(at + 8, at + 8 + u32(head, at))) ?? 1;
  }
  return undefined;
}

function webpFacts(head: Uint8Array): UnrotatedFacts | undefined {
  if (head.length < 30) return undefined;
  const kind = decodeLatin1(head, 12, 16);
  if (kind === 'VP8 ') return { width: u16(head, 26, 'little') & 0x3fff, height: u16(head, 28, 'little') & 0x3fff };
  if (kind === 'VP8L') {
    const bits = u32(head, 21, 'little');
    return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  if (kind !== 'VP8X') return undefined;
  const animated = ((head[20] ?? 0) & 0x02) !== 0;
  const [width, height] = [u24(head, 24, 'little') + 1, u24(head, 27, 'little') + 1];
  return { width, height, animated, orientation: webpOrientation(head) };
}

function webpOrientation(head: Uint8Array): number | undefined {
  for (let at = 12; at + 8 <= head.length;) {
    const size = u32(head, at + 4, 'little');
    if (matchesAt(head, at, 'EXIF')) return orientationOf(head.subarray(at + 8, at + 8 + size));
    at += 8 + size + (size % 2);
  }
  return undefined;
}

function tiffFacts(head: Uint8Array): UnrotatedFacts | undefined {
  const header = tiffHeader(head);
  const directory = header && directoryAt(head, header.firstOffset, header.order);
  if (header === undefined || directory === undefined) return undefined;
  const readTag = (tag: number): number => numberOf(head, directory, tag, header.order) ?? 0;
  const cmyk = readTag(TAG.photometric) === CMYK;
  return { width: readTag(TAG.width), height: readTag(TAG.height), orientation: readTag(TAG.orientation), cmyk };
}

function bmpFacts(head: Uint8Array): UnrotatedFacts | undefined {
  if (head.length < 26) return undefined;
  if (u32(head, 14, 'little') === 12) return { width: u16(head, 18, 'little'), height: u16(head, 20, 'little') };
  // A negative height means that the rows run from top to bottom.
  return { width: u32(head, 18, 'little'), height: Math.abs(u32(head, 22, 'little') | 0) };
}
