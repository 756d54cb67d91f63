import anyAscii from 'any-ascii';

/** Cyrillic letters that have a Latin twin in Serbian: `Ципела` and `Cipela` are one word in two scripts. */
const TWINS: Readonly<Record<string, string>> = {
  ц: 'c',
  ч: 'č',
  ћ: 'ć',
  ш: 'š',
  ж: 'ž',
  ђ: 'đ',
  џ: 'dž',
  љ: 'lj',
  њ: 'nj',
  ј: 'j',
  х: 'h',
};
const TWIN = new RegExp(`[${Object.keys(TWINS).join('')}]`, 'g');

/** A text in lower-case ASCII: accents dropped, other scripts transliterated. */
export function asciiOf(text: string): string {
  return anyAscii(text.toLowerCase().replaceAll(TWIN, (letter) => TWINS[letter] as string)).toLowerCase();
}

/** How names are kept for search, and what is sought among them: ASCII, lower case, one space between words. */
export function foldedForSearch(text: string): string {
  return asciiOf(text).replaceAll(/\s+/g, ' ').trim();
}
