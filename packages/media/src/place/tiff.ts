import { setU16, setU32, type Order } from '../octets.js';
import {
  directoryAt,
  ENTRY_SIZE,
  numberOf,
  numbersOf,
  TAG,
  tiffHeader,
  type TiffDirectory,
  type TiffEntry,
} from '../tiff-directory.js';
import { jpeg } from './jpeg.js';
import { UnreadableFile } from './unreadable-file.js';
import { cutInPlace } from './whole.js';

/** What decoding needs, the resolution and the colour profile: no texts, no EXIF, no GPS, no coordinates of maps. */
const KEPT = new Set([
  254, 255, 256, 257, 258, 259, 262, 264, 265, 266, 273, 274, 277, 278, 279, 280, 281, 282, 283, 284, 286, 287, 290,
  291, 292, 293, 296, 297, 301, 317, 318, 319, 320, 321, 322, 323, 324, 325, 326, 327, 328, 330, 332, 334, 336, 338,
  339, 340, 341, 342, 347, 512, 513, 514, 515, 529, 530, 531, 532, 32_995, 32_996, 32_997, 32_998, 34_675, 50_674,
]);
/** Where pixels stand, and how many bytes there. */
const PIXELS = [
  [TAG.stripOffsets, TAG.stripSizes],
  [TAG.tileOffsets, TAG.tileSizes],
  [TAG.jpegOffset, TAG.jpegSize],
] as const;
const [UNCOMPRESSED, OLD_JPEG, JPEG] = [1, 6, 7];
const YCBCR = 6;
const MOST_STEPS = 1_000_000;

interface Stretch {
  readonly from: number;
  readonly to: number;
}

interface Tiff {
  readonly bytes: Uint8Array;
  readonly order: Order;
  /** What may still be looked at: a small file can point to the same bytes again and again. */
  readonly left: { steps: number; bytes: number };
}

/**
 * Of a TIFF what its images need stays where it is: the directories without any other tag, the values of those that stay,
 * and the pixels. Every other byte becomes zero, also what no directory points to any more.
 */
export function blankTiff(bytes: Uint8Array): void {
  const header = tiffHeader(bytes);
  if (header === undefined) throw new UnreadableFile('No beginning of a TIFF');
  const tiff: Tiff = { bytes, order: header.order, left: { steps: MOST_STEPS, bytes: 4 * bytes.length } };
  const kept: Stretch[] = [{ from: 0, to: 8 }];
  const waiting = [header.first];
  const seen = new Set([0]);
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (seen.has(at)) continue;
    seen.add(at);
    const directory = directoryAt(bytes, at, tiff.order);
    if (directory === undefined) throw new UnreadableFile('A directory of TIFF that is not in the file');
    spend(tiff, 'steps', directory.entries.length + 1);
    for (const stretch of keptOf(tiff, directory, at)) kept.push(stretch);
    for (const next of directoriesAfter(tiff, directory)) waiting.push(next);
    rewrite(tiff, directory, at);
  }
  blankBetween(bytes, kept);
}

function keptEntries({ entries }: TiffDirectory): readonly TiffEntry[] {
  return entries.filter(({ tag, size }) => KEPT.has(tag) && size > 0);
}

function* keptOf(tiff: Tiff, directory: TiffDirectory, at: number): Generator<Stretch> {
  const entries = keptEntries(directory);
  yield { from: at, to: at + 2 + ENTRY_SIZE * entries.length + 4 };
  for (const { valueAt, size } of entries) yield inFile(tiff, valueAt, size);
  yield* pixelsOf(tiff, directory);
}

function* directoriesAfter(tiff: Tiff, { entries, next }: TiffDirectory): Generator<number> {
  yield next;
  const below = entries.find(({ tag }) => tag === TAG.directories);
  if (below === undefined) return;
  spend(tiff, 'steps', below.count);
  yield* numbersOf(tiff.bytes, below, tiff.order);
}

/** Where the pixels of an image are. Those in JPEG lose what a JPEG of its own would lose. */
function pixelsOf(tiff: Tiff, directory: TiffDirectory): readonly Stretch[] {
  const stretches = PIXELS.flatMap(([at, size]) => stretchesOf(tiff, directory, at, size));
  const size = stretches.reduce((sum, { from, to }) => sum + to - from, 0);
  spend(tiff, 'bytes', size);
  if (size < leastSizeOf(tiff, directory)) throw new UnreadableFile('A TIFF that does not say where its pixels are');
  const isJpeg = [OLD_JPEG, JPEG].includes(numberOf(tiff.bytes, directory, TAG.compression, tiff.order) ?? 0);
  if (isJpeg) for (const { from, to } of stretches) cutInPlace(tiff.bytes.subarray(from, to), jpeg);
  return stretches;
}

function stretchesOf(tiff: Tiff, { entries }: TiffDirectory, at: number, size: number): readonly Stretch[] {
  const [offsets, sizes] = [at, size].map((tag) => entries.find((entry) => entry.tag === tag));
  if (offsets === undefined && sizes === undefined) return [];
  if (offsets?.count !== sizes?.count) throw new UnreadableFile('A TIFF that does not say how large its pixels are');
  const [from, long] = [offsets, sizes].map((entry) => (entry ? numbersWithin(tiff, entry) : []));
  return (from ?? []).map((start, index) => inFile(tiff, start, long?.[index] ?? 0));
}

function numbersWithin(tiff: Tiff, entry: TiffEntry): readonly number[] {
  spend(tiff, 'steps', entry.count);
  return [...numbersOf(tiff.bytes, entry, tiff.order)];
}

/** How many bytes the pixels take at least: known when they are not compressed. Some writers do not tell it truly. */
function leastSizeOf({ bytes, order }: Tiff, directory: TiffDirectory): number {
  const number = (tag: number): number | undefined => numberOf(bytes, directory, tag, order);
  if ((number(TAG.compression) ?? UNCOMPRESSED) !== UNCOMPRESSED || number(TAG.photometric) === YCBCR) return 1;
  const bits = (number(TAG.bits) ?? 1) * (number(TAG.samples) ?? 1);
  return Math.max(1, ((number(TAG.width) ?? 0) * (number(TAG.height) ?? 0) * bits) / 8);
}

function inFile({ bytes }: Tiff, from: number, size: number): Stretch {
  if (from + size > bytes.length) throw new UnreadableFile('A TIFF that points beyond its end');
  return { from, to: from + size };
}

function spend({ left }: Tiff, what: 'steps' | 'bytes', count: number): void {
  left[what] -= count;
  if (left[what] < 0) throw new UnreadableFile('A TIFF that points to more than it has');
}

/** The directory without the other tags, from where it began. */
function rewrite({ bytes, order }: Tiff, directory: TiffDirectory, at: number): void {
  let end = at + 2;
  for (const entry of keptEntries(directory)) {
    bytes.copyWithin(end, entry.at, entry.at + ENTRY_SIZE);
    end += ENTRY_SIZE;
  }
  setU16(bytes, at, keptEntries(directory).length, order);
  if (end + 4 <= bytes.length) setU32(bytes, end, directory.next, order);
}

function blankBetween(bytes: Uint8Array, kept: Stretch[]): void {
  kept.sort((a, b) => a.from - b.from);
  let end = 0;
  for (const { from, to } of kept) {
    if (from > end) bytes.fill(0, end, from);
    end = Math.max(end, to);
  }
  bytes.fill(0, end);
}
