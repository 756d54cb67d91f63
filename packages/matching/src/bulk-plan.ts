import type { RowOutcome } from '@back-office/kernel';
import type { Explanations } from './explanation.js';

/**
 * A function `plan…(rows, found)` makes the plan of a bulk write from the parsed rows and the records that they may
 * name. Adapters then write its drafts.
 */
export interface BulkPlan<Planned> {
  /** The list has one outcome per row, in input order. Rows may share a draft. */
  readonly outcomes: readonly RowOutcome<Planned>[];
  /** Explains how rows found their records. It must be called after new records have their ids. */
  readonly explain: () => Explanations;
}
