import { mapSteps, runSteps, type Steps } from './steps.js';

export type ParsedRow<Row> = Row | string;

export type RowOutcome<Planned> = Planned | string;

export interface FailedRow {
  readonly row: number;
  readonly key: string;
}

/** Reason why an all-or-nothing call wrote nothing: a failed row, or a rule of the whole call. */
export interface RejectionReason {
  readonly row?: number;
  readonly key: string;
}

/** Reasons in the order of the rows. Nothing was written. */
export interface RejectedRows {
  readonly failures: readonly RejectionReason[];
}

export function planRows<Row, Planned>(
  rows: readonly ParsedRow<Row>[],
  plan: (row: Row, index: number) => RowOutcome<Planned>,
): RowOutcome<Planned>[] {
  return runSteps(planRowSteps(rows, plan));
}

export function planRowSteps<Row, Planned>(
  rows: readonly ParsedRow<Row>[],
  plan: (row: Row, index: number) => RowOutcome<Planned>,
): Steps<RowOutcome<Planned>[]> {
  return mapSteps(rows, (row, index) => (typeof row === 'string' ? row : plan(row, index)));
}

export function plannedOf<Planned>(outcomes: readonly RowOutcome<Planned>[]): Planned[] {
  return outcomes.filter((outcome): outcome is Exclude<Planned, string> => typeof outcome !== 'string');
}

export function failedRows(outcomes: readonly RowOutcome<unknown>[]): FailedRow[] {
  return outcomes.flatMap((key, row) => (typeof key === 'string' ? [{ row, key }] : []));
}

/** Returns the rejection of an all-or-nothing call; `undefined` when no row fails. */
export function rejectionOf(outcomes: readonly RowOutcome<unknown>[]): RejectedRows | undefined {
  const failures = failedRows(outcomes);
  return failures.length === 0 ? undefined : { failures };
}
