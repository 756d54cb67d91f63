import { canBeMistyped, type ProductFilter } from '@back-office/catalogue';
import { foldName } from '@back-office/database';
import { lowerCase } from '../lower-case.js';
import type { State } from '../state.js';
import { trimSpaces } from './product-look-up.js';
import type { ProductSortKey } from './product-order.js';
import type { StoredProduct } from './records.js';
import { wordSimilarity } from './word-similarity.js';

/** PostgreSQL's default `word_similarity_threshold`. */
const SIMILARITY_THRESHOLD = 0.6;

export interface RankKey extends ProductSortKey {
  readonly isSimilarity?: true;
}

export interface ProductSearch {
  readonly isLiteral: (product: StoredProduct) => boolean;
  readonly isSimilar: (product: StoredProduct) => boolean;
  readonly keys: readonly RankKey[];
}

export function productSearch(
  state: State,
  appId: number,
  { search, searchAll }: ProductFilter,
): ProductSearch | undefined {
  const searchByName = search === undefined ? undefined : nameSearch(search, 'search_name');
  const searchByAll = searchAll === undefined ? undefined : anyTextSearch(state, appId, searchAll);
  if (searchByName === undefined || searchByAll === undefined) return searchByName ?? searchByAll;
  const searches = [searchByName, searchByAll];
  return {
    isLiteral: (product) => searches.every((part) => part.isLiteral(product)),
    isSimilar: (product) => searches.every((part) => part.isLiteral(product) || part.isSimilar(product)),
    keys: searches.flatMap((part) => part.keys),
  };
}

function nameSearch(text: string, field: 'search_name' | 'search_all'): ProductSearch {
  const query = foldName(text);
  if (query === '') return { isLiteral: () => false, isSimilar: () => false, keys: [] };
  const rank = ({ search_name: name }: StoredProduct): number =>
    name === query ? 0 : name.startsWith(query) ? 1 : name.includes(` ${query}`) ? 2 : 3;
  return {
    isLiteral: (product) => product[field].includes(query),
    isSimilar: (product) => canBeMistyped(query) && wordSimilarity(query, product[field]) >= SIMILARITY_THRESHOLD,
    keys: [
      { value: rank, direction: 'asc' },
      { value: (product) => wordSimilarity(query, product.search_name), direction: 'desc', isSimilarity: true },
    ],
  };
}

function anyTextSearch(state: State, appId: number, text: string): ProductSearch {
  const { isLiteral, isSimilar, keys } = nameSearch(text, 'search_all');
  const code = lowerCase(text);
  const exactIds = productIdsByCode(state, appId, code);
  return {
    isLiteral: (product) => isLiteral(product) || product.search_all.includes(code),
    isSimilar,
    keys: [{ value: (product) => Number(!exactIds.has(product.id)), direction: 'asc' }, ...keys],
  };
}

function productIdsByCode({ products, variants }: State, appId: number, code: string): ReadonlySet<number> {
  const matchingProducts = products
    .all(appId)
    .filter((product) => lowerCase(trimSpaces(product.code)) === code || lowerCase(product.barcode ?? '') === code);
  const matchingVariants = variants
    .all(appId)
    .filter((variant) => lowerCase(variant.code ?? '') === code || lowerCase(variant.barcode ?? '') === code);
  return new Set([...matchingProducts.map(({ id }) => id), ...matchingVariants.map((variant) => variant.product_id)]);
}
