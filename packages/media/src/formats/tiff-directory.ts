import { matchesAt, u16, u32, type ByteOrder } from './octets.js';

export interface TiffEntry {
  readonly tag: number;
  readonly at: number;
  readonly type: number;
  readonly count: number;
  /** Offset of the values. Values of at most four bytes lie within the entry. */
  readonly valueAt: number;
  /** Size of all values in bytes; 0 for an unknown type. */
  readonly size: number;
}

export interface TiffDirectory {
  readonly entries: readonly TiffEntry[];
  /** Offset of the next directory; 0 after the last. */
  readonly nextOffset: number;
}

export interface TiffHeader {
  readonly order: ByteOrder;
  readonly firstOffset: number;
}

export const ENTRY_SIZE = 12;
const HEADER_SIZE = 8;
const SIZES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4];
const SHORT = 3;
const [BYTE, UNDEFINED] = [1, 7];
const INTEGERS = new Set([BYTE, SHORT, 4, UNDEFINED, 13]);

export const TAG = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  stripOffsets: 273,
  orientation: 274,
  samples: 277,
  stripSizes: 279,
  planar: 284,
  tileOffsets: 324,
  tileSizes: 325,
  directories: 330,
  extraSamples: 338,
  sampleFormat: 339,
  jpegOffset: 513,
  jpegSize: 514,
  dngVersion: 50_706,
} as const;

/** Returns `undefined` unless the bytes are a TIFF with 32-bit offsets. */
export function tiffHeader(bytes: Uint8Array): TiffHeader | undefined {
  const order = matchesAt(bytes, 0, 'II*\0') ? 'little' : matchesAt(bytes, 0, 'MM\0*') ? 'big' : undefined;
  if (order === undefined || bytes.length < HEADER_SIZE) return undefined;
  const first = u32(bytes, 4, order);
  return first < HEADER_SIZE ? undefined : { order, firstOffset: first };
}

/** Returns `undefined` when the entries exceed these bytes. The values of the entries may lie beyond these bytes. */
export function directoryAt(bytes: Uint8Array, at: number, order: ByteOrder): TiffDirectory | undefined {
  const count = u16(bytes, at, order);
  const end = at + 2 + count * ENTRY_SIZE;
  // Does not require the next offset, because EXIF writers may omit it after the entries.
  if (at + 2 > bytes.length || end > bytes.length) return undefined;
  const entries = Array.from({ length: count }, (_, index) => entryAt(bytes, at + 2 + index * ENTRY_SIZE, order));
  return { entries, nextOffset: u32(bytes, end, order) };
}

function entryAt(bytes: Uint8Array, at: number, order: ByteOrder): TiffEntry {
  const type = u16(bytes, at + 2, order);
  const count = u32(bytes, at + 4, order);
  const size = (SIZES[type] ?? 0) * count;
  return { tag: u16(bytes, at, order), at, type, count, size, valueAt: size <= 4 ? at + 8 : u32(bytes, at + 8, order) };
}

/** Yields the integers of an entry that lie within these bytes. */
export function* numbersOf(
  bytes: Uint8Array,
  { type, count, size, valueAt }: TiffEntry,
  order: ByteOrder,
): Generator<number> {
  if (!INTEGERS.has(type) || size === 0) return;
  const itemSize = size / count;
  for (let at = valueAt; at + itemSize <= Math.min(valueAt + size, bytes.length); at += itemSize) {
    yield itemSize === 1 ? (bytes[at] ?? 0) : itemSize === 2 ? u16(bytes, at, order) : u32(bytes, at, order);
  }
}

export function numberOf(
  bytes: Uint8Array,
  { entries }: TiffDirectory,
  tag: number,
  order: ByteOrder,
): number | undefined {
  const entry = entries.find((candidate) => candidate.tag === tag);
  if (entry === undefined) return undefined;
  const [first] = numbersOf(bytes, entry, order);
  return first;
}
