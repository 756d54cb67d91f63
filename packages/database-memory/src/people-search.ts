import { foldForPeople } from '@back-office/database-search';

export function containsFolded(text: string, query: string): boolean {
  const foldedQuery = foldForPeople(query).toLowerCase();
  // A query of accents alone folds to an empty text.
  return foldedQuery !== '' && foldForPeople(text).toLowerCase().includes(foldedQuery);
}
