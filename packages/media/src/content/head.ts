/** Bytes at the start of a file that determine its type. */
export const TYPE_HEAD_BYTES = 65_536;

/** Fewer than {@link TYPE_HEAD_BYTES} are the whole file. */
export function mayBeTruncated(head: Uint8Array): boolean {
  return head.length >= TYPE_HEAD_BYTES;
}
