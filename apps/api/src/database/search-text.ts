import { likeLiteral } from '@back-office/kernel';
import anyAscii from 'any-ascii';
import type { Placeholder } from './placeholders.js';

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

const ONLY_ASCII = /^\p{ASCII}*$/u;

/** A text in lower-case ASCII: accents dropped, other scripts transliterated. */
export function asciiOf(text: string): string {
  if (ONLY_ASCII.test(text)) return text.toLowerCase();
  return anyAscii(text.toLowerCase().replaceAll(TWIN, (letter) => TWINS[letter] as string)).toLowerCase();
}

/** An emoji is transliterated to its name, `:athletic_shoe:`, and some signs to a `%` or a `_`. */
const MAY_NAME_SIGNS = /[%_:]/;
const NAMES_A_SIGN = /[%_]|^:.+:$/;

/**
 * How texts are kept for search, and what is sought in them: lower case, one space between words, and ASCII but for
 * signs that would be found by letters which nobody typed.
 */
export function foldedForSearch(text: string): string {
  const ascii = asciiOf(text);
  const folded = MAY_NAME_SIGNS.test(ascii) ? Array.from(text.toLowerCase(), asciiUnlessSign).join('') : ascii;
  return folded.replaceAll(/\s+/g, ' ').trim();
}

function asciiUnlessSign(character: string): string {
  if (ONLY_ASCII.test(character)) return character;
  const ascii = asciiOf(character);
  return NAMES_A_SIGN.test(ascii) ? character : ascii;
}

/** A row of an index that sorts holds 2,700 bytes, and a single sign may be written out in forty letters. */
const MAX_NAME_LENGTH = 1_000;
const HALF_A_SIGN = /[\ud800-\udbff]$/;

/** As {@link foldedForSearch}, for names, which are sorted, too. */
export function foldedName(name: string): string {
  return foldedForSearch(name).slice(0, MAX_NAME_LENGTH).replace(HALF_A_SIGN, '').trimEnd();
}

/** Any of the columns holds what is sought as it stands: `%` and `_` mean themselves, case does not count. */
export function anyContains(columns: readonly string[], sought: string, value: Placeholder): string {
  const pattern = value(`%${likeLiteral(sought)}%`);
  return `(${columns.map((column) => contains(`lower(${column})`, pattern)).join(' or ')})`;
}

// The letters that the database knows to write in Latin ones, see folded_for_people.
const WRITTEN_IN_LATIN = /[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u017f\u0400-\u045f\u0490\u0491]/g;
const ACCENTS = /[\u0300-\u036f]/g;

/**
 * A text as the database keeps what is known of people, but for its case: each database has its own idea of that.
 * Latin and Cyrillic become ASCII as in {@link asciiOf}; other scripts lose their accents.
 */
export function foldedForPeople(text: string): string {
  return text.replaceAll(WRITTEN_IN_LATIN, asciiOf).normalize('NFD').replaceAll(ACCENTS, '');
}

/** A folded text about people holds what is sought, in whatever letters; `%` and `_` mean themselves. */
export function personContains(column: string, sought: string, value: Placeholder): string {
  const folded = foldedForPeople(sought);
  // Accents without a letter are kept nowhere.
  return folded === '' ? 'false' : contains(column, value(`%${likeLiteral(folded)}%`));
}

function contains(lowerCase: string, pattern: string): string {
  return `${lowerCase} like lower(${pattern}) escape '\\'`;
}
