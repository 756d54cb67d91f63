import { encodeLatin1, concat, decodeLatin1, matchesAt, setU32, u32 } from '../formats/octets.js';
import { crc32 } from './crc.js';
import { minimalExif, orientationOf } from './exif.js';
import { MAX_LOOK_AHEAD_BYTES, type FileStream, type Coroutine } from './file-stream.js';
import { UnreadableFile } from './unreadable-file.js';

export const PNG_SIGNATURE = '\x89PNG\r\n\x1a\n';
const MAX_CHUNK_BYTES = 0x7fff_ffff;
const HEAD_SIZE = 8;
const CRC = 4;
const KEPT_CHUNKS = new Set(
  (
    'IHDR PLTE IDAT IEND tRNS acTL fcTL fdAT cHRM gAMA iCCP sBIT sRGB cICP mDCV cLLI mDCv cLLi ' +
    'bKGD hIST pHYs sPLT tIME'
  ).split(' '),
);

/**
 * Keeps the chunks that rendering needs and the EXIF orientation. Drops all other chunks and everything after the end.
 */
export function* stripPng(file: FileStream): Coroutine {
  if (!matchesAt(yield* file.lookAhead(HEAD_SIZE), 0, PNG_SIGNATURE)) throw new UnreadableFile('Not a PNG');
  yield* file.copy(HEAD_SIZE);
  let hasExif = false;
  while (yield* file.waitFor(HEAD_SIZE)) {
    const head = file.peek(HEAD_SIZE);
    const [size, type] = [u32(head, 0), decodeLatin1(head, 4)];
    if (size > MAX_CHUNK_BYTES || !/^[A-Za-z]{4}$/.test(type)) throw new UnreadableFile('Invalid PNG chunk');
    if (KEPT_CHUNKS.has(type)) {
      yield* file.copy(HEAD_SIZE + size + CRC);
      if (type === 'IEND') return;
      continue;
    }
    if (isCritical(type)) throw new UnreadableFile(`Unknown critical PNG chunk: ${type}`);
    if (type === 'eXIf' && !hasExif) {
      const nextBytes = yield* file.lookAhead(Math.min(HEAD_SIZE + size, MAX_LOOK_AHEAD_BYTES));
      const orientation = orientationOf(nextBytes.subarray(HEAD_SIZE));
      if (orientation !== undefined) file.write(makeChunk('eXIf', minimalExif(orientation)));
      hasExif = true;
    }
    yield* file.drop(HEAD_SIZE + size + CRC);
  }
}

/** Critical chunks start with a capital letter. */
function isCritical(type: string): boolean {
  return type < 'a';
}

function makeChunk(type: string, body: Uint8Array): Uint8Array {
  const typeAndBody = concat([encodeLatin1(type), body]);
  const [size, crc] = [new Uint8Array(4), new Uint8Array(CRC)];
  setU32(size, 0, body.length);
  setU32(crc, 0, crc32(typeAndBody));
  return concat([size, typeAndBody, crc]);
}
