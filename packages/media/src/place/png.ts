import { fromLatin1, joined, latin1, reads, setU32, u32 } from '../octets.js';
import { crc32 } from './crc.js';
import { minimalExif, orientationOf } from './exif.js';
import { LOOK_AHEAD, type Passage, type Work } from './passage.js';
import { UnreadableFile } from './unreadable-file.js';

export const PNG_SIGNATURE = '\x89PNG\r\n\x1a\n';
const LARGEST_CHUNK = 0x7fff_ffff;
const HEAD = 8;
const CRC = 4;
/** What pixels, colours and movement need, and the time of the last change. */
const KEPT = new Set(
  (
    'IHDR PLTE IDAT IEND tRNS acTL fcTL fdAT cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI mDCv cLLi ' +
    'bKGD hIST pHYs sPLT tIME'
  ).split(' '),
);

/**
 * Of a PNG the chunks go on that its look needs, unchanged, and the orientation of its EXIF. Texts, EXIF and chunks that
 * nobody knows go, and everything after the end.
 */
export function* png(file: Passage): Work {
  if (!reads(yield* file.ahead(HEAD), 0, PNG_SIGNATURE)) throw new UnreadableFile('No beginning of a PNG');
  yield* file.pass(HEAD);
  let hasExif = false;
  while (yield* file.holds(HEAD)) {
    const head = file.head(HEAD);
    const [size, type] = [u32(head, 0), latin1(head, 4)];
    if (size > LARGEST_CHUNK || !/^[A-Za-z]{4}$/.test(type)) throw new UnreadableFile('No chunk of PNG');
    if (KEPT.has(type)) {
      yield* file.pass(HEAD + size + CRC);
      if (type === 'IEND') return;
      continue;
    }
    if (isNeeded(type)) throw new UnreadableFile(`A chunk of PNG that must be understood: ${type}`);
    if (type === 'eXIf' && !hasExif) {
      const ahead = yield* file.ahead(Math.min(HEAD + size, LOOK_AHEAD));
      const orientation = orientationOf(ahead.subarray(HEAD));
      if (orientation !== undefined) file.write(chunk('eXIf', minimalExif(orientation)));
      hasExif = true;
    }
    yield* file.drop(HEAD + size + CRC);
  }
}

/** A capital letter says that a PNG cannot be shown without this chunk. */
function isNeeded(type: string): boolean {
  return type < 'a';
}

function chunk(type: string, body: Uint8Array): Uint8Array {
  const typed = joined([fromLatin1(type), body]);
  const [size, crc] = [new Uint8Array(4), new Uint8Array(CRC)];
  setU32(size, 0, body.length);
  setU32(crc, 0, crc32(typed));
  return joined([size, typed, crc]);
}
