import { foldForPeople } from '@back-office/database-search';

/** Returns true when a text about people contains the query, ignoring case, accents and script. */
export function containsFolded(text: string, query: string): boolean {
  const foldedQuery = foldForPeople(query).toLowerCase();
  // A query of accents alone folds to an empty text.
  return foldedQuery !== '' && foldForPeople(text).toLowerCase().includes(foldedQuery);
}
