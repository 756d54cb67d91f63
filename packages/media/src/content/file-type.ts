import { isPdf, zipType } from './document-types.js';
import { TYPE_HEAD_BYTES } from './head.js';
import { isAvif, isBmp, isGifImage, isJpeg, isPng, isTiff, isWebp } from './raster-types.js';
import { isMp3, isOgg, isoMediaType, isWav, isWebm } from './stream-types.js';
import { isPlainText, isSvg } from './text-types.js';

type Detector = (head: Uint8Array) => string | undefined;

const makeDetector =
  (mime: string, matches: (head: Uint8Array) => boolean): Detector =>
  (head) =>
    matches(head) ? mime : undefined;

/** The most reliable detectors come first. */
const DETECTORS: readonly Detector[] = [
  makeDetector('image/jpeg', isJpeg),
  makeDetector('image/png', isPng),
  makeDetector('image/webp', isWebp),
  makeDetector('image/gif', isGifImage),
  makeDetector('image/avif', isAvif),
  makeDetector('image/tiff', isTiff),
  makeDetector('image/bmp', isBmp),
  isoMediaType,
  makeDetector('video/webm', isWebm),
  makeDetector('audio/ogg', isOgg),
  makeDetector('audio/wav', isWav),
  zipType,
  makeDetector('application/pdf', isPdf),
  makeDetector('audio/mpeg', isMp3),
  makeDetector('image/svg+xml', isSvg),
  makeDetector('text/plain', isPlainText),
];

/**
 * Detects the MIME type from the first {@link TYPE_HEAD_BYTES} bytes. Returns `undefined` for a type that the library
 * does not accept. The name is used only to distinguish CSV from plain text.
 */
export function fileType(head: Uint8Array, name: string): string | undefined {
  const typeHead = head.subarray(0, TYPE_HEAD_BYTES);
  for (const detect of DETECTORS) {
    const mime = detect(typeHead);
    if (mime !== undefined) return mime === 'text/plain' && /\.csv$/i.test(name) ? 'text/csv' : mime;
  }
  return undefined;
}
