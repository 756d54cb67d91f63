import { parseMoment, recordId, wholeNumber, type Moment } from '@back-office/kernel';
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

/** The two ends of a window, as the reference shows them. */
export function windowParameters<From extends string, Until extends string>(
  from: From,
  until: Until,
  required = false,
) {
  const parameter = { schema: text, description: MOMENT, required };
  return { [from]: parameter, [until]: parameter } as Readonly<Record<From | Until, typeof parameter>>;
}

/** Both parts of a partitioned record's name; a missing or unusable one makes the request unreadable. */
export function partsOf(query: Query): { dataPart: number; timePart: number } {
  const dataPart = wholeNumber(query['dataPart']);
  const timePart = wholeNumber(query['timePart']);
  if (dataPart === undefined || timePart === undefined) throw new HttpProblem(400);
  return { dataPart, timePart };
}

/** The text of a filter. An empty one filters nothing; one that is no text makes the request unreadable. */
export function textFilter(query: Query, name: string): string | undefined {
  const value = query[name] ?? '';
  if (typeof value !== 'string') throw new HttpProblem(400);
  return value === '' ? undefined : value;
}

/** As {@link textFilter}, without the spaces around what is sought. */
export function searchFilter(query: Query): string | undefined {
  const sought = textFilter(query, 'search')?.trim();
  return sought === '' ? undefined : sought;
}

/** The id of a filter, 0 for a number that no record can have; one that is no integer makes the request unreadable. */
export function idFilter(query: Query, name: string): number | undefined {
  const value = textFilter(query, name);
  if (value === undefined) return undefined;
  if (wholeNumber(value) === undefined) throw new HttpProblem(400);
  return recordId(value) ?? 0;
}

/** From the one moment on, and before the other. */
export interface TimeWindow {
  readonly from: Date | undefined;
  readonly before: Date | undefined;
}

const SECOND_MS = 1_000;

/** Two moments, both inclusive; an unusable one makes the request unreadable. */
export function windowFilter(query: Query, from: string, until: string): TimeWindow {
  const last = momentFilter(query, until);
  return { from: momentFilter(query, from), before: last && endOfSecond(last) };
}

/** A datetime is shown without its fraction: whatever is shown as this second lies before its end. */
export function endOfSecond(moment: Date): Date {
  return new Date((Math.floor(moment.getTime() / SECOND_MS) + 1) * SECOND_MS);
}

/** A moment; an unusable one makes the request unreadable. */
export function momentFilter(query: Query, name: string): Date | undefined {
  const value = textFilter(query, name);
  if (value === undefined) return undefined;
  const moment = queryMoment(value);
  if (moment === undefined) throw new HttpProblem(400);
  return moment.at;
}

/** As `parseMoment`; the `+` of an offset may have arrived as a space, which is what it means in a query. */
export function queryMoment(value: string): Moment | undefined {
  return parseMoment(value.replace(/^(\S+T\S+) (?=\d\d:\d\d$)/, '$1+'));
}
