import { foldForPeople } from '@back-office/database-search';
import { escapeLike } from '@back-office/kernel';
import type { Placeholder } from './placeholders.js';

/** Condition that a column contains the text literally, `%` and `_` included, in any case. */
export function anyContains(columns: readonly string[], searched: string, value: Placeholder): string {
  const pattern = value(`%${escapeLike(searched)}%`);
  return `(${columns.map((column) => contains(`lower(${column})`, pattern)).join(' or ')})`;
}

/** Condition that a folded column about people contains the text, in Latin or Cyrillic; `%` and `_` are literal. */
export function personContains(column: string, searched: string, value: Placeholder): string {
  const folded = foldForPeople(searched);
  // Folding drops accents without a letter.
  return folded === '' ? 'false' : contains(column, value(`%${escapeLike(folded)}%`));
}

function contains(lowerCase: string, pattern: string): string {
  return `${lowerCase} like lower(${pattern}) escape '\\'`;
}
