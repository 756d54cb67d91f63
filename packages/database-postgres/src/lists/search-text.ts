import { foldSearched, phoneDigitsOf } from '@back-office/database';
import { escapeLike } from '@back-office/kernel';
import type { Placeholder } from './placeholders.js';

/** Condition that one of the columns contains the text, folded. `%` and `_` have no special meaning. */
export function anyContainsSql(columns: readonly string[], searchedText: string, value: Placeholder): string {
  const folded = foldSearched(searchedText);
  if (folded === '') return 'false';
  const pattern = value(`%${escapeLike(folded)}%`);
  return `(${columns.map((column) => containsSql(`search_key(folded_for_people(${column}), null)`, pattern)).join(' or ')})`;
}

/**
 * Condition that the folded personal data of a row contains the text, or its phone the digits of the text. `%` and `_`
 * have no special meaning.
 */
export function personContainsSql(row: string, phone: string, searchedText: string, value: Placeholder): string {
  const key = `search_key(${row}.search_text, ${row}.${phone})`;
  const folded = foldSearched(searchedText);
  const digits = phoneDigitsOf(searchedText);
  // A text that consists only of accents folds to an empty text, which would match every row.
  if (folded === '') return 'false';
  const containsText = containsSql(key, value(`%${escapeLike(folded)}%`));
  return digits === undefined ? containsText : `(${containsText} or ${key} like ${value(`%${digits}%`)})`;
}

function containsSql(column: string, pattern: string): string {
  return `${column} like lower(${pattern}) escape '\\'`;
}
