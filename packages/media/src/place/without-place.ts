import { blankAvif } from './avif.js';
import { gif } from './gif.js';
import { isoImage, isoMedia } from './iso-media.js';
import { jpeg } from './jpeg.js';
import { mp3 } from './mp3.js';
import { ogg } from './ogg.js';
import { passed, type Cutter } from './passage.js';
import { png } from './png.js';
import { wav, webp } from './riff.js';
import { blankTiff } from './tiff.js';
import { UnreadableFile } from './unreadable-file.js';
import { webm } from './webm.js';
import { whole } from './whole.js';

type Way = (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>;

const streaming =
  (cutter: Cutter): Way =>
  (bytes) =>
    passed(bytes, cutter);
const unchanged: Way = (bytes) => bytes;

/** Types whose files {@link withoutPlace} holds as a whole. */
const HELD_WHOLE: Readonly<Record<string, Way>> = {
  'image/avif': (bytes) => whole(passed(bytes, isoImage), blankAvif),
  'image/tiff': (bytes) => whole(bytes, blankTiff),
};

const WAYS: Readonly<Record<string, Way>> = {
  'image/jpeg': streaming(jpeg),
  'image/png': streaming(png),
  'image/webp': streaming(webp),
  'image/gif': streaming(gif),
  'image/bmp': unchanged,
  'image/svg+xml': unchanged,
  'video/mp4': streaming(isoMedia),
  'video/webm': streaming(webm),
  'video/quicktime': streaming(isoMedia),
  'audio/mpeg': streaming(mp3),
  'audio/mp4': streaming(isoMedia),
  'audio/ogg': streaming(ogg),
  'audio/wav': streaming(wav),
  'application/pdf': unchanged,
  'text/plain': unchanged,
  'text/csv': unchanged,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': unchanged,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': unchanged,
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': unchanged,
  'application/zip': unchanged,
  ...HELD_WHOLE,
};

/**
 * A file without what tells where it was made; pixels and sound stay as they are, bit for bit, and so does the orientation.
 * The source is read to its end. Of a file that streams at most a few hundred kB are held, and a chunk; AVIF and TIFF are
 * held as a whole, up to 32 MB. Documents, SVG and BMP go on unchanged. While it is read it throws {@link UnreadableFile}
 * when that cannot be done: what came out before is not to be used. A file that only breaks off is no such.
 */
export function withoutPlace(mime: string, bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return Object.hasOwn(WAYS, mime) && WAYS[mime] ? WAYS[mime](bytes) : unknown();
}

/** Whether {@link withoutPlace} holds a file of this type as a whole: not many of them should go through it at once. */
export function isHeldWhole(mime: string): boolean {
  return Object.hasOwn(HELD_WHOLE, mime);
}

// eslint-disable-next-line require-yield
async function* unknown(): AsyncGenerator<Uint8Array> {
  throw new UnreadableFile('A type that is not known');
}
