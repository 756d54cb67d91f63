import { likeLiteral } from '@back-office/kernel';
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

/** How texts are kept for search, and what is sought in them: ASCII, lower case, one space between words. */
export function foldedForSearch(text: string): string {
  return asciiOf(text).replaceAll(/\s+/g, ' ').trim();
}

/** A row of an index that sorts holds 2,700 bytes, and a single sign may be written out in forty letters. */
const LONGEST_NAME = 1_000;

/** As {@link foldedForSearch}, for names, which are sorted, too. */
export function foldedName(name: string): string {
  return foldedForSearch(name).slice(0, LONGEST_NAME).trimEnd();
}

/** Adds a value to a statement and answers its placeholder. */
export type Placeholder = (value: unknown) => string;

/** Any of the columns holds what is sought as it stands: `%` and `_` mean themselves, case does not count. */
export function anyContains(columns: readonly string[], sought: string, value: Placeholder): string {
  const pattern = value(`%${likeLiteral(sought)}%`);
  return `(${columns.map((column) => contains(`lower(${column})`, pattern)).join(' or ')})`;
}

export interface PersonColumns {
  /** All that is searched, in lower case, the first name before the last one; indexed by letter triples. */
  readonly text: string;
  readonly first: string;
  readonly last: string;
}

/** As {@link anyContains}, for a text about a person, whose name may also be sought with the last name first. */
export function personContains({ text, first, last }: PersonColumns, sought: string, value: Placeholder): string {
  const whole = value(`%${likeLiteral(sought)}%`);
  const words = sought.split(/\s+/);
  if (words.length === 1) return contains(text, whole);
  // The index knows nothing of the other order, but the words at both ends are in it either way.
  const ends = [words[0], words.at(-1)].map((word = '') => contains(text, value(`%${likeLiteral(word)}%`)));
  const either = `(${contains(text, whole)} or ${contains(`lower(${last} || ' ' || ${first})`, whole)})`;
  return [...ends, either].join(' and ');
}

function contains(lowerCase: string, pattern: string): string {
  return `${lowerCase} like lower(${pattern}) escape '\\'`;
}
