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

/** Schemas of the two ends of a time window. */
export function windowParameters<From extends string, Until extends string>(
  from: From,
  until: Until,
  required = false,
) {
  const parameter = { schema: text, description: MOMENT, required };
  return { [from]: parameter, [until]: parameter } as Readonly<Record<From | Until, typeof parameter>>;
}

/** `dataPart` and `timePart`. Throws 400 when one is missing or invalid. */
export function partsOf(query: Query): { dataPart: number; timePart: number } {
  const dataPart = parseInteger(query['dataPart']);
  const timePart = parseInteger(query['timePart']);
  if (dataPart === undefined || timePart === undefined) throw new HttpProblem(400);
  return { dataPart, timePart };
}

/** Text of a filter; `undefined` when empty. Throws 400 for other types. */
export function textFilter(query: Query, name: string): string | undefined {
  const value = query[name] ?? '';
  if (typeof value !== 'string') throw new HttpProblem(400);
  return value === '' ? undefined : value;
}

/** As {@link textFilter}, trimmed. */
export function searchFilter(query: Query): string | undefined {
  const trimmed = textFilter(query, 'search')?.trim();
  return trimmed === '' ? undefined : trimmed;
}

/** Id of a filter; 0 for an integer that cannot be an id. Throws 400 for other values. */
export function idFilter(query: Query, name: string): number | undefined {
  const value = textFilter(query, name);
  if (value === undefined) return undefined;
  if (parseInteger(value) === undefined) throw new HttpProblem(400);
  return parseRecordId(value) ?? 0;
}

/** From `from` (inclusive) until `until` (exclusive). */
export interface TimeWindow {
  readonly from: Date | undefined;
  readonly before: Date | undefined;
}

const SECOND_MS = 1_000;

/** Reads two inclusive moments. Throws 400 for an invalid one. */
export function windowFilter(query: Query, from: string, until: string): TimeWindow {
  const last = momentFilter(query, until);
  return { from: momentFilter(query, from), before: last && endOfSecond(last) };
}

/** End of the second that a moment is shown as: dates are shown without fractions. */
export function endOfSecond(moment: Date): Date {
  return new Date((Math.floor(moment.getTime() / SECOND_MS) + 1) * SECOND_MS);
}

/** Reads a moment. Throws 400 for an invalid one. */
export function momentFilter(query: Query, name: string): Date | undefined {
  const value = textFilter(query, name);
  if (value === undefined) return undefined;
  const moment = queryMoment(value);
  if (moment === undefined) throw new HttpProblem(400);
  return moment.at;
}

/** As `parseMoment`, but accepts a space for the `+` of an offset, as queries decode it. */
export function queryMoment(value: string): Moment | undefined {
  return parseMoment(value.replace(/^(\S+T\S+) (?=\d\d:\d\d$)/, '$1+'));
}
