import { isPdf, zipType } from './document-types.js';
import { TYPE_HEAD } from './head.js';
import { isAvif, isBmp, isGifImage, isJpeg, isPng, isTiff, isWebp } from './raster-types.js';
import { isMp3, isOgg, isoMediaType, isWav, isWebm } from './stream-types.js';
import { isPlainText, isSvg } from './text-types.js';

type Reader = (head: Uint8Array) => string | undefined;

const when =
  (mime: string, is: (head: Uint8Array) => boolean): Reader =>
  (head) =>
    is(head) ? mime : undefined;

/** The most certain ones first. */
const READERS: readonly Reader[] = [
  when('image/jpeg', isJpeg),
  when('image/png', isPng),
  when('image/webp', isWebp),
  when('image/gif', isGifImage),
  when('image/avif', isAvif),
  when('image/tiff', isTiff),
  when('image/bmp', isBmp),
  isoMediaType,
  when('video/webm', isWebm),
  when('audio/ogg', isOgg),
  when('audio/wav', isWav),
  zipType,
  when('application/pdf', isPdf),
  when('audio/mpeg', isMp3),
  when('image/svg+xml', isSvg),
  when('text/plain', isPlainText),
];

/**
 * The type of a file by its first {@link TYPE_HEAD} bytes, or all of them when it has fewer; one of those that the library
 * takes, else `undefined`. The name only tells a table from other text.
 */
export function fileType(head: Uint8Array, name: string): string | undefined {
  const first = head.subarray(0, TYPE_HEAD);
  for (const read of READERS) {
    const mime = read(first);
    if (mime !== undefined) return mime === 'text/plain' && /\.csv$/i.test(name) ? 'text/csv' : mime;
  }
  return undefined;
}
