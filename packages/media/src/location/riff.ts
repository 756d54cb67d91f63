import { encodeLatin1, decodeLatin1, matchesAt, u32 } from '../formats/octets.js';
import { MINIMAL_EXIF_BYTES, minimalExif, orientationOf } from './exif.js';
import { stripMp3 } from './mp3.js';
import { MAX_LOOK_AHEAD_BYTES, stripNested, type FileStream, type Coroutine } from './file-stream.js';
import { UnreadableFile } from './unreadable-file.js';

const HEAD_SIZE = 8;
const FRAME_HEAD_SIZE = 16;
const XMP_FLAG = 0x04;
const UNKNOWN_SIZE = 0xffff_ffff;

const idSet = (text: string): ReadonlySet<string> => new Set(text.split('|'));
const KEPT_IN_WEBP = idSet('VP8X|VP8 |VP8L|ALPH|ANIM|ANMF|ICCP|EXIF');
const KEPT_IN_FRAME = idSet('VP8 |VP8L|ALPH');
const KEPT_IN_WAVE = idSet('fmt |data|fact|cue |plst|smpl|inst|bext|PEAK|chna|LIST|id3 |ID3 ');
const KEPT_IN_LIST: Readonly<Record<string, ReadonlySet<string>>> = {
  INFO: idSet('INAM|IART|IPRD|ICRD|IGNR|ITRK|IPRT|IFRM|ICOP|IENG|ILNG|ISFT|ISRC|ITCH|IWRI|IMUS'),
  adtl: idSet('labl|note|ltxt'),
  wavl: idSet('data|slnt'),
};

/**
 * Keeps the length and all offsets: the header states the file size, and a stream cannot go back to change it. Turns
 * unneeded chunks into `JUNK` chunks of zeros, which decoders skip. Keeps the EXIF orientation and clears the XMP flag.
 */
export function* stripWebp(file: FileStream): Coroutine {
  const end = yield* copyHeader(file, 'WEBP');
  yield* stripChunks(file, end, Infinity, KEPT_IN_WEBP);
}

export function* stripWav(file: FileStream): Coroutine {
  const end = yield* copyHeader(file, 'WAVE');
  yield* stripChunks(file, end, Infinity, KEPT_IN_WAVE);
}

function* copyHeader(file: FileStream, form: string): Coroutine<number> {
  const head = yield* file.lookAhead(12);
  if (!matchesAt(head, 0, 'RIFF') || !matchesAt(head, 8, form)) throw new UnreadableFile(`Not a ${form} file`);
  const size = u32(head, 4, 'little');
  yield* file.copy(12);
  return size === 0 || size === UNKNOWN_SIZE ? Infinity : HEAD_SIZE + size + (size % 2);
}

/** Strips the chunks that start before `end`. Truncates a chunk that exceeds `limit`. */
function* stripChunks(file: FileStream, end: number, limit: number, keptIds: ReadonlySet<string>): Coroutine {
  while (file.position + HEAD_SIZE <= end && (yield* file.waitFor(HEAD_SIZE))) {
    const head = file.peek(HEAD_SIZE);
    const [id, size] = [decodeLatin1(head, 0, 4), u32(head, 4, 'little')];
    const chunkEnd = Math.min(file.position + HEAD_SIZE + size + (size % 2), limit);
    // An unfinished recording states size 0, although samples fill the rest of the file.
    const isEndless = id === 'data' && size === 0 && end === Infinity;
    if (keptIds.has(id)) yield* stripChunk(file, id, size, isEndless ? Infinity : chunkEnd);
    else yield* blankChunk(file, chunkEnd);
  }
  yield* file.blank(end - file.position);
}

function* stripChunk(file: FileStream, id: string, size: number, end: number): Coroutine {
  if (id === 'VP8X') yield* clearXmpFlag(file);
  else if (id === 'EXIF') yield* minimizeExif(file, size);
  else if (id === 'ANMF') {
    yield* file.copy(Math.min(HEAD_SIZE + FRAME_HEAD_SIZE, end - file.position));
    yield* stripChunks(file, end, end, KEPT_IN_FRAME);
  } else if (id === 'LIST') {
    const type = decodeLatin1(yield* file.lookAhead(HEAD_SIZE + 4), HEAD_SIZE);
    yield* file.copy(Math.min(HEAD_SIZE + 4, end - file.position));
    yield* stripChunks(file, end, end, KEPT_IN_LIST[type] ?? idSet(''));
  } else if (id === 'id3 ' || id === 'ID3 ') {
    yield* file.copy(HEAD_SIZE);
    yield* stripNested(file, end - file.position, stripMp3);
  }
  yield* file.copy(end - file.position);
}

function* clearXmpFlag(file: FileStream): Coroutine {
  const [flags] = (yield* file.lookAhead(HEAD_SIZE + 1)).subarray(HEAD_SIZE);
  yield* file.copy(HEAD_SIZE);
  yield* file.drop(1);
  if (flags !== undefined) file.write(Uint8Array.of(flags & ~XMP_FLAG));
}

function* minimizeExif(file: FileStream, size: number): Coroutine {
  const nextBytes = yield* file.lookAhead(Math.min(HEAD_SIZE + size, MAX_LOOK_AHEAD_BYTES));
  const orientationExif = minimalExif(orientationOf(nextBytes.subarray(HEAD_SIZE)) ?? 1);
  yield* file.copy(HEAD_SIZE);
  if (nextBytes.length >= HEAD_SIZE + MINIMAL_EXIF_BYTES) {
    file.write(orientationExif);
    yield* file.drop(MINIMAL_EXIF_BYTES);
  }
  yield* file.blank(size + (size % 2) - (nextBytes.length >= HEAD_SIZE + MINIMAL_EXIF_BYTES ? MINIMAL_EXIF_BYTES : 0));
}

function* blankChunk(file: FileStream, end: number): Coroutine {
  file.write(encodeLatin1('JUNK'));
  yield* file.drop(4);
  yield* file.copy(4);
  yield* file.blank(end - file.position);
}
