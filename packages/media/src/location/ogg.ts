import { matchesAt, setU32, u32 } from '../formats/octets.js';
import { oggCrc } from './crc.js';
import type { FileStream, Coroutine } from './file-stream.js';
import { UnreadableFile } from './unreadable-file.js';

const HEAD_SIZE = 27;
const FIRST_PAGE_FLAG = 0x02;
const CRC_AT = 22;
const FULL_SEGMENT = 255;
const MAX_STREAMS = 64;
const SPACE = 0x20;
const MAX_NAME_LENGTH = 64;
const LOCATION_TERMS = /LOCATION|GPS|LATITUDE|LONGITUDE|COORDINATES|GEO[-_]?(TAG|LOC|POINT|POS)|XMP/;

interface LogicalStream {
  packet: number;
  readonly comments: CommentParser;
  isNextByteLocation: boolean;
}

/** Receives each byte of a packet and yields true when the next byte belongs to a location. */
type CommentParser = Generator<boolean, void, number>;

export function* stripOgg(file: FileStream): Coroutine {
  const streams = new Map<number, LogicalStream>();
  while (yield* file.waitFor(HEAD_SIZE)) {
    const size = yield* pageSize(file);
    const page = (yield* file.lookAhead(size)).slice();
    if (!matchesAt(page, 0, 'OggS')) throw new UnreadableFile('Not an Ogg page');
    if (blankLocations(page, streamOf(page, streams))) setU32(page, CRC_AT, oggCrc(page), 'little');
    file.write(page);
    yield* file.drop(size);
  }
  yield* file.drop(HEAD_SIZE);
}

function* pageSize(file: FileStream): Coroutine<number> {
  const segments = file.peek(HEAD_SIZE)[HEAD_SIZE - 1] ?? 0;
  const table = (yield* file.lookAhead(HEAD_SIZE + segments)).subarray(HEAD_SIZE);
  return HEAD_SIZE + segments + table.reduce((sum, segmentSize) => sum + segmentSize, 0);
}

function streamOf(page: Uint8Array, streams: Map<number, LogicalStream>): LogicalStream {
  const serial = u32(page, 14, 'little');
  const knownStream = streams.get(serial);
  if (knownStream && ((page[5] ?? 0) & FIRST_PAGE_FLAG) === 0) return knownStream;
  if (streams.size === MAX_STREAMS) throw new UnreadableFile('Too many Ogg streams');
  const body = page.subarray(HEAD_SIZE + (page[HEAD_SIZE - 1] ?? 0));
  const comments = parseComments(commentHeaderBytes(body));
  const stream = { packet: 0, comments, isNextByteLocation: comments.next().value === true };
  streams.set(serial, stream);
  return stream;
}

/**
 * Returns the number of bytes before the comments in the second packet. It depends on the codec, which the first packet
 * identifies.
 */
function commentHeaderBytes(firstPacket: Uint8Array): number {
  if (matchesAt(firstPacket, 0, '\x01vorbis')) return 7;
  if (matchesAt(firstPacket, 0, 'OpusHead')) return 8;
  if (matchesAt(firstPacket, 0, '\x7fFLAC')) return 4;
  if (matchesAt(firstPacket, 0, 'Speex   ')) return 0;
  throw new UnreadableFile('Unknown Ogg codec');
}

function blankLocations(page: Uint8Array, stream: LogicalStream): boolean {
  let isChanged = false;
  const segments = page[HEAD_SIZE - 1] ?? 0;
  let at = HEAD_SIZE + segments;
  for (const size of page.subarray(HEAD_SIZE, HEAD_SIZE + segments)) {
    const end = Math.min(at + size, page.length);
    for (; stream.packet === 1 && at < end; at += 1) {
      const isLocation = stream.isNextByteLocation;
      stream.isNextByteLocation = stream.comments.next(page[at] ?? 0).value === true;
      if (!isLocation) continue;
      page[at] = SPACE;
      isChanged = true;
    }
    at = end;
    if (size < FULL_SEGMENT) stream.packet += 1;
  }
  return isChanged;
}

/** Vorbis comments consist of the vendor, a count, and `NAME=value` texts. The size of each text comes before it. */
function* parseComments(headerBytes: number): CommentParser {
  for (let at = 0; at < headerBytes; at += 1) yield false;
  for (let remaining = yield* parseU32(); remaining > 0; remaining -= 1) yield false;
  for (let remainingComments = yield* parseU32(); remainingComments > 0; remainingComments -= 1) {
    let name = '';
    let isLocation: boolean | undefined;
    for (let remaining = yield* parseU32(); remaining > 0; remaining -= 1) {
      const byte = yield isLocation ?? false;
      if (isLocation !== undefined) continue;
      if (byte === 0x3d) isLocation = LOCATION_TERMS.test(name.toUpperCase());
      else if (name.length < MAX_NAME_LENGTH) name += String.fromCharCode(byte);
    }
  }
  for (;;) yield false;
}

function* parseU32(): Generator<boolean, number, number> {
  let value = 0;
  for (const factor of [1, 0x100, 0x1_0000, 0x100_0000]) value += (yield false) * factor;
  return value;
}
