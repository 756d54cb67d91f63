/** Number of bytes at the start of a file that determine its type. */
export const TYPE_HEAD_BYTES = 65_536;

/** A shorter head is the whole file. */
export function mayBeTruncated(head: Uint8Array): boolean {
  return head.length >= TYPE_HEAD_BYTES;
}
