import { badRequest, HttpProblem } from './errors.js';
import { requestProblem } from './problems.js';

/** Maximum number of rows in a bulk call; more rows get 413. */
export const MAX_ROWS = 10_000;

/**
 * Returns the rows without validating each of them, because decorators are slow for 10,000 rows. Throws 400 without a
 * list, and 413 for too many rows.
 */
export function rowsOf(body: object, key: string): readonly unknown[] {
  const rows = (body as Record<string, unknown>)[key];
  if (!Array.isArray(rows)) throw badRequest('Request.MissingField', { pointer: `/${key}` });
  if (rows.length > MAX_ROWS) throw tooManyEntries(MAX_ROWS, `/${key}`);
  return rows;
}

/** A call with more nested entries would exceed its timeout. */
const MAX_NESTED_ENTRIES = 30_000;

export function assertNestedLimit(count: number): void {
  if (count > MAX_NESTED_ENTRIES) throw tooManyEntries(MAX_NESTED_ENTRIES);
}

export function tooManyEntries(maximum: number, pointer?: string): HttpProblem {
  const place = { ...(pointer !== undefined && { pointer }), details: { maximum } };
  return new HttpProblem(413, {}, [requestProblem('Request.TooLarge', place)]);
}
