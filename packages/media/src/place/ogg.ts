import { reads, setU32, u32 } from '../octets.js';
import { oggCrc } from './crc.js';
import type { Passage, Work } from './passage.js';
import { UnreadableFile } from './unreadable-file.js';

const HEAD = 27;
const FIRST = 0x02;
const CRC_AT = 22;
const FULL = 255;
const MOST_STREAMS = 64;
const SPACE = 0x20;
const LONGEST_NAME = 64;
const OF_PLACE = /LOCATION|GPS|LATITUDE|LONGITUDE|COORDINATES|GEO[-_]?(TAG|LOC|POINT|POS)|XMP/;

/** A stream of one sound within the file. */
interface Stream {
  packet: number;
  readonly comments: Comments;
  /** Of its next byte. */
  tells: boolean;
}

/** Says whether the next byte tells a place, and takes it. */
type Comments = Generator<boolean, void, number>;

/** Of an Ogg all goes on, but for the values of comments that speak of a place: they become spaces. */
export function* ogg(file: Passage): Work {
  const streams = new Map<number, Stream>();
  while (yield* file.holds(HEAD)) {
    const size = yield* pageSize(file);
    const page = (yield* file.ahead(size)).slice();
    if (!reads(page, 0, 'OggS')) throw new UnreadableFile('No page of Ogg');
    if (blankPlaces(page, streamOf(page, streams))) setU32(page, CRC_AT, oggCrc(page), 'little');
    file.write(page);
    yield* file.drop(size);
  }
  yield* file.drop(HEAD);
}

function* pageSize(file: Passage): Work<number> {
  const segments = file.head(HEAD)[HEAD - 1] ?? 0;
  const table = (yield* file.ahead(HEAD + segments)).subarray(HEAD);
  return HEAD + segments + table.reduce((sum, each) => sum + each, 0);
}

function streamOf(page: Uint8Array, streams: Map<number, Stream>): Stream {
  const serial = u32(page, 14, 'little');
  const known = streams.get(serial);
  if (known && ((page[5] ?? 0) & FIRST) === 0) return known;
  if (streams.size === MOST_STREAMS) throw new UnreadableFile('Too many streams in an Ogg');
  const body = page.subarray(HEAD + (page[HEAD - 1] ?? 0));
  const comments = commentsAfter(beforeComments(body));
  const stream = { packet: 0, comments, tells: comments.next().value === true };
  streams.set(serial, stream);
  return stream;
}

/** How many bytes stand before the comments in the second packet; the first one tells the kind of sound. */
function beforeComments(first: Uint8Array): number {
  if (reads(first, 0, '\x01vorbis')) return 7;
  if (reads(first, 0, 'OpusHead')) return 8;
  if (reads(first, 0, '\x7fFLAC')) return 4;
  if (reads(first, 0, 'Speex   ')) return 0;
  throw new UnreadableFile('A sound of Ogg that is not known');
}

/** Whether there were any. */
function blankPlaces(page: Uint8Array, stream: Stream): boolean {
  let isChanged = false;
  const segments = page[HEAD - 1] ?? 0;
  let at = HEAD + segments;
  for (const size of page.subarray(HEAD, HEAD + segments)) {
    const end = Math.min(at + size, page.length);
    for (; stream.packet === 1 && at < end; at += 1) {
      const tells = stream.tells;
      stream.tells = stream.comments.next(page[at] ?? 0).value === true;
      if (!tells) continue;
      page[at] = SPACE;
      isChanged = true;
    }
    at = end;
    if (size < FULL) stream.packet += 1;
  }
  return isChanged;
}

/** Vorbis comments: a vendor, a number, and so many times `NAME=value`, every text after its size. */
function* commentsAfter(before: number): Comments {
  for (let at = 0; at < before; at += 1) yield false;
  for (let left = yield* number(); left > 0; left -= 1) yield false;
  for (let comments = yield* number(); comments > 0; comments -= 1) {
    let name = '';
    let isPlace: boolean | undefined;
    for (let left = yield* number(); left > 0; left -= 1) {
      const byte = yield isPlace ?? false;
      if (isPlace !== undefined) continue;
      if (byte === 0x3d) isPlace = OF_PLACE.test(name.toUpperCase());
      else if (name.length < LONGEST_NAME) name += String.fromCharCode(byte);
    }
  }
  for (;;) yield false;
}

function* number(): Generator<boolean, number, number> {
  let value = 0;
  for (const worth of [1, 0x100, 0x1_0000, 0x100_0000]) value += (yield false) * worth;
  return value;
}
