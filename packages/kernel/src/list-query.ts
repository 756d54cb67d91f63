export const MAX_PAGE_SIZE = 10_000;
const MAX_OFFSET = 2 ** 31;
const MAX_INTEGER = 2 ** 53;

export interface Page {
  readonly offset: number;
  readonly limit: number;
  /** Starts after this position; `offset` is 0 then. */
  readonly after?: Position;
}

/** Values of the sort keys of a listed record, the last one its id. Adapters choose the form of the texts. */
export type Position = readonly (string | null)[];

export interface ListedPage {
  /** JSON text in the shape of the API. */
  readonly json: string;
  /** Position of the last record if the page is full; null when no record can follow. */
  readonly end: Position | null;
}

/** A position that belongs to another order, or that was not made by the adapter. */
export class InvalidPosition extends Error {
  override readonly name = 'InvalidPosition';
}

// The name is compared because an adapter may load another copy of the class.
export function isInvalidPosition(error: unknown): error is InvalidPosition {
  return error instanceof Error && error.name === 'InvalidPosition';
}

export type QueryValue = unknown;

/** Parses a whole number of any length and clamps it to ±2^53. Returns `undefined` for any other value. */
export function parseInteger(value: QueryValue): number | undefined {
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) return undefined;
  return Math.max(-MAX_INTEGER, Math.min(Number(value), MAX_INTEGER));
}

export function parseBoolean(value: QueryValue): boolean | undefined {
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  return undefined;
}

/** Parses `offset` and `limit`. Invalid values get their defaults; a larger limit becomes {@link MAX_PAGE_SIZE}. */
export function parsePage(query: Readonly<Record<string, QueryValue>>, defaultLimit: number): Page {
  const offset = parseInteger(query['offset']) ?? 0;
  const limit = parseInteger(query['limit']) ?? defaultLimit;
  return {
    offset: offset < 0 ? 0 : Math.min(offset, MAX_OFFSET),
    limit: limit < 1 ? defaultLimit : Math.min(limit, MAX_PAGE_SIZE),
  };
}

export interface Sorting {
  readonly field: string;
  readonly direction: 'asc' | 'desc';
}

/** Parses `field`, `field asc` or `field desc`. Returns `undefined` for any other value or field. */
export function parseSorting(orderBy: QueryValue, fields: readonly string[]): Sorting | undefined {
  const [, field = '', direction = 'asc'] =
    /^([a-z_]+)(?: (asc|desc))?$/.exec(typeof orderBy === 'string' ? orderBy : '') ?? [];
  return fields.includes(field) ? { field, direction: direction as Sorting['direction'] } : undefined;
}

/** Parses an id of a path or query. Returns `undefined` unless it is a positive safe integer. */
export function parseRecordId(value: QueryValue): number | undefined {
  const id = parseInteger(value);
  return id !== undefined && id > 0 && Number.isSafeInteger(id) ? id : undefined;
}

/** Replaces an id that no record can have by 0, which databases accept. */
export function toLookupId(id: number): number {
  return Number.isSafeInteger(id) ? id : 0;
}

export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
