import { parseMoment, parseRecordId, parseInteger, type Moment } from '@back-office/kernel';
import { HttpProblem } from './errors.js';
import { integer, text } from './shapes.js';

type Query = Readonly<Record<string, unknown>>;

export const PAGING = {
  offset: { schema: integer, description: 'rows to skip, default 0' },
  limit: { schema: integer, description: 'rows wanted, default 30, at most 10,000' },
};

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
  updated_after: {
    schema: text,
    description: `changed at this time or later: ${MOMENT}`,
  },
};

/** Throws 400 for an invalid moment. */
export function parseUpdatedAfter(query: Query): Date | undefined {
  return parseMomentFilter(query, 'updated_after');
}

/** Throws 400 when a part is missing or invalid. */
export function parseParts(query: Query): { dataPart: number; timePart: number } {
  const dataPart = parseInteger(query['dataPart']);
  const timePart = parseInteger(query['timePart']);
  if (dataPart === undefined || timePart === undefined) throw new HttpProblem(400);
  return { dataPart, timePart };
}

/** Returns `undefined` for an empty filter; throws 400 when the value is not a text. */
export function parseTextFilter(query: Query, name: string): string | undefined {
  const value = query[name] ?? '';
  if (typeof value !== 'string') throw new HttpProblem(400);
  return value === '' ? undefined : value;
}

export function parseSearchFilter(query: Query): string | undefined {
  const trimmed = parseTextFilter(query, 'search')?.trim();
  return trimmed === '' ? undefined : trimmed;
}

/** Returns 0 for an integer that cannot be an id; throws 400 for other values. */
export function parseIdFilter(query: Query, name: string): number | undefined {
  const value = parseTextFilter(query, name);
  if (value === undefined) return undefined;
  if (parseInteger(value) === undefined) throw new HttpProblem(400);
  return parseRecordId(value) ?? 0;
}

/** `from` is inclusive, `before` exclusive. */
export interface TimeWindow {
  readonly from: Date | undefined;
  readonly before: Date | undefined;
}

const SECOND_MS = 1_000;

/** Both ends are inclusive. Throws 400 for an invalid moment. */
export function parseWindowFilter(query: Query, from: string, until: string): TimeWindow {
  const end = parseMomentFilter(query, until);
  return { from: parseMomentFilter(query, from), before: end && endOfSecond(end) };
}

/** Times are shown without fractions, so an inclusive end covers its whole second. */
export function endOfSecond(moment: Date): Date {
  return new Date((Math.floor(moment.getTime() / SECOND_MS) + 1) * SECOND_MS);
}

/** Throws 400 for an invalid moment. */
export function parseMomentFilter(query: Query, name: string): Date | undefined {
  const value = parseTextFilter(query, name);
  if (value === undefined) return undefined;
  const moment = parseQueryMoment(value);
  if (moment === undefined) throw new HttpProblem(400);
  return moment.at;
}

/** Accepts a space for the `+` of an offset, since queries decode `+` as a space. */
export function parseQueryMoment(value: string): Moment | undefined {
  return parseMoment(value.replace(/ (?=\d\d:\d\d$)/, '+'));
}
