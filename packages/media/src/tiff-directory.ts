import { reads, u16, u32, type Order } from './octets.js';

/** What a directory of a TIFF says of one tag. */
export interface TiffEntry {
  readonly tag: number;
  /** Where the entry stands in the file. */
  readonly at: number;
  readonly type: number;
  readonly count: number;
  /** Where its values stand: in the entry itself when they are at most four bytes. */
  readonly valueAt: number;
  /** Of all values, in bytes; 0 for a type that is not known. */
  readonly size: number;
}

export interface TiffDirectory {
  readonly entries: readonly TiffEntry[];
  /** Where the next one stands, 0 after the last. */
  readonly next: number;
}

export interface TiffHeader {
  readonly order: Order;
  /** Where the first directory stands. */
  readonly first: number;
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
  stripOffsets: 273,
  orientation: 274,
  samples: 277,
  stripSizes: 279,
  planar: 284,
  tileOffsets: 324,
  tileSizes: 325,
  directories: 330,
  jpegOffset: 513,
  jpegSize: 514,
  dngVersion: 50_706,
} as const;

/** `undefined` unless this begins like a TIFF of 32-bit offsets. */
export function tiffHeader(bytes: Uint8Array): TiffHeader | undefined {
  const order = reads(bytes, 0, 'II*\0') ? 'little' : reads(bytes, 0, 'MM\0*') ? 'big' : undefined;
  if (order === undefined || bytes.length < HEADER_SIZE) return undefined;
  const first = u32(bytes, 4, order);
  return first < HEADER_SIZE ? undefined : { order, first };
}

/** `undefined` when it does not lie within these bytes, but for the values of its tags. */
export function directoryAt(bytes: Uint8Array, at: number, order: Order): TiffDirectory | undefined {
  const count = u16(bytes, at, order);
  const end = at + 2 + count * ENTRY_SIZE;
  // Writers of EXIF leave out the end of the list.
  if (at + 2 > bytes.length || end > bytes.length) return undefined;
  const entries = Array.from({ length: count }, (_, index) => entryAt(bytes, at + 2 + index * ENTRY_SIZE, order));
  return { entries, next: u32(bytes, end, order) };
}

function entryAt(bytes: Uint8Array, at: number, order: Order): TiffEntry {
  const type = u16(bytes, at + 2, order);
  const count = u32(bytes, at + 4, order);
  const size = (SIZES[type] ?? 0) * count;
  return { tag: u16(bytes, at, order), at, type, count, size, valueAt: size <= 4 ? at + 8 : u32(bytes, at + 8, order) };
}

/** The whole numbers of an entry, as far as they lie within these bytes. */
export function* numbersOf(
  bytes: Uint8Array,
  { type, count, size, valueAt }: TiffEntry,
  order: Order,
): Generator<number> {
  if (!INTEGERS.has(type) || size === 0) return;
  const each = size / count;
  for (let at = valueAt; at + each <= Math.min(valueAt + size, bytes.length); at += each) {
    yield each === 1 ? (bytes[at] ?? 0) : each === 2 ? u16(bytes, at, order) : u32(bytes, at, order);
  }
}

/** The first number of a tag. */
export function numberOf(bytes: Uint8Array, { entries }: TiffDirectory, tag: number, order: Order): number | undefined {
  const entry = entries.find((each) => each.tag === tag);
  if (entry === undefined) return undefined;
  const [first] = numbersOf(bytes, entry, order);
  return first;
}
