import anyAscii from 'any-ascii';

/** How names are kept for search, and what is sought among them: ASCII, lower case, one space between words. */
export function foldedForSearch(text: string): string {
  return anyAscii(text).toLowerCase().replaceAll(/\s+/g, ' ').trim();
}
