import {
  MAX_PAGE_SIZE,
  characterCount,
  MAX_STRING_LENGTH,
  parsePage,
  parseRecordId,
  parseBoolean,
  parseInteger,
  type Page,
} from '@back-office/kernel';
import { invalidParameter } from '../http/errors.js';
import { parseUpdatedAfter } from '../http/query-parameters.js';
import type { LookUp, ProductFilter, ProductLookUp } from '@back-office/catalogue';

type Query = Readonly<Record<string, unknown>>;

const LOOK_UPS: readonly LookUp[] = ['code', 'barcode', 'slug', 'id'];
const DEFAULT_LIMIT = 10;
const PRICE = /^\d{1,13}(?:\.\d{1,9})?$/;

/** Throws 400 for invalid numbers and flags; ignores empty filters. */
export function parseProductFilter(query: Query): ProductFilter {
  const search = parseText(query, 'search').trim();
  const searchAll = parseText(query, 'searchAll').trim();
  const updatedAfter = parseUpdatedAfter(query);
  return {
    lookUps: LOOK_UPS.flatMap((by) => {
      const value = parseText(query, by);
      return value === '' ? [] : [{ by, value }];
    }),
    ...(search !== '' && { search }),
    ...(searchAll !== '' && { searchAll }),
    ...parsePrice(query, 'priceFrom'),
    ...parsePrice(query, 'priceTo'),
    onlyOnStock: parseFlag(query, 'onlyOnStock'),
    ...(updatedAfter !== undefined && { updatedAfter }),
  };
}

/** Returns the look-up of a query that has exactly one look-up and no other filter. */
export function singleLookUp({ lookUps, ...otherFilters }: ProductFilter): ProductLookUp | undefined {
  const hasOnlyLookUp = lookUps.length === 1 && Object.keys(otherFilters).length === 1 && !otherFilters.onlyOnStock;
  return hasOnlyLookUp ? lookUps[0] : undefined;
}

/** Returns false for a look-up by an id that no record can have. */
export function canMatch({ by, value }: ProductLookUp): boolean {
  return by !== 'id' || parseRecordId(value) !== undefined;
}

/** `offset` overrides `pageNo` (from 1); without `pageNo`, `limit` overrides `perPage`. */
export function parseProductPage(query: Query): Page {
  if ((parseInteger(query['offset']) ?? -1) >= 0) return parsePage(query, DEFAULT_LIMIT);
  const pageNumber = parseInteger(query['pageNo']) ?? 0;
  const sizes = pageNumber >= 1 ? [query['perPage'], query['limit']] : [query['limit'], query['perPage']];
  const size = sizes.find((value) => (parseInteger(value) ?? 0) >= 1);
  const { limit } = parsePage({ limit: size }, DEFAULT_LIMIT);
  const number = Math.max(pageNumber, 1);
  return parsePage({ offset: String(Math.min(number - 1, MAX_PAGE_SIZE ** 2) * limit), limit: String(limit) }, limit);
}

/** Throws 400 for a repeated parameter or more than 255 characters. */
function parseText(query: Query, name: string): string {
  const value = query[name] ?? '';
  if (typeof value !== 'string' || characterCount(value) > MAX_STRING_LENGTH) throw invalidParameter(name);
  return value;
}

function parsePrice(query: Query, name: 'priceFrom' | 'priceTo'): { readonly [Name in typeof name]?: string } {
  const value = parseText(query, name);
  if (value === '') return {};
  if (!PRICE.test(value)) throw invalidParameter(name);
  return { [name]: value };
}

function parseFlag(query: Query, name: string): boolean {
  const value = parseText(query, name);
  const flag = value === '' ? false : parseBoolean(value);
  if (flag === undefined) throw invalidParameter(name);
  return flag;
}
