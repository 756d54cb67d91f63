import { foldForPeople } from '@back-office/database-search';
import { escapeLike } from '@back-office/kernel';
import type { Placeholder } from './placeholders.js';

/** `%` and `_` match only themselves. */
export function anyContainsSql(columns: readonly string[], searchedText: string, value: Placeholder): string {
  const pattern = value(`%${escapeLike(searchedText)}%`);
  return `(${columns.map((column) => containsSql(`lower(${column})`, pattern)).join(' or ')})`;
}

/** `%` and `_` match only themselves. */
export function personContainsSql(column: string, searchedText: string, value: Placeholder): string {
  const folded = foldForPeople(searchedText);
  // Folding drops accents that stand without a letter, so nothing may remain to search for.
  return folded === '' ? 'false' : containsSql(column, value(`%${escapeLike(folded)}%`));
}

function containsSql(column: string, pattern: string): string {
  return `${column} like lower(${pattern}) escape '\\'`;
}
