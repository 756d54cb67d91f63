import { TIMEOUTS } from './data-source.js';
import type { Transaction } from './database.js';

/** What a bulk write may be asked for beside its work. */
export interface BulkOptions {
  /** Say of each row how it found its record. */
  readonly explain?: boolean | undefined;
  /** Do everything and take it back. */
  readonly dryRun?: boolean | undefined;
}

/** Up to so many rows, going from each to its like by index beats reading all that the app has. */
const FEW_ROWS = 100;

const LOCK_TIMEOUT = '4500ms';

/**
 * More time, also to wait for one another's locks, and for many rows no join row by row: an app that the statistics do not know yet seems to have one row,
 * and then the planner compares each of ten thousand with each of ten thousand.
 */
function settingsFor(rows: number): string {
  return `set_config('statement_timeout', '${TIMEOUTS.bulkStatement}ms', true),
    set_config('lock_timeout', '${LOCK_TIMEOUT}', true),
    set_config('enable_nestloop', '${rows > FEW_ROWS ? 'off' : 'on'}', true),
    set_config('enable_seqscan', '${rows > FEW_ROWS ? 'on' : 'off'}', true)`;
}

/** To be called first in a transaction that writes in bulk: so many rows are on their way. */
export async function beginBulk(transaction: Transaction, rows: number): Promise<void> {
  transaction.expectManyRows();
  await transaction.rows(`select ${settingsFor(rows)}`);
}

const BULK_TURNS = { warehouses: 1, products: 2, set_up: 3, locations: 4, attributes: 5 } as const;

/**
 * As {@link beginBulk}, for bulk writes that take turns, those of one kind and app: what they match by is unique, and
 * half of it may not exist yet, so row locks alone would let two calls insert the same record.
 */
export async function waitForBulkTurn(
  transaction: Transaction,
  kind: keyof typeof BULK_TURNS,
  appId: number,
  rows: number,
): Promise<void> {
  transaction.locks('bulk');
  transaction.expectManyRows();
  await transaction.rows(`select ${settingsFor(rows)}, pg_advisory_xact_lock($1, ($2::bigint % 2147483647)::int)`, [
    BULK_TURNS[kind],
    appId,
  ]);
}

/** What the rows hold in a field, each value once. */
export function valuesOf<Row, Field extends keyof Row>(rows: readonly Row[], field: Field): NonNullable<Row[Field]>[] {
  const values = new Set<NonNullable<Row[Field]>>();
  for (const { [field]: value } of rows) if (value !== undefined && value !== null) values.add(value);
  return [...values];
}

/** The row of each draft. New rows were inserted in the order of their drafts, so their ids grow in it. */
export function rowsByDraft<Draft extends { readonly id: number | null }, Row extends { readonly id: number }>(
  drafts: readonly Draft[],
  written: readonly Row[],
): Map<Draft, Row> {
  const known = new Set(drafts.map((draft) => draft.id));
  const byId = new Map(written.map((row) => [row.id, row]));
  const fresh = written.filter((row) => !known.has(row.id)).values();
  const rowOf = (draft: Draft): Row => (draft.id === null ? fresh.next().value : byId.get(draft.id)) as Row;
  return new Map(drafts.map((draft) => [draft, rowOf(draft)]));
}
