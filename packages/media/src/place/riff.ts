import { fromLatin1, latin1, reads, u32 } from '../octets.js';
import { MINIMAL_EXIF_SIZE, minimalExif, orientationOf } from './exif.js';
import { mp3 } from './mp3.js';
import { LOOK_AHEAD, within, type Passage, type Work } from './passage.js';
import { UnreadableFile } from './unreadable-file.js';

const HEAD = 8;
const FRAME_HEAD = 16;
const HAS_XMP = 0x04;
const UNKNOWN_SIZE = 0xffff_ffff;

const words = (text: string): ReadonlySet<string> => new Set(text.split('|'));
const WEBP = words('VP8X|VP8 |VP8L|ALPH|ANIM|ANMF|ICCP|EXIF');
const FRAME = words('VP8 |VP8L|ALPH');
const WAVE = words('fmt |data|fact|cue |plst|smpl|inst|bext|PEAK|chna|LIST|id3 |ID3 ');
const LISTS: Readonly<Record<string, ReadonlySet<string>>> = {
  INFO: words('INAM|IART|IPRD|ICRD|IGNR|ITRK|IPRT|IFRM|ICOP|IENG|ILNG|ISFT|ISRC|ITCH|IWRI|IMUS'),
  adtl: words('labl|note|ltxt'),
  wavl: words('data|slnt'),
};

/**
 * Of a WebP every byte keeps its place, since the file's size stands at its beginning and a stream cannot go back: a
 * chunk that is not needed becomes one of the same size that nobody knows, all zeros, which decoders skip. EXIF keeps
 * the orientation alone and so its flag; the flag of XMP goes.
 */
export function* webp(file: Passage): Work {
  const end = yield* beginning(file, 'WEBP');
  yield* chunks(file, end, Infinity, WEBP);
}

/** Of a WAV go on: the sound, what is needed to play it, and titles; all else becomes zeros. */
export function* wav(file: Passage): Work {
  const end = yield* beginning(file, 'WAVE');
  yield* chunks(file, end, Infinity, WAVE);
}

/** Where the file ends by its own account. */
function* beginning(file: Passage, form: string): Work<number> {
  const head = yield* file.ahead(12);
  if (!reads(head, 0, 'RIFF') || !reads(head, 8, form)) throw new UnreadableFile(`No beginning of ${form}`);
  const size = u32(head, 4, 'little');
  yield* file.pass(12);
  return size === 0 || size === UNKNOWN_SIZE ? Infinity : HEAD + size + (size % 2);
}

/** The chunks that begin before `end`, and reach to `limit` at most. */
function* chunks(file: Passage, end: number, limit: number, kept: ReadonlySet<string>): Work {
  while (file.position + HEAD <= end && (yield* file.holds(HEAD))) {
    const head = file.head(HEAD);
    const [id, size] = [latin1(head, 0, 4), u32(head, 4, 'little')];
    const chunkEnd = Math.min(file.position + HEAD + size + (size % 2), limit);
    // A sound that was never finished: all that follows is its samples.
    const isEndless = id === 'data' && size === 0 && end === Infinity;
    if (kept.has(id)) yield* chunk(file, id, size, isEndless ? Infinity : chunkEnd);
    else yield* blanked(file, chunkEnd);
  }
  yield* file.blank(end - file.position);
}

function* chunk(file: Passage, id: string, size: number, end: number): Work {
  if (id === 'VP8X') yield* features(file);
  else if (id === 'EXIF') yield* exif(file, size);
  else if (id === 'ANMF') {
    yield* file.pass(Math.min(HEAD + FRAME_HEAD, end - file.position));
    yield* chunks(file, end, end, FRAME);
  } else if (id === 'LIST') {
    const type = latin1(yield* file.ahead(HEAD + 4), HEAD);
    yield* file.pass(Math.min(HEAD + 4, end - file.position));
    yield* chunks(file, end, end, LISTS[type] ?? words(''));
  } else if (id === 'id3 ' || id === 'ID3 ') {
    yield* file.pass(HEAD);
    yield* within(file, end - file.position, mp3);
  }
  yield* file.pass(end - file.position);
}

function* features(file: Passage): Work {
  const [flags] = (yield* file.ahead(HEAD + 1)).subarray(HEAD);
  yield* file.pass(HEAD);
  yield* file.drop(1);
  if (flags !== undefined) file.write(Uint8Array.of(flags & ~HAS_XMP));
}

function* exif(file: Passage, size: number): Work {
  const ahead = yield* file.ahead(Math.min(HEAD + size, LOOK_AHEAD));
  const minimal = minimalExif(orientationOf(ahead.subarray(HEAD)) ?? 1);
  yield* file.pass(HEAD);
  if (ahead.length >= HEAD + MINIMAL_EXIF_SIZE) {
    file.write(minimal);
    yield* file.drop(MINIMAL_EXIF_SIZE);
  }
  yield* file.blank(size + (size % 2) - (ahead.length >= HEAD + MINIMAL_EXIF_SIZE ? MINIMAL_EXIF_SIZE : 0));
}

function* blanked(file: Passage, end: number): Work {
  file.write(fromLatin1('JUNK'));
  yield* file.drop(4);
  yield* file.pass(4);
  yield* file.blank(end - file.position);
}
