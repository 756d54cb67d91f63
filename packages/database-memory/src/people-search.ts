import { foldForPeople } from '@back-office/database-search';

export function containsFolded(text: string, query: string): boolean {
  const foldedQuery = foldForPeople(query).toLowerCase();
  // A query that consists only of accents folds to an empty text, which every text contains.
  return foldedQuery !== '' && foldForPeople(text).toLowerCase().includes(foldedQuery);
}
