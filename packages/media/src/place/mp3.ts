import { latin1, reads, u32 } from '../octets.js';
import { within, type Passage, type Work } from './passage.js';
import { picture } from './picture.js';

const HEAD = 10;
const [UNSYNCHRONISED, EXTENDED] = [0x80, 0x40];
/** How far into a frame its description and the beginning of its picture are looked for. */
const DESCRIPTION = 512;
const FREE_FRAMES = new Set(['TXXX', 'PRIV', 'GEOB', 'UFID', 'COMM', 'APIC']);
const OF_PLACE = /^XMP|x:xmpmeta|location|gps|latitude|longitude|coordinates|geo[-_. ]?(tag|loc|point|pos)/i;

/**
 * Of an MP3 the sound goes on unchanged, and its ID3 titles but for free ones that speak of a place; pictures lose theirs.
 * Tags written so that frames cannot be told apart (version 2.2, unsynchronised, extended) become zeros.
 */
export function* mp3(file: Passage): Work {
  while (reads(yield* file.ahead(HEAD), 0, 'ID3')) {
    const head = file.head(HEAD);
    const [version, flags] = [head[3] ?? 0, head[5] ?? 0];
    const end = file.position + HEAD + synchsafe(head, 6);
    if ((version === 3 || version === 4) && (flags & (UNSYNCHRONISED | EXTENDED)) === 0) {
      yield* file.pass(HEAD);
      yield* frames(file, end, version);
    } else {
      yield* file.pass(HEAD);
      yield* file.blank(end - file.position);
    }
  }
  yield* file.pass(Infinity);
}

function* frames(file: Passage, end: number, version: 3 | 4): Work {
  while (file.position + HEAD <= end && (yield* file.holds(HEAD))) {
    const head = file.head(HEAD);
    const id = latin1(head, 0, 4);
    if (!/^[A-Z][A-Z0-9]{3}$/.test(id)) break;
    const frameEnd = Math.min(file.position + HEAD + (version === 4 ? synchsafe(head, 4) : u32(head, 4)), end);
    const isPlain = head[9] === 0;
    yield* frame(file, id, isPlain, frameEnd);
  }
  yield* file.blank(end - file.position);
}

function* frame(file: Passage, id: string, isPlain: boolean, end: number): Work {
  const ahead = yield* file.ahead(Math.min(end - file.position, HEAD + DESCRIPTION));
  const content = latin1(ahead, HEAD);
  const pictureAt = id === 'APIC' ? content.search(/\xff\xd8\xff|\x89PNG/) : undefined;
  // What a picture itself tells is cut out of the picture.
  const description = content.slice(0, pictureAt).replaceAll('\0', '');
  yield* file.pass(HEAD);
  if (!FREE_FRAMES.has(id)) yield* file.pass(end - file.position);
  else if (!isPlain || OF_PLACE.test(description)) yield* file.blank(end - file.position);
  else if (pictureAt === undefined) yield* file.pass(end - file.position);
  else if (pictureAt < 0) yield* file.blank(end - file.position);
  else {
    yield* file.pass(pictureAt);
    yield* within(file, end - file.position, picture);
  }
}

/** Seven bits a byte. */
function synchsafe(bytes: Uint8Array, at: number): number {
  return [0, 1, 2, 3].reduce((number, index) => number * 0x80 + ((bytes[at + index] ?? 0) & 0x7f), 0);
}
