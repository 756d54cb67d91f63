import { u32 } from './octets.js';

/** Bytes of an element's id and size together. */
export const MAX_EBML_HEAD_BYTES = 12;
const MAX_ID_BYTES = 4;
const MAX_SIZE_BYTES = 8;

/** Head of an EBML element. */
export interface EbmlElement {
  readonly id: number;
  /** Bytes of id and size. */
  readonly headSize: number;
  /** Bytes of the content; `Infinity` when the file does not state it. */
  readonly size: number;
}

/** Parses the element head at `at`; `undefined` when it is invalid or incomplete. */
export function ebmlElementAt(bytes: Uint8Array, at = 0): EbmlElement | undefined {
  const idSize = vintLength(bytes[at]);
  const sizeSize = vintLength(bytes[at + idSize]);
  const headSize = idSize + sizeSize;
  if (idSize > MAX_ID_BYTES || sizeSize > MAX_SIZE_BYTES || at + headSize > bytes.length) return undefined;
  const [first = 0, ...others] = bytes.subarray(at + idSize, at + headSize);
  const size = others.reduce((number, digit) => number * 0x100 + digit, first & (0xff >> sizeSize));
  const isOpen = size >= Math.min(2 ** (7 * sizeSize) - 1, Number.MAX_SAFE_INTEGER);
  return { id: u32(bytes, at) >>> (8 * (4 - idSize)), headSize, size: isOpen ? Infinity : size };
}

/** Bytes of a variable-size integer, by its first set bit. */
function vintLength(first = 0): number {
  return Math.clz32(first) - 23;
}
