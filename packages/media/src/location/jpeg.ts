import { encodeLatin1, concat, matchesAt, setU16, u16 } from '../formats/octets.js';
import { minimalExif, orientationOf } from './exif.js';
import type { FileStream, Coroutine } from './file-stream.js';
import { UnreadableFile } from './unreadable-file.js';

const [SOI, EOI, SOS, COM] = [0xd8, 0xd9, 0xda, 0xfe];
const [JFIF, EXIF, ICC, ADOBE] = [0xe0, 0xe1, 0xe2, 0xee];
const JFIF_SIZE = 14;
const ADOBE_SIZE = 12;

/**
 * Keeps tables, frames, scans, the colour profile, the first EXIF orientation, and the JFIF and Adobe headers without
 * extensions. Drops everything else: bytes between segments, further images and everything after the end.
 */
export function* stripJpeg(file: FileStream): Coroutine {
  if (!matchesAt(yield* file.lookAhead(2), 0, '\xff\xd8')) throw new UnreadableFile('Not a JPEG');
  yield* file.copy(2);
  let hasExif = false;
  for (;;) {
    const marker = yield* nextMarker(file);
    if (marker === undefined) return;
    if (marker === EOI) {
      file.write(Uint8Array.of(0xff, EOI));
      return;
    }
    if (isStandalone(marker)) continue;
    if (!hasSegment(marker)) throw new UnreadableFile(`Invalid JPEG marker: ${marker}`);
    if (!(yield* file.waitFor(2))) return;
    const size = u16(file.peek(2), 0);
    if (size < 2) throw new UnreadableFile('Invalid JPEG segment size');
    if (isMetadata(marker)) {
      const body = marker === COM ? undefined : (yield* file.lookAhead(size)).subarray(2);
      const keptBody = body && !(marker === EXIF && hasExif) ? keptMetadata(marker, body) : undefined;
      hasExif ||= marker === EXIF && body !== undefined && isExif(body);
      if (keptBody) file.write(makeSegment(marker, keptBody));
      yield* file.drop(size);
      continue;
    }
    file.write(Uint8Array.of(0xff, marker));
    yield* file.copy(size);
    if (marker === SOS) yield* copyScan(file);
  }
}

function* nextMarker(file: FileStream): Coroutine<number | undefined> {
  while (yield* file.waitFor(2)) {
    const bytes = file.peek();
    let at = bytes.indexOf(0xff);
    if (at < 0) at = bytes.length;
    while (bytes[at + 1] === 0xff) at += 1;
    const marker = bytes[at + 1];
    yield* file.drop(marker === undefined ? at : at + 2);
    if (marker) return marker;
  }
  return undefined;
}

function* copyScan(file: FileStream): Coroutine {
  while (yield* file.waitFor(2)) {
    const bytes = file.peek();
    const end = endOfScan(bytes);
    yield* file.copy(end ?? bytes.length - (bytes.at(-1) === 0xff ? 1 : 0));
    if (end !== undefined) return;
  }
  yield* file.copy(1);
}

function endOfScan(bytes: Uint8Array): number | undefined {
  for (let at = bytes.indexOf(0xff); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(0xff, at)) {
    const marker = bytes[at + 1] ?? 0;
    if (marker >= 0xc0 && marker < 0xff && !isStandalone(marker)) return at;
    at += marker === 0xff ? 1 : 2;
  }
  return undefined;
}

/** TEM and the restart markers have no segment. */
function isStandalone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
}

function hasSegment(marker: number): boolean {
  return (marker >= 0xc0 && marker < 0xf0 && marker !== SOI) || marker === COM;
}

function isMetadata(marker: number): boolean {
  return marker >= 0xe0;
}

function isExif(body: Uint8Array): boolean {
  return matchesAt(body, 0, 'Exif\0');
}

function keptMetadata(marker: number, body: Uint8Array): Uint8Array | undefined {
  if (marker === JFIF && matchesAt(body, 0, 'JFIF\0') && body.length >= JFIF_SIZE) {
    const withoutThumbnail = body.slice(0, JFIF_SIZE);
    withoutThumbnail.fill(0, JFIF_SIZE - 2);
    return withoutThumbnail;
  }
  if (marker === ICC && matchesAt(body, 0, 'ICC_PROFILE\0')) return body;
  if (marker === ADOBE && matchesAt(body, 0, 'Adobe') && body.length >= ADOBE_SIZE) return body.subarray(0, ADOBE_SIZE);
  if (marker !== EXIF || !isExif(body)) return undefined;
  const orientation = orientationOf(body);
  return orientation === undefined ? undefined : concat([encodeLatin1('Exif\0\0'), minimalExif(orientation)]);
}

function makeSegment(marker: number, body: Uint8Array): Uint8Array {
  const head = Uint8Array.of(0xff, marker, 0, 0);
  setU16(head, 2, body.length + 2);
  return concat([head, body]);
}
