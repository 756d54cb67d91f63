export const LONGEST_STRING = 255;
export const LONGEST_TEXT = 5_000;

/** True when a text can be stored and given back unchanged: no NUL, no half of a surrogate pair. */
export function isSound(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}

export function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Characters as a reader counts them, not UTF-16 units. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
