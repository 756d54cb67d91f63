import { foldSearched, phoneDigitsOf } from '@back-office/database';

/** Whether the folded text contains the folded query, or the phone its digits. */
export function containsFolded(text: string, query: string, phone: string | null = null): boolean {
  const foldedQuery = foldSearched(query).toLowerCase();
  // A query that consists only of accents folds to an empty text, which every text contains.
  if (foldedQuery === '') return false;
  const digits = phoneDigitsOf(query);
  const key = `${foldSearched(text).toLowerCase()}\n${phone?.replaceAll(/[^0-9]/g, '') ?? ''}`;
  return key.includes(foldedQuery) || (digits !== undefined && key.includes(digits));
}
