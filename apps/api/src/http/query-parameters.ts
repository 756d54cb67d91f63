import { wholeNumber } from '@back-office/kernel';
import { HttpProblem } from './errors.js';
import { integer } from './shapes.js';

export const PAGING = {
  offset: { schema: integer, description: 'rows to skip, default 0' },
  limit: { schema: integer, description: 'rows wanted, default 30, at most 10,000' },
};

export const PARTS = {
  dataPart: { schema: integer, description: "the record's data_part", required: true },
  timePart: { schema: integer, description: "the record's time_part", required: true },
};

/** Both parts of a partitioned record's name; a missing or unusable one makes the request unreadable. */
export function partsOf(query: Readonly<Record<string, unknown>>): { dataPart: number; timePart: number } {
  const dataPart = wholeNumber(query['dataPart']);
  const timePart = wholeNumber(query['timePart']);
  if (dataPart === undefined || timePart === undefined) throw new HttpProblem(400);
  return { dataPart, timePart };
}

/** A text to look for; none when it is empty, and unreadable when it is no single text. */
export function textParameter(value: unknown): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string') throw new HttpProblem(400);
  return value;
}
