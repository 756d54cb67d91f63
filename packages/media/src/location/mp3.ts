import { decodeLatin1, matchesAt, u32 } from '../formats/octets.js';
import { stripNested, type FileStream, type Coroutine } from './file-stream.js';
import { stripPicture } from './picture.js';

const HEAD_SIZE = 10;
const [UNSYNCHRONISED, EXTENDED] = [0x80, 0x40];
/** The description of a frame and the start of its picture must be within this number of bytes. */
const MAX_DESCRIPTION_BYTES = 512;
const FREE_FORM_FRAMES = new Set(['TXXX', 'PRIV', 'GEOB', 'UFID', 'COMM', 'APIC']);
const LOCATION_TERMS = /^XMP|x:xmpmeta|location|gps|latitude|longitude|coordinates|geo[-_. ]?(tag|loc|point|pos)/i;

/**
 * Keeps the sound and the ID3 frames, except free-form frames about a location; strips pictures. Blanks tags that the
 * parser does not support: tags of version 2.2, unsynchronised tags, and tags with an extended header.
 */
export function* stripMp3(file: FileStream): Coroutine {
  while (matchesAt(yield* file.lookAhead(HEAD_SIZE), 0, 'ID3')) {
    const head = file.peek(HEAD_SIZE);
    const [version, flags] = [head[3] ?? 0, head[5] ?? 0];
    const end = file.position + HEAD_SIZE + synchsafe(head, 6);
    if ((version === 3 || version === 4) && (flags & (UNSYNCHRONISED | EXTENDED)) === 0) {
      yield* file.copy(HEAD_SIZE);
      yield* stripFrames(file, end, version);
    } else {
      yield* file.copy(HEAD_SIZE);
      yield* file.blank(end - file.position);
    }
  }
  yield* file.copy(Infinity);
}

function* stripFrames(file: FileStream, end: number, version: 3 | 4): Coroutine {
  while (file.position + HEAD_SIZE <= end && (yield* file.waitFor(HEAD_SIZE))) {
    const head = file.peek(HEAD_SIZE);
    const id = decodeLatin1(head, 0, 4);
    if (!/^[A-Z][A-Z0-9]{3}$/.test(id)) break;
    const frameEnd = Math.min(file.position + HEAD_SIZE + (version === 4 ? synchsafe(head, 4) : u32(head, 4)), end);
    const isPlain = head[9] === 0;
    yield* stripFrame(file, id, isPlain, frameEnd);
  }
  yield* file.blank(end - file.position);
}

function* stripFrame(file: FileStream, id: string, isPlain: boolean, end: number): Coroutine {
  const nextBytes = yield* file.lookAhead(Math.min(end - file.position, HEAD_SIZE + MAX_DESCRIPTION_BYTES));
  const content = decodeLatin1(nextBytes, HEAD_SIZE);
  const pictureAt = id === 'APIC' ? content.search(/\xff\xd8\xff|\x89PNG/) : undefined;
  const description = content.slice(0, pictureAt).replaceAll('\0', '');
  yield* file.copy(HEAD_SIZE);
  if (!FREE_FORM_FRAMES.has(id)) yield* file.copy(end - file.position);
  else if (!isPlain || LOCATION_TERMS.test(description)) yield* file.blank(end - file.position);
  else if (pictureAt === undefined) yield* file.copy(end - file.position);
  else if (pictureAt < 0) yield* file.blank(end - file.position);
  else {
    yield* file.copy(pictureAt);
    yield* stripNested(file, end - file.position, stripPicture);
  }
}

function synchsafe(bytes: Uint8Array, at: number): number {
  return [0, 1, 2, 3].reduce((number, index) => number * 0x80 + ((bytes[at + index] ?? 0) & 0x7f), 0);
}
