import type { Page } from '@back-office/kernel';
import type { Placeholder } from './placeholders.js';

/** SQL of the rows that a page skips and returns. */
export interface PageBounds {
  readonly clause: string;
  readonly limit: string;
  /** Number of rows before the end of the page. */
  readonly end: string;
}

const COMMON_LIMITS: readonly number[] = [1, 5, 10, 20, 25, 30, 50, 100, 200, 500, 1_000];

/**
 * Writes common limits as literals. For a limit that is a parameter, the planner expects a tenth of all rows, so
 * PostgreSQL would plan the statement again in each call.
 */
export function pageBounds({ offset, limit }: Page, value: Placeholder): PageBounds {
  if (offset === 0 && COMMON_LIMITS.includes(limit)) {
    const text = String(limit);
    return { clause: `limit ${text}`, limit: text, end: text };
  }
  const skipped = `${value(offset)}::bigint`;
  const wanted = `${value(limit)}::bigint`;
  return { clause: `offset ${skipped} limit ${wanted}`, limit: wanted, end: `${skipped} + ${wanted}` };
}
