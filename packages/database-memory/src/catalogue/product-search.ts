import { canBeMistyped, type ProductFilter } from '@back-office/catalogue';
import { foldName } from '@back-office/database-search';
import { lowerCase } from '../lower-case.js';
import type { State } from '../state.js';
import { trimSpaces } from './product-look-up.js';
import type { SortKey } from './product-order.js';
import type { StoredProduct } from './records.js';
import { wordSimilarity } from './word-similarity.js';

/** PostgreSQL's `word_similarity_threshold`. */
const SIMILARITY_THRESHOLD = 0.6;

export interface ProductSearch {
  readonly isLiteral: (product: StoredProduct) => boolean;
  readonly isSimilar: (product: StoredProduct) => boolean;
  readonly keys: readonly SortKey[];
}

/** Two searches find what both match. */
export function productSearch(
  state: State,
  appId: number,
  { search, searchAll }: ProductFilter,
): ProductSearch | undefined {
  const names = search === undefined ? undefined : nameSearch(search, 'search_name');
  const everywhere = searchAll === undefined ? undefined : everywhereSearch(state, appId, searchAll);
  if (names === undefined || everywhere === undefined) return names ?? everywhere;
  const both = [names, everywhere];
  return {
    isLiteral: (product) => both.every((each) => each.isLiteral(product)),
    isSimilar: (product) => both.every((each) => each.isLiteral(product) || each.isSimilar(product)),
    keys: both.flatMap((each) => each.keys),
  };
}

/** Sorts exact names first, then prefixes, then words, then others. */
function nameSearch(text: string, field: 'search_name' | 'search_all'): ProductSearch {
  const query = foldName(text);
  if (query === '') return { isLiteral: () => false, isSimilar: () => false, keys: [] };
  const rank = ({ search_name: name }: StoredProduct): number =>
    name === query ? 0 : name.startsWith(query) ? 1 : name.includes(` ${query}`) ? 2 : 3;
  return {
    isLiteral: (product) => product[field].includes(query),
    isSimilar: (product) => canBeMistyped(query) && wordSimilarity(query, product[field]) >= SIMILARITY_THRESHOLD,
    keys: [{ of: rank }, { of: (product) => wordSimilarity(query, product.search_name), isDescending: true }],
  };
}

/** Searches names, codes and barcodes; exact codes and barcodes come first. */
function everywhereSearch(state: State, appId: number, text: string): ProductSearch {
  const { isLiteral, isSimilar, keys } = nameSearch(text, 'search_all');
  const code = lowerCase(text);
  const named = productsNamed(state, appId, code);
  return {
    isLiteral: (product) => isLiteral(product) || product.search_all.includes(code),
    isSimilar,
    keys: [{ of: (product) => Number(!named.has(product.id)) }, ...keys],
  };
}

function productsNamed({ products, variants }: State, appId: number, code: string): ReadonlySet<number> {
  const own = products.all(appId).filter((product) => lowerCase(trimSpaces(product.code)) === code);
  const owners = variants
    .all(appId)
    .filter((variant) => lowerCase(variant.code) === code || lowerCase(variant.barcode ?? '') === code);
  return new Set([...own.map(({ id }) => id), ...owners.map((variant) => variant.product_id)]);
}
