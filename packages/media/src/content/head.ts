/** The type of a file is detected from at most this many bytes at its start. */
export const TYPE_HEAD_BYTES = 65_536;

/** Returns true if the file may be longer than this head. */
export function mayBeTruncated(head: Uint8Array): boolean {
  return head.length >= TYPE_HEAD_BYTES;
}
