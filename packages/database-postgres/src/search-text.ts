import { foldForPeople } from '@back-office/database-search';
import { escapeLike } from '@back-office/kernel';
import type { Placeholder } from './placeholders.js';

/** Condition that one of the columns contains the text in any case. `%` and `_` have no special meaning. */
export function anyContainsSql(columns: readonly string[], searchedText: string, value: Placeholder): string {
  const pattern = value(`%${escapeLike(searchedText)}%`);
  return `(${columns.map((column) => containsSql(`lower(${column})`, pattern)).join(' or ')})`;
}

/** Condition that a column with folded personal data contains the text. `%` and `_` have no special meaning. */
export function personContainsSql(column: string, searchedText: string, value: Placeholder): string {
  const folded = foldForPeople(searchedText);
  // A text that consists only of accents folds to an empty text, which would match every row.
  return folded === '' ? 'false' : containsSql(column, value(`%${escapeLike(folded)}%`));
}

function containsSql(column: string, pattern: string): string {
  return `${column} like lower(${pattern}) escape '\\'`;
}
