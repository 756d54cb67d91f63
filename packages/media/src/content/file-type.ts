import { isPdf, zipType } from './document-types.js';
import { TYPE_HEAD_BYTES } from './head.js';
import { isAvif, isBmp, isGifImage, isJpeg, isPng, isTiff, isWebp } from './raster-types.js';
import { isMp3, isOgg, isoMediaType, isWav, isWebm } from './stream-types.js';
import { isPlainText, isSvg } from './text-types.js';

type Detector = (head: Uint8Array) => string | undefined;

const when =
  (mime: string, matches: (head: Uint8Array) => boolean): Detector =>
  (head) =>
    matches(head) ? mime : undefined;

/** The most reliable ones first. */
const DETECTORS: readonly Detector[] = [
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
 * Detects the MIME type from the first {@link TYPE_HEAD_BYTES} bytes, or from the whole of a smaller file. `undefined`
 * for a type that the library does not accept. The name decides between CSV and plain text only.
 */
export function fileType(head: Uint8Array, name: string): string | undefined {
  const first = head.subarray(0, TYPE_HEAD_BYTES);
  for (const detect of DETECTORS) {
    const mime = detect(first);
    if (mime !== undefined) return mime === 'text/plain' && /\.csv$/i.test(name) ? 'text/csv' : mime;
  }
  return undefined;
}
