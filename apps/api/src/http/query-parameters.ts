import {
  isStorable,
  MAX_PAGE_SIZE,
  parseMoment,
  parseRecordId,
  parseInteger,
  parseSorting,
  type Moment,
} from '@back-office/kernel';
import { invalidParameter } from './errors.js';
import type { QueryParameter } from './route.js';
import { integer, text } from './shapes.js';

type Query = Readonly<Record<string, unknown>>;

const isAtLeast =
  (minimum: number) =>
  (value: unknown): boolean =>
    (parseInteger(value) ?? minimum - 1) >= minimum;

/** `OFFSET` is for numbers of skipped rows; `POSITIVE` is for page numbers. */
export const OFFSET = { schema: integer, isUsable: isAtLeast(0) };
export const POSITIVE = { schema: integer, isUsable: isAtLeast(1) };

export const PAGE_SIZE = { ...POSITIVE, maximum: MAX_PAGE_SIZE };

export const PAGING = {
  offset: { ...OFFSET, description: 'rows to skip, default 0' },
  limit: { ...PAGE_SIZE, description: 'rows wanted, default 30, at most 10,000' },
};

/** Searched text of a list that ignores unusable filters. */
export const SEARCHED_TEXT = {
  schema: text,
  isUsable: (value: unknown): boolean => typeof value === 'string' && isStorable(value),
};

export const MOMENT_PARAMETER = {
  schema: text,
  isUsable: (value: unknown): boolean => typeof value === 'string' && parseQueryMoment(value) !== undefined,
};

/** The handler of a list parses the value, and uses the default order for an invalid value. */
export function sortParameter(fields: readonly string[], description: string): QueryParameter {
  return { schema: text, description, isUsable: (value) => parseSorting(value, fields) !== undefined };
}

export const PARTS = {
  dataPart: { schema: integer, description: "the record's data_part", required: true },
  timePart: { schema: integer, description: "the record's time_part", required: true },
};

const MOMENT =
  'a date (its midnight) or a datetime, inclusive, the + of its offset encoded or not; anything else is answered 400';

export function windowParameters<From extends string, Until extends string>(
  from: From,
  until: Until,
  required = false,
) {
  const parameter = { schema: text, description: MOMENT, required };
  return { [from]: parameter, [until]: parameter } as Readonly<Record<From | Until, typeof parameter>>;
}

export const UPDATED_AFTER = {
  updatedAfter: {
    schema: text,
    description: `changed at this time or later: ${MOMENT}`,
  },
  updated_after: { schema: text, description: 'another name of updatedAfter' },
};

/** Returns the minimum time of the changes to list; throws 400 for an invalid time. */
export function parseUpdatedAfter(query: Query): Date | undefined {
  return parseMomentFilter(query, 'updatedAfter') ?? parseMomentFilter(query, 'updated_after');
}

/** Returns `dataPart` and `timePart` of the query; throws 400 when one is missing or invalid. */
export function parseParts(query: Query): { dataPart: number; timePart: number } {
  const dataPart = parseInteger(query['dataPart']);
  const timePart = parseInteger(query['timePart']);
  if (dataPart === undefined) throw invalidParameter('dataPart');
  if (timePart === undefined) throw invalidParameter('timePart');
  return { dataPart, timePart };
}

/** Returns `undefined` for an empty filter; throws 400 when the value is not a string. */
export function parseTextFilter(query: Query, name: string): string | undefined {
  const value = query[name] ?? '';
  if (typeof value !== 'string') throw invalidParameter(name);
  return value === '' ? undefined : value;
}

export function parseSearchFilter(query: Query): string | undefined {
  const trimmed = parseTextFilter(query, 'search')?.trim();
  return trimmed === '' ? undefined : trimmed;
}

/** Returns 0 for an integer outside the range of ids; throws 400 for other invalid values. */
export function parseIdFilter(query: Query, name: string): number | undefined {
  const value = parseTextFilter(query, name);
  if (value === undefined) return undefined;
  if (parseInteger(value) === undefined) throw invalidParameter(name);
  return parseRecordId(value) ?? 0;
}

/** `from` is inclusive, `before` exclusive. */
export interface TimeWindow {
  readonly from: Date | undefined;
  readonly before: Date | undefined;
}

const SECOND_MS = 1_000;

/** Parses the parameters named `from` and `until` as inclusive times. Throws 400 for an invalid time. */
export function parseWindowFilter(query: Query, from: string, until: string): TimeWindow {
  const end = parseMomentFilter(query, until);
  return { from: parseMomentFilter(query, from), before: end && endOfSecond(end) };
}

/** Responses show times without fractions of a second, so an inclusive end covers its whole second. */
export function endOfSecond(moment: Date): Date {
  return new Date((Math.floor(moment.getTime() / SECOND_MS) + 1) * SECOND_MS);
}

/** Returns the time in a query parameter; throws 400 for an invalid time. */
export function parseMomentFilter(query: Query, name: string): Date | undefined {
  const value = parseTextFilter(query, name);
  if (value === undefined) return undefined;
  const moment = parseQueryMoment(value);
  if (moment === undefined) throw invalidParameter(name);
  return moment.at;
}

/** Restores the `+` of an offset, because an unencoded `+` in a query means a space. */
export function parseQueryMoment(value: string): Moment | undefined {
  return parseMoment(value) ?? parseMoment(value.replace(/ (?=[\d:]{2,5}$)/, '+'));
}
