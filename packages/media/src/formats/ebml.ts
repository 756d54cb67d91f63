import { u32 } from './octets.js';

export const MAX_EBML_HEAD_BYTES = 12;
const MAX_ID_BYTES = 4;
const MAX_SIZE_BYTES = 8;

export interface EbmlElement {
  readonly id: number;
  /** Size of id and size field together, in bytes. */
  readonly headSize: number;
  /** Size of the content in bytes; `Infinity` when the file does not state it. */
  readonly size: number;
}

/** Returns `undefined` when the element's head is invalid or incomplete. */
export function ebmlElementAt(bytes: Uint8Array, at = 0): EbmlElement | undefined {
  const idLength = vintLength(bytes[at]);
  const sizeLength = vintLength(bytes[at + idLength]);
  const headSize = idLength + sizeLength;
  if (idLength > MAX_ID_BYTES || sizeLength > MAX_SIZE_BYTES || at + headSize > bytes.length) return undefined;
  const [firstByte = 0, ...otherBytes] = bytes.subarray(at + idLength, at + headSize);
  const size = otherBytes.reduce((number, digit) => number * 0x100 + digit, firstByte & (0xff >> sizeLength));
  const isUnknownSize = size >= Math.min(2 ** (7 * sizeLength) - 1, Number.MAX_SAFE_INTEGER);
  return { id: u32(bytes, at) >>> (8 * (4 - idLength)), headSize, size: isUnknownSize ? Infinity : size };
}

/** Returns the length in bytes of a variable-size integer. The position of its first set bit encodes this length. */
function vintLength(first = 0): number {
  return Math.clz32(first) - 23;
}
