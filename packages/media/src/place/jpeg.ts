import { fromLatin1, joined, reads, setU16, u16 } from '../octets.js';
import { minimalExif, orientationOf } from './exif.js';
import type { Passage, Work } from './passage.js';
import { UnreadableFile } from './unreadable-file.js';

const [SOI, EOI, SOS, COM] = [0xd8, 0xd9, 0xda, 0xfe];
const [JFIF, EXIF, ICC, ADOBE] = [0xe0, 0xe1, 0xe2, 0xee];
const JFIF_SIZE = 14;
const ADOBE_SIZE = 12;

/**
 * Of a JPEG go on: tables, frames and scans, the JFIF and Adobe marks without what was added to them, the colour profile,
 * and the orientation of the first EXIF. All else goes: EXIF, XMP, IPTC, comments, thumbnails, the other images of a file
 * that has several, and everything after the end. Bytes between segments, which decoders skip, go as well.
 */
export function* jpeg(file: Passage): Work {
  if (!reads(yield* file.ahead(2), 0, '\xff\xd8')) throw new UnreadableFile('No beginning of a JPEG');
  yield* file.pass(2);
  let hasExif = false;
  for (;;) {
    const marker = yield* nextMarker(file);
    if (marker === undefined) return;
    if (marker === EOI) {
      file.write(Uint8Array.of(0xff, EOI));
      return;
    }
    if (isAlone(marker)) continue;
    if (!hasSegment(marker)) throw new UnreadableFile(`A marker of JPEG that cannot be there: ${marker}`);
    if (!(yield* file.holds(2))) return;
    const size = u16(file.head(2), 0);
    if (size < 2) throw new UnreadableFile('A segment of JPEG without a size');
    if (isAdded(marker)) {
      const body = marker === COM ? undefined : (yield* file.ahead(size)).subarray(2);
      const kept = body && !(marker === EXIF && hasExif) ? keptOf(marker, body) : undefined;
      hasExif ||= marker === EXIF && body !== undefined && isExif(body);
      if (kept) file.write(segment(marker, kept));
      yield* file.drop(size);
      continue;
    }
    file.write(Uint8Array.of(0xff, marker));
    yield* file.pass(size);
    if (marker === SOS) yield* scan(file);
  }
}

/** Takes out a marker, and what stands before it. */
function* nextMarker(file: Passage): Work<number | undefined> {
  while (yield* file.holds(2)) {
    const held = file.head();
    let at = held.indexOf(0xff);
    if (at < 0) at = held.length;
    while (held[at + 1] === 0xff) at += 1;
    const marker = held[at + 1];
    yield* file.drop(marker === undefined ? at : at + 2);
    if (marker) return marker;
  }
  return undefined;
}

/** Lets compressed pixels through, up to the marker after them. */
function* scan(file: Passage): Work {
  while (yield* file.holds(2)) {
    const held = file.head();
    const end = endOfScan(held);
    yield* file.pass(end ?? held.length - (held.at(-1) === 0xff ? 1 : 0));
    if (end !== undefined) return;
  }
  yield* file.pass(1);
}

function endOfScan(held: Uint8Array): number | undefined {
  for (let at = held.indexOf(0xff); at >= 0 && at + 1 < held.length; at = held.indexOf(0xff, at)) {
    const next = held[at + 1] ?? 0;
    if (next >= 0xc0 && next < 0xff && !isAlone(next)) return at;
    at += next === 0xff ? 1 : 2;
  }
  return undefined;
}

/** Marks without a segment: those at which a decoder finds its way again, and one of arithmetic coding. */
function isAlone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7);
}

function hasSegment(marker: number): boolean {
  return (marker >= 0xc0 && marker < 0xf0 && marker !== SOI) || marker === COM;
}

/** Segments that decoding does not need, with few exceptions. */
function isAdded(marker: number): boolean {
  return marker >= 0xe0;
}

function isExif(body: Uint8Array): boolean {
  return reads(body, 0, 'Exif\0');
}

/** What may stay of a segment that was added. */
function keptOf(marker: number, body: Uint8Array): Uint8Array | undefined {
  if (marker === JFIF && reads(body, 0, 'JFIF\0') && body.length >= JFIF_SIZE) {
    const withoutThumbnail = body.slice(0, JFIF_SIZE);
    withoutThumbnail.fill(0, JFIF_SIZE - 2);
    return withoutThumbnail;
  }
  if (marker === ICC && reads(body, 0, 'ICC_PROFILE\0')) return body;
  if (marker === ADOBE && reads(body, 0, 'Adobe') && body.length >= ADOBE_SIZE) return body.subarray(0, ADOBE_SIZE);
  if (marker !== EXIF || !isExif(body)) return undefined;
  const orientation = orientationOf(body);
  return orientation === undefined ? undefined : joined([fromLatin1('Exif\0\0'), minimalExif(orientation)]);
}

function segment(marker: number, body: Uint8Array): Uint8Array {
  const head = Uint8Array.of(0xff, marker, 0, 0);
  setU16(head, 2, body.length + 2);
  return joined([head, body]);
}
