/** Largest page of every list; a larger wish is clamped. */
export const LARGEST_PAGE = 10_000;
const LARGEST_OFFSET = 2 ** 31;
const BEYOND = 2 ** 53;

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** The value of a query parameter as it arrives: text, a list of texts, or something unusable. */
export type QueryValue = unknown;

/** A whole number of any length; one beyond ±2^53 is read as ±2^53, which is beyond everything that is counted here. */
export function wholeNumber(value: QueryValue): number | undefined {
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) return undefined;
  return Math.max(-BEYOND, Math.min(Number(value), BEYOND));
}

/** `true`/`1` and `false`/`0`; anything else is unusable. */
export function truth(value: QueryValue): boolean | undefined {
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  return undefined;
}

/** `offset` and `limit`, unusable values replaced by their defaults. */
export function pageOf(query: Readonly<Record<string, QueryValue>>, defaultLimit: number): Page {
  const offset = wholeNumber(query['offset']) ?? 0;
  const limit = wholeNumber(query['limit']) ?? defaultLimit;
  return {
    offset: offset < 0 ? 0 : Math.min(offset, LARGEST_OFFSET),
    limit: limit < 1 ? defaultLimit : Math.min(limit, LARGEST_PAGE),
  };
}

export interface Sorting {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

/** `field`, `field asc` or `field desc` of one of the fields; anything else asks for no order. */
export function sortingOf(orderBy: QueryValue, fields: readonly string[]): Sorting | undefined {
  const [, field = '', direction = 'asc'] =
    /^([a-z_]+)(?: (asc|desc))?$/.exec(typeof orderBy === 'string' ? orderBy : '') ?? [];
  return fields.includes(field) ? { field, direction: direction as Sorting['direction'] } : undefined;
}

/** A record id from a path or a query: a whole number that a record can have, else `undefined`. */
export function recordId(value: QueryValue): number | undefined {
  const id = wholeNumber(value);
  return id !== undefined && id > 0 && Number.isSafeInteger(id) ? id : undefined;
}

/** The id of a body as one to look up: 0, which no record has, for a whole number that no record can have. */
export function lookUpId(id: number): number {
  return Number.isSafeInteger(id) ? id : 0;
}

/** Makes a text match itself in SQL's LIKE with `\` as escape character. */
export function likeLiteral(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
