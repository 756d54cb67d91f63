import { foldedForPeople } from '@back-office/database-search';

/** Whether a text about people contains the query; ignores case, accents and script. */
export function holdsFolded(text: string, query: string): boolean {
  const folded = foldedForPeople(query).toLowerCase();
  // A query of accents only folds to nothing.
  return folded !== '' && foldedForPeople(text).toLowerCase().includes(folded);
}
