import { u32 } from './octets.js';

/** The most bytes that an element's id and size take together. */
export const MAX_EBML_HEAD_BYTES = 12;
const MAX_ID_BYTES = 4;
const MAX_SIZE_BYTES = 8;

/** The head of an EBML element, of which WebM files are made. */
export interface EbmlElement {
  readonly id: number;
  /** Of id and size, in bytes. */
  readonly headSize: number;
  /** Of the content, in bytes; infinite when the writer left it open. */
  readonly size: number;
}

/** Parses the element that begins at `at`; `undefined` when the bytes there are none, or end before its content. */
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

/** The length of a variable-size integer in bytes, given by the first bit set. */
function vintLength(first = 0): number {
  return Math.clz32(first) - 23;
}
