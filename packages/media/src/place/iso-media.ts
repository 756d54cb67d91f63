import { fromLatin1, latin1, reads, u32, u64 } from '../octets.js';
import { LOOK_AHEAD, within, type Cutter, type Passage, type Work } from './passage.js';
import { picture } from './picture.js';
import { UnreadableFile } from './unreadable-file.js';

const HEAD = 8;
const words = (text: string): ReadonlySet<string> => new Set(text.split('|'));

/** What goes on, by what it stands in; boxes that stand here themselves are entered. All else becomes `free`, all zeros. */
const KEPT: Readonly<Record<string, ReadonlySet<string>>> = {
  file: words('ftyp|styp|moov|moof|mdat|sidx|ssix|prft|mfra|wide|pnot|PICT'),
  moov: words('mvhd|trak|mvex|iods|pssh|prfl|clip|ctab|rmra|cmov|udta'),
  trak: words('tkhd|tref|edts|mdia|load|imap|matt|clip|tapt|trgr|txas|uuid|udta'),
  mdia: words('mdhd|hdlr|elng|minf|udta'),
  minf: words('vmhd|smhd|hmhd|nmhd|sthd|gmhd|hdlr|dinf|stbl|udta'),
  stbl: words('stsd|stts|ctts|cslg|stsc|stsz|stz2|stco|co64|stss|stsh|stps|padb|stdp|sdtp|sbgp|sgpd|subs|saiz|saio'),
  moof: words('mfhd|traf|pssh'),
  traf: words('tfhd|trun|tfdt|saiz|saio|sbgp|sgpd|subs|senc|sdtp'),
  udta: words(
    'meta|name|titl|auth|perf|albm|yrrc|gnre|cprt|tsel|chpl|hnti|hinf|LOOP|SelO|AllF|' +
      '©nam|©ART|©alb|©day|©gen|©wrt|©too|©swr|©cpy|©dir|©prd',
  ),
  meta: words('hdlr|ilst'),
  ilst: words(
    '©nam|©ART|©alb|©grp|©wrt|©gen|©day|©too|aART|gnre|trkn|disk|tmpo|cpil|pgap|cprt|rtng|stik|pcst|catg|' +
      'tvsh|tven|tvsn|tves|sonm|soar|soaa|soal|soco|sosn|covr|----',
  ),
  covr: words('data'),
};

/** Boxes that a player needs whole: one that breaks off within them means that they were not understood. */
const STRUCTURE = words('moov|trak|mdia|minf|stbl|moof|traf');
const BEGINNINGS = words('ftyp|styp|moov|mdat|wide|free|skip|pnot');
/** How a film says that it is to be looked at all around, in the first version of that convention. */
const SPHERICAL = '\xff\xcc\x82\x63\xf8\x55\x4a\x93\x88\x14\x58\x7a\x02\x52\x1f\xdd';
/** Samples of these are or may be positions; they lie among those of the pictures, where a stream cannot find them. */
const POSITIONS = words('gpmd|camm|rtmd|gps0|djmd|dbgi');

interface Box {
  readonly type: string;
  readonly headSize: number;
  /** Of the byte after it, in the file. */
  readonly end: number;
}

/**
 * Of an MP4, MOV or M4A every byte keeps its place: samples are found by it. What playing needs goes on, and plain titles;
 * places, XMP, cameras' own boxes and what nobody knows become `free`, all zeros. Covers lose their place. A film with a
 * track of positions is {@link UnreadableFile}, and what follows the last box is cut off.
 */
export const isoMedia: Cutter = (file) => boxes(file, 'file', Infinity);

/** The same with a box of metadata at the top, as images have it. */
export const isoImage: Cutter = (file) => boxes(file, 'file', Infinity, 'meta');

function* boxes(file: Passage, parent: string, end: number, alsoKept?: string): Work {
  const seen = new Set<string>();
  while (file.position + HEAD <= end && (yield* file.holds(HEAD))) {
    const box = boxAt(yield* file.ahead(16), file.position, end);
    if (parent === 'file' && seen.size === 0 && !(box && BEGINNINGS.has(box.type))) {
      throw new UnreadableFile('No beginning of a film');
    }
    if (box === undefined) {
      if (seen.has('moov') || (alsoKept && seen.has(alsoKept))) return;
      if (parent === 'file' || STRUCTURE.has(parent)) throw new UnreadableFile(`A broken box in ${parent}`);
      break;
    }
    seen.add(box.type);
    if (box.type === alsoKept) yield* file.pass(box.end - file.position);
    else if (KEPT[parent]?.has(box.type)) yield* kept(file, parent, box);
    else yield* freed(file, box);
  }
  yield* file.blank(end - file.position);
}

function boxAt(head: Uint8Array, at: number, parentEnd: number): Box | undefined {
  const [small, type] = [u32(head, 0), latin1(head, 4, 8)];
  const headSize = small === 1 ? 16 : HEAD;
  const size = small === 1 ? u64(head, 8) : small === 0 ? parentEnd - at : small;
  return size < headSize || at + size > parentEnd ? undefined : { type, headSize, end: at + size };
}

function* kept(file: Passage, parent: string, box: Box): Work {
  const { type, headSize, end } = box;
  const content = (yield* file.ahead(headSize + 32)).subarray(headSize);
  if (type === 'cmov') throw new UnreadableFile('A compressed film header');
  if (type === 'stsd') yield* refusePositions(file, end);
  if (type === 'uuid' && !reads(content, 0, SPHERICAL)) yield* freed(file, box);
  else if (type === 'meta') yield* titles(file, box, content);
  else if (type === '----') yield* freeForm(file, box);
  else if (parent === 'covr') yield* cover(file, box);
  else if (Object.hasOwn(KEPT, type)) {
    yield* file.pass(headSize);
    yield* boxes(file, type, end);
  } else yield* file.pass(end - file.position);
}

function* freed(file: Passage, { headSize, end }: Box): Work {
  yield* file.pass(4);
  file.write(fromLatin1('free'));
  yield* file.drop(4);
  yield* file.pass(headSize - HEAD);
  yield* file.blank(end - file.position);
}

/** Titles as music has them; the lists of a camera are of another kind, and go. */
function* titles(file: Passage, box: Box, content: Uint8Array): Work {
  // QuickTime has no version before the first box.
  const versionSize = reads(content, 4, 'hdlr') ? 0 : 4;
  if (!reads(content, versionSize + 4, 'hdlr') || !reads(content, versionSize + 16, 'mdir')) {
    yield* freed(file, box);
    return;
  }
  yield* file.pass(box.headSize + versionSize);
  yield* boxes(file, 'meta', box.end);
}

/** Of titles that anybody may invent, one is needed to play without gaps. */
function* freeForm(file: Passage, box: Box): Work {
  const ahead = yield* file.ahead(Math.min(box.end - file.position, 128));
  if (latin1(ahead).includes('iTunSMPB')) yield* file.pass(box.end - file.position);
  else yield* freed(file, box);
}

function* cover(file: Passage, { headSize, end }: Box): Work {
  yield* file.pass(Math.min(headSize + 8, end - file.position));
  yield* within(file, end - file.position, picture);
}

function* refusePositions(file: Passage, end: number): Work {
  const descriptions = yield* file.ahead(Math.min(end - file.position, LOOK_AHEAD));
  const format = latin1(descriptions, 20, 24);
  const hasPlaces = format === 'mebx' && /location|gps/i.test(latin1(descriptions));
  if (POSITIONS.has(format) || hasPlaces) throw new UnreadableFile('A film with a track of positions');
}
