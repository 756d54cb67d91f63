/** Number of bytes from which the type of a file is detected. */
export const TYPE_HEAD_BYTES = 65_536;

/** A shorter head contains the whole file. */
export function mayBeTruncated(head: Uint8Array): boolean {
  return head.length >= TYPE_HEAD_BYTES;
}
