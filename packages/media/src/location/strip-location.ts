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

const makeStreaming =
  (strip: Stripper): LocationStripper =>
  (bytes) =>
    stripStream(bytes, strip);
const passThrough: LocationStripper = (bytes) => bytes;

const STRIPPERS: Readonly<Record<string, LocationStripper>> = {
  'image/jpeg': makeStreaming(stripJpeg),
  'image/png': makeStreaming(stripPng),
  'image/webp': makeStreaming(stripWebp),
  'image/gif': makeStreaming(stripGif),
  'image/avif': (bytes) => blankBuffered(stripStream(bytes, stripIsoImage), blankAvif),
  'image/tiff': (bytes) => blankBuffered(bytes, blankTiff),
  'image/bmp': passThrough,
  'image/svg+xml': passThrough,
  'video/mp4': makeStreaming(stripIsoMedia),
  'video/webm': makeStreaming(stripWebm),
  'video/quicktime': makeStreaming(stripIsoMedia),
  'audio/mpeg': makeStreaming(stripMp3),
  'audio/mp4': makeStreaming(stripIsoMedia),
  'audio/ogg': makeStreaming(stripOgg),
  'audio/wav': makeStreaming(stripWav),
  'application/pdf': passThrough,
  'text/plain': passThrough,
  'text/csv': passThrough,
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': passThrough,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': passThrough,
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': passThrough,
  'application/zip': passThrough,
};

/**
 * Removes location metadata. Pixels, sound and orientation stay the same bit for bit; documents, SVG and BMP stay
 * unchanged. Reads the source to its end, and accepts a truncated file. Buffers AVIF and TIFF up to 32 MB, and a few
 * hundred kB of any other type. Throws {@link UnreadableFile} while streaming; the output must then not be used.
 */
export function stripLocation(mime: string, bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return Object.hasOwn(STRIPPERS, mime) && STRIPPERS[mime] ? STRIPPERS[mime](bytes) : rejectType();
}

/** Returns false when {@link stripLocation} keeps files of this type unchanged. */
export function isStripped(mime: string): boolean {
  return !Object.hasOwn(STRIPPERS, mime) || STRIPPERS[mime] !== passThrough;
}

// eslint-disable-next-line require-yield
async function* rejectType(): AsyncGenerator<Uint8Array> {
  throw new UnreadableFile('Unknown type');
}
