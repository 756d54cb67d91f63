/** How much of a file tells its type. */
export const TYPE_HEAD = 65_536;

/** Whether there may be more of the file than these first bytes: fewer than {@link TYPE_HEAD} are all of it. */
export function goesOn(head: Uint8Array): boolean {
  return head.length >= TYPE_HEAD;
}
