import type { RowOutcome } from '@back-office/kernel';
import type { Explanations } from './explanation.js';

/**
 * The plan of a bulk write. A function `plan…(rows, found)` makes it of the parsed rows and the records that they may
 * name. Adapters then write its drafts.
 */
export interface BulkPlan<Planned> {
  /** One per row, in input order. Rows may share a draft. */
  readonly outcomes: readonly RowOutcome<Planned>[];
  /** Explains how rows found their records. Call it after new records have their ids. */
  readonly explain: () => Explanations;
}
