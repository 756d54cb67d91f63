import anyAscii from 'any-ascii';

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

/** Returns lower-case ASCII without accents. Transliterates other scripts. */
export function asciiOf(text: string): string {
  if (ONLY_ASCII.test(text)) return text.toLowerCase();
  return anyAscii(
    text.toLowerCase().replaceAll(SERBIAN_CYRILLIC, (letter) => LATIN_COUNTERPARTS[letter] as string),
  ).toLowerCase();
}

// The library turns emoji into names like `:athletic_shoe:`, and some symbols into `%` or `_`.
const MAY_NAME_SYMBOLS = /[%_:]/;
const NAMES_A_SYMBOL = /[%_]|^:.+:$/;

/**
 * Folds stored and searched texts to lower-case ASCII with single spaces. Keeps symbols, because their transliteration
 * would match unrelated letters.
 */
export function foldForSearch(text: string): string {
  const ascii = asciiOf(text);
  const folded = MAY_NAME_SYMBOLS.test(ascii) ? Array.from(text.toLowerCase(), toAsciiUnlessSymbol).join('') : ascii;
  return folded.replaceAll(/\s+/g, ' ').trim();
}

function toAsciiUnlessSymbol(character: string): string {
  if (ONLY_ASCII.test(character)) return character;
  const ascii = asciiOf(character);
  return NAMES_A_SYMBOL.test(ascii) ? character : ascii;
}

// Limits the folded name: PostgreSQL limits an index row to 2,700 bytes, and one character can become forty letters.
const MAX_NAME_LENGTH = 1_000;
const HIGH_SURROGATE_AT_END = /[\ud800-\udbff]$/;

/** Folds like {@link foldForSearch} and truncates the result for sorting by name. */
export function foldName(name: string): string {
  return foldForSearch(name).slice(0, MAX_NAME_LENGTH).replace(HIGH_SURROGATE_AT_END, '').trimEnd();
}

// Must be the letters that the database function `folded_for_people` transliterates.
const TRANSLITERATED_LETTERS = /[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f\u0400-\u045f\u0490\u0491]/g;
const ACCENTS = /[\u0300-\u036f]/g;

/**
 * Folds names and other data of people like the database function `folded_for_people`, but keeps the case, because
 * databases lower-case differently. Latin and Cyrillic become ASCII; other scripts lose their accents.
 */
export function foldForPeople(text: string): string {
  return text.replaceAll(TRANSLITERATED_LETTERS, asciiOf).normalize('NFD').replaceAll(ACCENTS, '');
}

/** Separates the parts of a name and follows the folded name. */
export const NAME_SEPARATOR = '\u0001';
const MAX_KEY_PART = 160;

/**
 * Returns a key that sorts by the folded names, then by the names, like the database function `name_sort_key`; null if
 * all names are null.
 */
export function nameSortKey(...names: readonly (string | null)[]): string | null {
  const givenNames = names.filter((name) => name !== null);
  if (givenNames.length === 0) return null;
  const name = givenNames.join(NAME_SEPARATOR);
  const folded = foldForPeople(name).replaceAll(/\s+/g, ' ').trim().toLowerCase();
  const trimmed = folded
    .replaceAll(` ${NAME_SEPARATOR}`, NAME_SEPARATOR)
    .replaceAll(`${NAME_SEPARATOR} `, NAME_SEPARATOR);
  return truncate(trimmed) + NAME_SEPARATOR + truncate(name);
}

function truncate(text: string): string {
  return Array.from(text).slice(0, MAX_KEY_PART).join('');
}

const APOSTROPHES = /[‘’ʼ´`]/g;

/**
 * Folds like {@link foldForPeople}, and takes `dj` for `đ`, one apostrophe for another and repeated blanks for one. Keeps
 * line feeds, which separate searched texts.
 */
export function foldSearched(text: string): string {
  return foldForPeople(text)
    .replaceAll(APOSTROPHES, "'")
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/dj/gi, 'd');
}

const PHONE = /^[\d\s+/().-]+$/;
const MIN_PHONE_DIGITS = 5;

/** Returns the digits of a searched phone number without leading zeros; `undefined` if the text is something else. */
export function phoneDigitsOf(text: string): string | undefined {
  const digits = PHONE.test(text) ? text.replaceAll(/\D/g, '').replace(/^0+/, '') : '';
  return digits.length < MIN_PHONE_DIGITS ? undefined : digits;
}
