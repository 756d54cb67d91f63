import { blankAvif } from './avif.js';
import { blankBuffered } from './buffered.js';
import { stripStream, type Stripper } from './file-stream.js';
import { stripGif } from './gif.js';
import { stripIsoImage, stripIsoMedia } from './iso-media.js';
import { stripJpeg } from './jpeg.js';
import { stripMp3 } from './mp3.js';
import { stripOgg } from './ogg.js';
import { stripPng } from './png.js';
import { stripWav, stripWebp } from './riff.js';
import { blankTiff } from './tiff.js';
import { UnreadableFile } from './unreadable-file.js';
import { stripWebm } from './webm.js';

type LocationStripper = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

const streaming =
  (strip: Stripper): LocationStripper =>
  (bytes) =>
    stripStream(bytes, strip);
const unchanged: LocationStripper = (bytes) => bytes;

const BUFFERED: Readonly<Record<string, LocationStripper>> = {
  'image/avif': (bytes) => blankBuffered(stripStream(bytes, stripIsoImage), blankAvif),
  'image/tiff': (bytes) => blankBuffered(bytes, blankTiff),
};

const STRIPPERS: Readonly<Record<string, LocationStripper>> = {
  'image/jpeg': streaming(stripJpeg),
  'image/png': streaming(stripPng),
  'image/webp': streaming(stripWebp),
  'image/gif': streaming(stripGif),
  'image/bmp': unchanged,
  'image/svg+xml': unchanged,
  'video/mp4': streaming(stripIsoMedia),
  'video/webm': streaming(stripWebm),
  'video/quicktime': streaming(stripIsoMedia),
  'audio/mpeg': streaming(stripMp3),
  'audio/mp4': streaming(stripIsoMedia),
  'audio/ogg': streaming(stripOgg),
  'audio/wav': streaming(stripWav),
  'application/pdf': unchanged,
  'text/plain': unchanged,
  'text/csv': unchanged,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': unchanged,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': unchanged,
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': unchanged,
  'application/zip': unchanged,
  ...BUFFERED,
};

/**
 * Removes location metadata; pixels, sound and orientation stay bit for bit. Documents, SVG and BMP stay unchanged.
 *
 * Reads the source to its end. Buffers AVIF and TIFF, up to 32 MB, and a few hundred kB of any other type. Throws
 * {@link UnreadableFile} while streaming, after which the output must not be used. A truncated file is readable.
 */
export function stripLocation(mime: string, bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return Object.hasOwn(STRIPPERS, mime) && STRIPPERS[mime] ? STRIPPERS[mime](bytes) : rejectType();
}

/** Whether {@link stripLocation} buffers whole files of this type; callers limit how many run at once. */
export function isBuffered(mime: string): boolean {
  return Object.hasOwn(BUFFERED, mime);
}

// eslint-disable-next-line require-yield
async function* rejectType(): AsyncGenerator<Uint8Array> {
  throw new UnreadableFile('Unknown type');
}
