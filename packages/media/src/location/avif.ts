import { findIsoBox, isoBoxes, type IsoBox } from '../formats/iso-boxes.js';
import { encodeLatin1, decodeLatin1, u16, u32, u64 } from '../formats/octets.js';
import { MINIMAL_EXIF_BYTES, minimalExif, orientationOf } from './exif.js';
import { UnreadableFile } from './unreadable-file.js';

const VERSION_SIZE = 4;
/** An Exif item starts with four bytes, the offset of the TIFF header. The Exif data follows. */
const EXIF_AT = 4;
const KEPT_BOXES = new Set(['hdlr', 'pitm', 'iloc', 'iinf', 'iprp', 'iref', 'idat', 'grpl', 'dinf', 'ipro']);
/** More than the number of consecutive boxes in any real image. */
const MAX_BOXES = 10_000;
const KEPT_ITEMS = new Set(['av01', 'grid', 'iovl', 'iden', 'tmap']);
const DROPPED_PROPERTIES = new Set(['udes', 'altt', 'uuid']);
const [IN_FILE, IN_BOX] = [0, 1];

interface Item {
  readonly id: number;
  readonly extents: readonly { readonly from: number; readonly size: number }[];
}

/** Blanks all items of an AVIF except images, and keeps the EXIF orientation. The caller must strip the boxes first. */
export function blankAvif(bytes: Uint8Array): void {
  const boxes = readBoxes(bytes, 0, bytes.length);
  const metaBoxes = boxes.filter(({ type }) => type === 'meta');
  const hasTracks = boxes.some(({ type }) => type === 'moov');
  if (metaBoxes.length > 1 || (metaBoxes.length === 0 && !hasTracks))
    throw new UnreadableFile('An AVIF without exactly one list of items');
  for (const box of metaBoxes) blankItems(bytes, { ...box, from: box.from + VERSION_SIZE });
}

function blankItems(bytes: Uint8Array, meta: IsoBox): void {
  const types = readItemTypes(bytes, meta);
  let budget = 2 * bytes.length;
  for (const item of readItems(bytes, meta)) {
    const type = types.get(item.id) ?? '';
    if (KEPT_ITEMS.has(type)) continue;
    budget -= item.extents.reduce((sum, { size }) => sum + size, 0);
    if (budget < 0) throw new UnreadableFile('An AVIF that refers to more bytes than it has');
    blankItem(bytes, item, type);
  }
  for (const box of readBoxes(bytes, meta.from, meta.to)) if (!KEPT_BOXES.has(box.type)) freeBox(bytes, box);
  const properties = findIsoBox(bytes, meta.from, meta.to, 'iprp');
  const container = properties && findIsoBox(bytes, properties.from, properties.to, 'ipco');
  if (container === undefined) return;
  for (const property of readBoxes(bytes, container.from, container.to)) {
    if (DROPPED_PROPERTIES.has(property.type)) freeBox(bytes, property);
  }
}

function readBoxes(bytes: Uint8Array, from: number, to: number): readonly IsoBox[] {
  const boxes: IsoBox[] = [];
  for (const box of isoBoxes(bytes, from, to)) {
    if (boxes.push(box) > MAX_BOXES) throw new UnreadableFile('An AVIF with too many boxes');
  }
  return boxes;
}

function freeBox(bytes: Uint8Array, { at, from, to }: IsoBox): void {
  bytes.set(encodeLatin1('free'), at + 4);
  bytes.fill(0, from, to);
}

function blankItem(bytes: Uint8Array, { extents }: Item, type: string): void {
  const [first] = extents;
  const exif = first && bytes.subarray(first.from, first.from + first.size);
  const orientation = type === 'Exif' && exif ? orientationOf(exif.subarray(EXIF_AT + u32(exif, 0))) : undefined;
  for (const { from, size } of extents) bytes.fill(0, from, from + size);
  if (type === 'Exif' && exif && exif.length >= EXIF_AT + MINIMAL_EXIF_BYTES) {
    exif.set(minimalExif(orientation ?? 1), EXIF_AT);
  }
}

function readItemTypes(bytes: Uint8Array, meta: IsoBox): ReadonlyMap<number, string> {
  const list = findIsoBox(bytes, meta.from, meta.to, 'iinf');
  const types = new Map<number, string>();
  if (list === undefined) throw new UnreadableFile('An AVIF without item types');
  const entries = list.from + VERSION_SIZE + (bytes[list.from] === 0 ? 2 : 4);
  for (const { type, from } of readBoxes(bytes, entries, list.to)) {
    const version = bytes[from];
    if (type !== 'infe' || (version !== 2 && version !== 3)) throw new UnreadableFile('Unsupported AVIF item entry');
    const at = from + VERSION_SIZE;
    const typeAt = at + (version === 2 ? 4 : 6);
    types.set(version === 2 ? u16(bytes, at) : u32(bytes, at), decodeLatin1(bytes, typeAt, typeAt + 4));
  }
  return types;
}

function* readItems(bytes: Uint8Array, meta: IsoBox): Generator<Item> {
  const list = findIsoBox(bytes, meta.from, meta.to, 'iloc');
  if (list === undefined) throw new UnreadableFile('An AVIF without item locations');
  const version = bytes[list.from] ?? 0;
  const readNumber = makeNumberReader(bytes, list.from + VERSION_SIZE, list.to);
  const [offsetAndLengthSizes, baseAndIndexSizes] = [readNumber(1), readNumber(1)];
  const [offsetSize, lengthSize, baseSize] = [
    offsetAndLengthSizes >> 4,
    offsetAndLengthSizes & 15,
    baseAndIndexSizes >> 4,
  ];
  if (lengthSize === 0) throw new UnreadableFile('An AVIF without lengths of its items');
  const indexSize = version === 0 ? 0 : baseAndIndexSizes & 15;
  const idSize = version < 2 ? 2 : 4;
  const dataBox = findIsoBox(bytes, meta.from, meta.to, 'idat');
  for (let remaining = readNumber(idSize); remaining > 0; remaining -= 1) {
    const id = readNumber(idSize);
    const construction = version === 0 ? IN_FILE : readNumber(2) & 15;
    const isInOtherFile = readNumber(2) !== 0;
    const base = readNumber(baseSize) + (construction === IN_BOX ? (dataBox?.from ?? 0) : 0);
    const extents = Array.from({ length: readNumber(2) }, () => {
      readNumber(indexSize);
      return { from: base + readNumber(offsetSize), size: readNumber(lengthSize) };
    });
    // Refuses an unknown way to address the bytes, and empty extents. Also refuses items in other files, because some
    // readers would read such an item from this file.
    if (isInOtherFile || construction > IN_BOX || extents.some(({ size }) => size === 0)) {
      throw new UnreadableFile('Unsupported AVIF item location');
    }
    yield { id, extents };
  }
}

/** Returns a function that reads consecutive integers of the given sizes in bytes, exact up to 2^53. */
function makeNumberReader(bytes: Uint8Array, from: number, to: number): (size: number) => number {
  let at = from;
  return (size) => {
    if (![0, 1, 2, 4, 8].includes(size) || at + size > to) throw new UnreadableFile('A truncated AVIF list');
    const start = at;
    at += size;
    if (size === 8) return u64(bytes, start);
    return size === 4 ? u32(bytes, start) : size === 2 ? u16(bytes, start) : size === 1 ? (bytes[start] ?? 0) : 0;
  };
}
