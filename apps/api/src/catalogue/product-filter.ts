import {
  LARGEST_PAGE,
  lengthOf,
  LONGEST_STRING,
  pageOf,
  recordId,
  truth,
  wholeNumber,
  type Page,
} from '@back-office/kernel';
import { HttpProblem } from '../http/errors.js';
import type { LookUp, Named } from './product.query.js';

type Query = Readonly<Record<string, unknown>>;

/** What the list of products is narrowed to; what was not asked for is absent. */
export interface ProductFilter {
  readonly search?: string;
  readonly searchAll?: string;
  readonly lookUps: readonly Named[];
  /** In the currency, as sent. */
  readonly priceFrom?: string;
  readonly priceTo?: string;
  readonly onlyOnStock: boolean;
}

const LOOK_UPS: readonly LookUp[] = ['code', 'barcode', 'slug', 'id'];
const DEFAULT_LIMIT = 10;
const PRICE = /^\d{1,13}(?:\.\d{1,9})?$/;

/** Unusable numbers and flags make the request unreadable; what is empty was not asked for. */
export function productFilter(query: Query): ProductFilter {
  const search = textOf(query, 'search').trim();
  const searchAll = textOf(query, 'searchAll').trim();
  return {
    lookUps: LOOK_UPS.flatMap((by) => {
      const value = textOf(query, by);
      return value === '' ? [] : [{ by, value }];
    }),
    ...(search !== '' && { search }),
    ...(searchAll !== '' && { searchAll }),
    ...priceOf(query, 'priceFrom'),
    ...priceOf(query, 'priceTo'),
    onlyOnStock: flagOf(query, 'onlyOnStock'),
  };
}

/** The one look-up of a query that asks for nothing else: it answers a single product. */
export function singleLookUp({ lookUps, ...others }: ProductFilter): Named | undefined {
  const isAlone = lookUps.length === 1 && Object.keys(others).length === 1 && !others.onlyOnStock;
  return isAlone ? lookUps[0] : undefined;
}

/** Whether a look-up can name a record at all. */
export function isPossible({ by, value }: Named): boolean {
  return by !== 'id' || recordId(value) !== undefined;
}

/** `offset` and `limit`, or `pageNo` (from 1) and `perPage`, where neither of the former can be used. */
export function productPage(query: Query): Page {
  const isNumbered = (query['pageNo'] ?? query['perPage']) !== undefined;
  const isCounted = (wholeNumber(query['offset']) ?? -1) >= 0 || (wholeNumber(query['limit']) ?? 0) >= 1;
  if (!isNumbered || isCounted) return pageOf(query, DEFAULT_LIMIT);
  const { limit } = pageOf({ limit: query['perPage'] }, DEFAULT_LIMIT);
  const number = Math.max(wholeNumber(query['pageNo']) ?? 1, 1);
  return pageOf({ offset: String(Math.min(number - 1, LARGEST_PAGE ** 2) * limit), limit: String(limit) }, limit);
}

/** One text of at most 255 characters; a list of them cannot be meant. */
function textOf(query: Query, name: string): string {
  const value = query[name] ?? '';
  if (typeof value !== 'string' || lengthOf(value) > LONGEST_STRING) throw new HttpProblem(400);
  return value;
}

function priceOf(query: Query, name: 'priceFrom' | 'priceTo'): { readonly [Name in typeof name]?: string } {
  const value = textOf(query, name);
  if (value === '') return {};
  if (!PRICE.test(value)) throw new HttpProblem(400);
  return { [name]: value };
}

function flagOf(query: Query, name: string): boolean {
  const value = textOf(query, name);
  const flag = value === '' ? false : truth(value);
  if (flag === undefined) throw new HttpProblem(400);
  return flag;
}
