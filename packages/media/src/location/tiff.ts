import { setU16, setU32, type ByteOrder } from '../formats/octets.js';
import {
  directoryAt,
  ENTRY_SIZE,
  numberOf,
  numbersOf,
  TAG,
  tiffHeader,
  type TiffDirectory,
  type TiffEntry,
} from '../formats/tiff-directory.js';
import { stripJpeg } from './jpeg.js';
import { UnreadableFile } from './unreadable-file.js';
import { stripInPlace } from './buffered.js';

/** Tags for decoding, resolution and colour profile. None contains texts, EXIF, GPS or map coordinates. */
const KEPT_TAGS = new Set([
  254, 255, 256, 257, 258, 259, 262, 264, 265, 266, 273, 274, 277, 278, 279, 280, 281, 282, 283, 284, 286, 287, 290,
  291, 292, 293, 296, 297, 301, 317, 318, 319, 320, 321, 322, 323, 324, 325, 326, 327, 328, 330, 332, 334, 336, 338,
  339, 340, 341, 342, 347, 512, 513, 514, 515, 529, 530, 531, 532, 32_995, 32_996, 32_997, 32_998, 34_675, 50_674,
]);
const PIXEL_TAGS = [
  [TAG.stripOffsets, TAG.stripSizes],
  [TAG.tileOffsets, TAG.tileSizes],
  [TAG.jpegOffset, TAG.jpegSize],
] as const;
const [UNCOMPRESSED, OLD_JPEG, JPEG] = [1, 6, 7];
const YCBCR = 6;
const MAX_STEPS = 1_000_000;
/** Stripping one range of JPEG data uses this many of the `MAX_STEPS` steps. */
const STEPS_PER_JPEG = 50;

interface Range {
  readonly from: number;
  readonly to: number;
}

interface Tiff {
  readonly bytes: Uint8Array;
  readonly order: ByteOrder;
  /**
   * Limits the work, because a small file can refer to the same bytes many times. `steps` and `bytes` are the remaining
   * budget.
   */
  readonly budget: { steps: number; bytes: number };
}

/**
 * Blanks a TIFF in place. Keeps the allowed tags of each directory, their values and the pixels at their offsets. All
 * other bytes become zero.
 */
export function blankTiff(bytes: Uint8Array): void {
  const header = tiffHeader(bytes);
  if (header === undefined) throw new UnreadableFile('Not a TIFF');
  const tiff: Tiff = { bytes, order: header.order, budget: { steps: MAX_STEPS, bytes: 4 * bytes.length } };
  const rangesToKeep: Range[] = [{ from: 0, to: 8 }];
  const pendingOffsets = [header.firstOffset];
  const seenOffsets = new Set([0]);
  for (let at = pendingOffsets.pop(); at !== undefined; at = pendingOffsets.pop()) {
    if (seenOffsets.has(at)) continue;
    seenOffsets.add(at);
    const directory = directoryAt(bytes, at, tiff.order);
    if (directory === undefined) throw new UnreadableFile('A TIFF directory outside the file');
    spend(tiff, 'steps', directory.entries.length + 1);
    for (const range of keptRanges(tiff, directory, at)) rangesToKeep.push(range);
    for (const offset of linkedDirectories(tiff, directory)) pendingOffsets.push(offset);
    rewriteDirectory(tiff, directory, at);
  }
  blankBetween(bytes, rangesToKeep);
}

function keptEntries({ entries }: TiffDirectory): readonly TiffEntry[] {
  return entries.filter(({ tag, size }) => KEPT_TAGS.has(tag) && size > 0);
}

function* keptRanges(tiff: Tiff, directory: TiffDirectory, at: number): Generator<Range> {
  const entries = keptEntries(directory);
  yield { from: at, to: at + 2 + ENTRY_SIZE * entries.length + 4 };
  for (const { valueAt, size } of entries) yield rangeInFile(tiff, valueAt, size);
  yield* stripPixels(tiff, directory);
}

function* linkedDirectories(tiff: Tiff, { entries, nextOffset }: TiffDirectory): Generator<number> {
  yield nextOffset;
  const subdirectories = entries.find(({ tag }) => tag === TAG.directories);
  if (subdirectories === undefined) return;
  spend(tiff, 'steps', subdirectories.count);
  yield* numbersOf(tiff.bytes, subdirectories, tiff.order);
}

function stripPixels(tiff: Tiff, directory: TiffDirectory): readonly Range[] {
  const ranges = PIXEL_TAGS.flatMap(([at, size]) => pixelRanges(tiff, directory, at, size));
  const size = ranges.reduce((sum, { from, to }) => sum + to - from, 0);
  spend(tiff, 'bytes', size);
  if (size < minPixelBytes(tiff, directory)) throw new UnreadableFile('A TIFF with incomplete pixel offsets');
  const isJpeg = [OLD_JPEG, JPEG].includes(numberOf(tiff.bytes, directory, TAG.compression, tiff.order) ?? 0);
  if (isJpeg) spend(tiff, 'steps', STEPS_PER_JPEG * ranges.length);
  if (isJpeg) for (const { from, to } of ranges) stripInPlace(tiff.bytes.subarray(from, to), stripJpeg);
  return ranges;
}

function pixelRanges(tiff: Tiff, { entries }: TiffDirectory, at: number, size: number): readonly Range[] {
  const [offsets, sizes] = [at, size].map((tag) => entries.find((entry) => entry.tag === tag));
  if (offsets === undefined && sizes === undefined) return [];
  if (offsets?.count !== sizes?.count) throw new UnreadableFile('A TIFF with mismatched pixel sizes');
  const [starts, lengths] = [offsets, sizes].map((entry) => (entry ? readNumbers(tiff, entry) : []));
  return (starts ?? []).map((start, index) => rangeInFile(tiff, start, lengths?.[index] ?? 0));
}

function readNumbers(tiff: Tiff, entry: TiffEntry): readonly number[] {
  spend(tiff, 'steps', entry.count);
  return [...numbersOf(tiff.bytes, entry, tiff.order)];
}

/** Returns the minimum size of the pixels in bytes; 1 if they are compressed. */
function minPixelBytes({ bytes, order }: Tiff, directory: TiffDirectory): number {
  const readTag = (tag: number): number | undefined => numberOf(bytes, directory, tag, order);
  if ((readTag(TAG.compression) ?? UNCOMPRESSED) !== UNCOMPRESSED || readTag(TAG.photometric) === YCBCR) return 1;
  const bits = (readTag(TAG.bits) ?? 1) * (readTag(TAG.samples) ?? 1);
  return Math.max(1, ((readTag(TAG.width) ?? 0) * (readTag(TAG.height) ?? 0) * bits) / 8);
}

function rangeInFile({ bytes }: Tiff, from: number, size: number): Range {
  if (from + size > bytes.length) throw new UnreadableFile('A TIFF offset beyond the end');
  return { from, to: from + size };
}

function spend({ budget }: Tiff, unit: 'steps' | 'bytes', count: number): void {
  budget[unit] -= count;
  if (budget[unit] < 0) throw new UnreadableFile('A TIFF that refers to more bytes than it has');
}

function rewriteDirectory({ bytes, order }: Tiff, directory: TiffDirectory, at: number): void {
  let end = at + 2;
  for (const entry of keptEntries(directory)) {
    bytes.copyWithin(end, entry.at, entry.at + ENTRY_SIZE);
    end += ENTRY_SIZE;
  }
  setU16(bytes, at, keptEntries(directory).length, order);
  if (end + 4 <= bytes.length) setU32(bytes, end, directory.nextOffset, order);
}

function blankBetween(bytes: Uint8Array, ranges: Range[]): void {
  ranges.sort((a, b) => a.from - b.from);
  let end = 0;
  for (const { from, to } of ranges) {
    if (from > end) bytes.fill(0, end, from);
    end = Math.max(end, to);
  }
  bytes.fill(0, end);
}
