import { encodeLatin1, decodeLatin1, matchesAt, u32, u64 } from '../formats/octets.js';
import { MAX_LOOK_AHEAD_BYTES, stripNested, type Stripper, type FileStream, type Coroutine } from './file-stream.js';
import { stripPicture } from './picture.js';
import { UnreadableFile } from './unreadable-file.js';

const HEAD_SIZE = 8;
const typeSet = (text: string): ReadonlySet<string> => new Set(text.split('|'));

/** Keys are the parent boxes to parse; values are the children to keep. */
const KEPT_BY_PARENT: Readonly<Record<string, ReadonlySet<string>>> = {
  file: typeSet('ftyp|styp|moov|moof|mdat|sidx|ssix|prft|mfra|wide|pnot|PICT'),
  moov: typeSet('mvhd|trak|mvex|iods|pssh|prfl|clip|ctab|rmra|cmov|udta'),
  trak: typeSet('tkhd|tref|edts|mdia|load|imap|matt|clip|tapt|trgr|txas|uuid|udta'),
  mdia: typeSet('mdhd|hdlr|elng|minf|udta'),
  minf: typeSet('vmhd|smhd|hmhd|nmhd|sthd|gmhd|hdlr|dinf|stbl|udta'),
  stbl: typeSet('stsd|stts|ctts|cslg|stsc|stsz|stz2|stco|co64|stss|stsh|stps|padb|stdp|sdtp|sbgp|sgpd|subs|saiz|saio'),
  moof: typeSet('mfhd|traf|pssh'),
  traf: typeSet('tfhd|trun|tfdt|saiz|saio|sbgp|sgpd|subs|senc|sdtp'),
  udta: typeSet(
    'meta|name|titl|auth|perf|albm|yrrc|gnre|cprt|tsel|chpl|hnti|hinf|LOOP|SelO|AllF|' +
      '©nam|©ART|©alb|©day|©gen|©wrt|©too|©swr|©cpy|©dir|©prd',
  ),
  meta: typeSet('hdlr|ilst'),
  ilst: typeSet(
    '©nam|©ART|©alb|©grp|©wrt|©gen|©day|©too|aART|gnre|trkn|disk|tmpo|cpil|pgap|cprt|rtng|stik|pcst|catg|' +
      'tvsh|tven|tvsn|tves|sonm|soar|soaa|soal|soco|sosn|covr|----',
  ),
  covr: typeSet('data'),
};

/** Players need these boxes complete, so a broken box within one of them makes the file unreadable. */
const STRUCTURE_BOXES = typeSet('moov|trak|mdia|minf|stbl|moof|traf');
const FIRST_BOXES = typeSet('ftyp|styp|moov|mdat|wide|free|skip|pnot');
/** UUID of Spherical Video V1. */
const SPHERICAL = '\xff\xcc\x82\x63\xf8\x55\x4a\x93\x88\x14\x58\x7a\x02\x52\x1f\xdd';
/**
 * Formats of samples that may contain locations. Such samples cannot be removed while streaming, because they are mixed
 * with video samples.
 */
const POSITION_FORMATS = typeSet('gpmd|camm|rtmd|gps0|djmd|dbgi');

interface Box {
  readonly type: string;
  readonly headSize: number;
  readonly end: number;
}

/**
 * Strips MP4, MOV and M4A. Keeps all offsets, because samples are addressed by offset. Keeps the boxes for playback and
 * plain titles; turns all other boxes into `free` boxes of zeros. Strips cover art and drops bytes after the last box.
 * Throws {@link UnreadableFile} for a track of locations.
 */
export const stripIsoMedia: Stripper = (file) => stripBoxes(file, 'file', Infinity);

/** Strips images like {@link stripIsoMedia}, but keeps their top-level `meta` box. */
export const stripIsoImage: Stripper = (file) => stripBoxes(file, 'file', Infinity, 'meta');

function* stripBoxes(file: FileStream, parent: string, end: number, extraKeptType?: string): Coroutine {
  const seenTypes = new Set<string>();
  while (file.position + HEAD_SIZE <= end && (yield* file.waitFor(HEAD_SIZE))) {
    const box = boxAt(yield* file.lookAhead(16), file.position, end);
    if (parent === 'file' && seenTypes.size === 0 && !(box && FIRST_BOXES.has(box.type))) {
      throw new UnreadableFile('Not an ISO media file');
    }
    if (box === undefined) {
      if (seenTypes.has('moov') || (extraKeptType && seenTypes.has(extraKeptType))) return;
      if (parent === 'file' || STRUCTURE_BOXES.has(parent)) throw new UnreadableFile(`A broken box in ${parent}`);
      break;
    }
    seenTypes.add(box.type);
    if (box.type === extraKeptType) yield* file.copy(box.end - file.position);
    else if (KEPT_BY_PARENT[parent]?.has(box.type)) yield* stripBox(file, parent, box);
    else yield* freeBox(file, box);
  }
  yield* file.blank(end - file.position);
}

function boxAt(head: Uint8Array, at: number, parentEnd: number): Box | undefined {
  const [shortSize, type] = [u32(head, 0), decodeLatin1(head, 4, 8)];
  const headSize = shortSize === 1 ? 16 : HEAD_SIZE;
  const size = shortSize === 1 ? u64(head, 8) : shortSize === 0 ? parentEnd - at : shortSize;
  return size < headSize || at + size > parentEnd ? undefined : { type, headSize, end: at + size };
}

function* stripBox(file: FileStream, parent: string, box: Box): Coroutine {
  const { type, headSize, end } = box;
  const content = (yield* file.lookAhead(headSize + 32)).subarray(headSize);
  if (type === 'cmov') throw new UnreadableFile('A compressed movie header');
  if (type === 'stsd') yield* rejectPositions(file, end);
  if (type === 'uuid' && !matchesAt(content, 0, SPHERICAL)) yield* freeBox(file, box);
  else if (type === 'meta') yield* stripTitles(file, box, content);
  else if (type === '----') yield* stripFreeForm(file, box);
  else if (parent === 'covr') yield* stripCover(file, box);
  else if (Object.hasOwn(KEPT_BY_PARENT, type)) {
    yield* file.copy(headSize);
    yield* stripBoxes(file, type, end);
  } else yield* file.copy(end - file.position);
}

function* freeBox(file: FileStream, { headSize, end }: Box): Coroutine {
  yield* file.copy(4);
  file.write(encodeLatin1('free'));
  yield* file.drop(4);
  yield* file.copy(headSize - HEAD_SIZE);
  yield* file.blank(end - file.position);
}

function* stripTitles(file: FileStream, box: Box, content: Uint8Array): Coroutine {
  // In QuickTime, a `meta` box has no version.
  const versionSize = matchesAt(content, 4, 'hdlr') ? 0 : 4;
  if (!matchesAt(content, versionSize + 4, 'hdlr') || !matchesAt(content, versionSize + 16, 'mdir')) {
    yield* freeBox(file, box);
    return;
  }
  yield* file.copy(box.headSize + versionSize);
  yield* stripBoxes(file, 'meta', box.end);
}

function* stripFreeForm(file: FileStream, box: Box): Coroutine {
  const nextBytes = yield* file.lookAhead(Math.min(box.end - file.position, 128));
  if (decodeLatin1(nextBytes).includes('iTunSMPB')) yield* file.copy(box.end - file.position);
  else yield* freeBox(file, box);
}

function* stripCover(file: FileStream, { headSize, end }: Box): Coroutine {
  yield* file.copy(Math.min(headSize + 8, end - file.position));
  yield* stripNested(file, end - file.position, stripPicture);
}

function* rejectPositions(file: FileStream, end: number): Coroutine {
  const descriptions = yield* file.lookAhead(Math.min(end - file.position, MAX_LOOK_AHEAD_BYTES));
  const format = decodeLatin1(descriptions, 20, 24);
  const hasLocations = format === 'mebx' && /location|gps/i.test(decodeLatin1(descriptions));
  if (POSITION_FORMATS.has(format) || hasLocations) throw new UnreadableFile('A track of positions');
}
