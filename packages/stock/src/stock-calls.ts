import { refuse } from '@back-office/kernel';
import type { StockCallOutcome } from './stock.js';
import type { FailedCount, StockChange, StockQuantity } from './stock-plan.js';

export const REFERENCE_TAKEN = refuse('API.Stocks.ReferenceTaken');

export type StockCallKind = 'adjust' | 'reconcile';

/** Returns a text that is equal for calls of the same kind with the same rows. */
export function contentOf(kind: StockCallKind, rows: readonly (StockQuantity | string)[]): string {
  return JSON.stringify([kind, rows]);
}

export interface PlannedCall {
  readonly failed: readonly FailedCount[];
  readonly changes: readonly StockChange[];
}

/** Drops the changes of a call that is all or nothing when one of its rows fails. */
export function limitCall(
  { failed, changes }: PlannedCall,
  rowCount: number,
  isAllOrNothing: boolean,
): PlannedCall & Pick<StockCallOutcome, 'updated'> {
  if (isAllOrNothing && failed.length > 0) return { failed, changes: [], updated: 0 };
  return { failed, changes, updated: rowCount - failed.length };
}
