import anyAscii from 'any-ascii';

/** Serbian Cyrillic letters and their Latin counterparts: `Ципела` is `Cipela`. */
const LATIN_COUNTERPARTS: Readonly<Record<string, string>> = {
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
const SERBIAN_CYRILLIC = new RegExp(`[${Object.keys(LATIN_COUNTERPARTS).join('')}]`, 'g');

const ONLY_ASCII = /^\p{ASCII}*$/u;

/** Lower-case ASCII; drops accents and transliterates other scripts. */
export function asciiOf(text: string): string {
  if (ONLY_ASCII.test(text)) return text.toLowerCase();
  return anyAscii(
    text.toLowerCase().replaceAll(SERBIAN_CYRILLIC, (letter) => LATIN_COUNTERPARTS[letter] as string),
  ).toLowerCase();
}

/** Emoji are transliterated to names like `:athletic_shoe:`, and some symbols to `%` or `_`. */
const MAY_NAME_SYMBOLS = /[%_:]/;
const NAMES_A_SYMBOL = /[%_]|^:.+:$/;

/**
 * Folds stored and searched texts: lower-case ASCII with single spaces. Keeps symbols whose transliteration would match
 * unrelated letters.
 */
export function foldedForSearch(text: string): string {
  const ascii = asciiOf(text);
  const folded = MAY_NAME_SYMBOLS.test(ascii) ? Array.from(text.toLowerCase(), asciiUnlessSymbol).join('') : ascii;
  return folded.replaceAll(/\s+/g, ' ').trim();
}

function asciiUnlessSymbol(character: string): string {
  if (ONLY_ASCII.test(character)) return character;
  const ascii = asciiOf(character);
  return NAMES_A_SYMBOL.test(ascii) ? character : ascii;
}

/** An index row is limited to 2,700 bytes, and one character can become forty letters. */
const MAX_NAME_LENGTH = 1_000;
const HIGH_SURROGATE_AT_END = /[\ud800-\udbff]$/;

/** Like {@link foldedForSearch}, truncated for sorted names. */
export function foldedName(name: string): string {
  return foldedForSearch(name).slice(0, MAX_NAME_LENGTH).replace(HIGH_SURROGATE_AT_END, '').trimEnd();
}

// Letters that the database function folded_for_people transliterates.
const TRANSLITERATED_LETTERS = /[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f\u0400-\u045f\u0490\u0491]/g;
const ACCENTS = /[\u0300-\u036f]/g;

/**
 * Folds data about people like the database does, but keeps the case, which databases lower differently. Latin and
 * Cyrillic become ASCII as in {@link asciiOf}; other scripts lose their accents.
 */
export function foldedForPeople(text: string): string {
  return text.replaceAll(TRANSLITERATED_LETTERS, asciiOf).normalize('NFD').replaceAll(ACCENTS, '');
}
