import type { RowOutcome } from '@back-office/kernel';
import type { Explanations } from './explanation.js';

/**
 * A function `plan…(rows, found)` plans a bulk write from the parsed rows and the records that the rows may match.
 * Adapters then write the drafts of the plan.
 */
export interface BulkPlan<Planned> {
  /** One outcome per row, in the order of the rows. Several rows may share a draft. */
  readonly outcomes: readonly RowOutcome<Planned>[];
  /** Explains which identifiers matched. Call `explain` after new records have received their ids. */
  readonly explain: () => Explanations;
}
