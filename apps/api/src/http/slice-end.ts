/** Returns the end of a slice. A character outside the BMP has two halves, and a slice must not end between them. */
export function sliceEnd(text: string, end: number): number {
  const isSplit = (text.charCodeAt(end - 1) & 0xfc00) === 0xd800;
  return isSplit ? end + 1 : end;
}
