export const MAX_PAGE_SIZE = 10_000;
const MAX_OFFSET = 2 ** 31;
const MAX_INTEGER = 2 ** 53;

export interface Page {
  readonly offset: number;
  readonly limit: number;
  /** The page starts after this position; `offset` is then 0. */
  readonly after?: Position;
}

/** Values by which a listed record is sorted; the last one is its id. Adapters choose the format of the texts. */
export type Position = readonly (string | null)[];

export interface ListedPage {
  /** JSON text in the format of the API. */
  readonly json: string;
  /** Position of the last record of a full page; null when no record can follow. */
  readonly end: Position | null;
}

/** The position belongs to another sort order, or this adapter did not create it. */
export class InvalidPosition extends Error {
  override readonly name = 'InvalidPosition';
}

// Compares the name, because an adapter may load another copy of the class.
export function isInvalidPosition(error: unknown): error is InvalidPosition {
  return error instanceof Error && error.name === 'InvalidPosition';
}

export type QueryValue = unknown;

/** Parses an integer of any length and clamps it to ±2^53; returns `undefined` for an invalid value. */
export function parseInteger(value: QueryValue): number | undefined {
  if (typeof value !== 'string' || !/^-?\d+$/.test(value)) return undefined;
  return Math.max(-MAX_INTEGER, Math.min(Number(value), MAX_INTEGER));
}

export function parseBoolean(value: QueryValue): boolean | undefined {
  if (value === 'true' || value === '1') return true;
  if (value === 'false' || value === '0') return false;
  return undefined;
}

/** Parses `offset` and `limit`. Replaces an invalid value by its default, and a larger value by its maximum. */
export function parsePage(query: Readonly<Record<string, QueryValue>>, defaultLimit: number): Page {
  const offset = parseInteger(query['offset']) ?? 0;
  const limit = parseInteger(query['limit']) ?? defaultLimit;
  return {
    offset: offset < 0 ? 0 : Math.min(offset, MAX_OFFSET),
    limit: limit < 1 ? defaultLimit : Math.min(limit, MAX_PAGE_SIZE),
  };
}

export interface Sorting<Field extends string = string> {
  readonly field: Field;
  readonly direction: 'asc' | 'desc';
}

/** Parses `field`, `field asc` or `field desc`; returns `undefined` for an invalid value or an unknown field. */
export function parseSorting<Field extends string>(
  orderBy: QueryValue,
  fields: readonly Field[],
): Sorting<Field> | undefined {
  const [, name, direction = 'asc'] =
    /^([a-z_]+)(?: (asc|desc))?$/.exec(typeof orderBy === 'string' ? orderBy : '') ?? [];
  const field = fields.find((one) => one === name);
  return field && { field, direction: direction as Sorting['direction'] };
}

/** Parses an id of a path or query; returns `undefined` unless it is a positive safe integer. */
export function parseRecordId(value: QueryValue): number | undefined {
  const id = parseInteger(value);
  return id !== undefined && id > 0 && Number.isSafeInteger(id) ? id : undefined;
}

/** Replaces an id that no record can have by 0, because databases refuse ids out of range. */
export function toLookupId(id: number): number {
  return Number.isSafeInteger(id) ? id : 0;
}

export function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
