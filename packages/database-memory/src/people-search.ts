import { foldForPeople } from '@back-office/database-search';

/** Whether a text about people contains the query; ignores case, accents and script. */
export function holdsFolded(text: string, query: string): boolean {
  const folded = foldForPeople(query).toLowerCase();
  // A query of accents only folds to nothing.
  return folded !== '' && foldForPeople(text).toLowerCase().includes(folded);
}
