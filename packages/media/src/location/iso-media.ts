import { fromLatin1, latin1, matchesAt, u32, u64 } from '../octets.js';
import { MAX_LOOK_AHEAD_BYTES, stripNested, type Stripper, type FileStream, type Coroutine } from './file-stream.js';
import { stripPicture } from './picture.js';
import { UnreadableFile } from './unreadable-file.js';

const HEAD = 8;
const types = (text: string): ReadonlySet<string> => new Set(text.split('|'));

/** Kept boxes by their parent; boxes that are keys are entered. */
const KEPT: Readonly<Record<string, ReadonlySet<string>>> = {
  file: types('ftyp|styp|moov|moof|mdat|sidx|ssix|prft|mfra|wide|pnot|PICT'),
  moov: types('mvhd|trak|mvex|iods|pssh|prfl|clip|ctab|rmra|cmov|udta'),
  trak: types('tkhd|tref|edts|mdia|load|imap|matt|clip|tapt|trgr|txas|uuid|udta'),
  mdia: types('mdhd|hdlr|elng|minf|udta'),
  minf: types('vmhd|smhd|hmhd|nmhd|sthd|gmhd|hdlr|dinf|stbl|udta'),
  stbl: types('stsd|stts|ctts|cslg|stsc|stsz|stz2|stco|co64|stss|stsh|stps|padb|stdp|sdtp|sbgp|sgpd|subs|saiz|saio'),
  moof: types('mfhd|traf|pssh'),
  traf: types('tfhd|trun|tfdt|saiz|saio|sbgp|sgpd|subs|senc|sdtp'),
  udta: types(
    'meta|name|titl|auth|perf|albm|yrrc|gnre|cprt|tsel|chpl|hnti|hinf|LOOP|SelO|AllF|' +
      '©nam|©ART|©alb|©day|©gen|©wrt|©too|©swr|©cpy|©dir|©prd',
  ),
  meta: types('hdlr|ilst'),
  ilst: types(
    '©nam|©ART|©alb|©grp|©wrt|©gen|©day|©too|aART|gnre|trkn|disk|tmpo|cpil|pgap|cprt|rtng|stik|pcst|catg|' +
      'tvsh|tven|tvsn|tves|sonm|soar|soaa|soal|soco|sosn|covr|----',
  ),
  covr: types('data'),
};

/** Players need these whole: a broken box in one of them makes the file unreadable. */
const STRUCTURE = types('moov|trak|mdia|minf|stbl|moof|traf');
const FIRST_BOXES = types('ftyp|styp|moov|mdat|wide|free|skip|pnot');
/** UUID of Spherical Video V1. */
const SPHERICAL = '\xff\xcc\x82\x63\xf8\x55\x4a\x93\x88\x14\x58\x7a\x02\x52\x1f\xdd';
/** Sample formats that may hold positions. A stream cannot find them among video samples. */
const POSITION_FORMATS = types('gpmd|camm|rtmd|gps0|djmd|dbgi');

interface Box {
  readonly type: string;
  readonly headSize: number;
  /** Offset after the box. */
  readonly end: number;
}

/**
 * Strips MP4, MOV and M4A. Keeps all offsets, since samples are addressed by them, and the boxes for playback and plain
 * titles. All other boxes become `free` with zeros; cover art is stripped; bytes after the last box are dropped. Throws
 * {@link UnreadableFile} for a track of positions.
 */
export const stripIsoMedia: Stripper = (file) => stripBoxes(file, 'file', Infinity);

/** Keeps the top-level `meta` box of images, too. */
export const stripIsoImage: Stripper = (file) => stripBoxes(file, 'file', Infinity, 'meta');

function* stripBoxes(file: FileStream, parent: string, end: number, alsoKept?: string): Coroutine {
  const seen = new Set<string>();
  while (file.position + HEAD <= end && (yield* file.waitFor(HEAD))) {
    const box = boxAt(yield* file.lookAhead(16), file.position, end);
    if (parent === 'file' && seen.size === 0 && !(box && FIRST_BOXES.has(box.type))) {
      throw new UnreadableFile('Not an ISO media file');
    }
    if (box === undefined) {
      if (seen.has('moov') || (alsoKept && seen.has(alsoKept))) return;
      if (parent === 'file' || STRUCTURE.has(parent)) throw new UnreadableFile(`A broken box in ${parent}`);
      break;
    }
    seen.add(box.type);
    if (box.type === alsoKept) yield* file.pass(box.end - file.position);
    else if (KEPT[parent]?.has(box.type)) yield* stripBox(file, parent, box);
    else yield* freeBox(file, box);
  }
  yield* file.blank(end - file.position);
}

function boxAt(head: Uint8Array, at: number, parentEnd: number): Box | undefined {
  const [small, type] = [u32(head, 0), latin1(head, 4, 8)];
  const headSize = small === 1 ? 16 : HEAD;
  const size = small === 1 ? u64(head, 8) : small === 0 ? parentEnd - at : small;
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
  else if (Object.hasOwn(KEPT, type)) {
    yield* file.pass(headSize);
    yield* stripBoxes(file, type, end);
  } else yield* file.pass(end - file.position);
}

function* freeBox(file: FileStream, { headSize, end }: Box): Coroutine {
  yield* file.pass(4);
  file.write(fromLatin1('free'));
  yield* file.drop(4);
  yield* file.pass(headSize - HEAD);
  yield* file.blank(end - file.position);
}

/** Keeps iTunes titles; frees the lists of cameras. */
function* stripTitles(file: FileStream, box: Box, content: Uint8Array): Coroutine {
  // QuickTime omits the version.
  const versionSize = matchesAt(content, 4, 'hdlr') ? 0 : 4;
  if (!matchesAt(content, versionSize + 4, 'hdlr') || !matchesAt(content, versionSize + 16, 'mdir')) {
    yield* freeBox(file, box);
    return;
  }
  yield* file.pass(box.headSize + versionSize);
  yield* stripBoxes(file, 'meta', box.end);
}

/** Keeps the free-form title for gapless playback. */
function* stripFreeForm(file: FileStream, box: Box): Coroutine {
  const ahead = yield* file.lookAhead(Math.min(box.end - file.position, 128));
  if (latin1(ahead).includes('iTunSMPB')) yield* file.pass(box.end - file.position);
  else yield* freeBox(file, box);
}

function* stripCover(file: FileStream, { headSize, end }: Box): Coroutine {
  yield* file.pass(Math.min(headSize + 8, end - file.position));
  yield* stripNested(file, end - file.position, stripPicture);
}

function* rejectPositions(file: FileStream, end: number): Coroutine {
  const descriptions = yield* file.lookAhead(Math.min(end - file.position, MAX_LOOK_AHEAD_BYTES));
  const format = latin1(descriptions, 20, 24);
  const hasLocations = format === 'mebx' && /location|gps/i.test(latin1(descriptions));
  if (POSITION_FORMATS.has(format) || hasLocations) throw new UnreadableFile('A track of positions');
}
