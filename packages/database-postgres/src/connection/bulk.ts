import type { Transaction } from './transaction.js';
import { TIMEOUTS } from './timeouts.js';
import { FIXED_PLAN } from './prepared-statements.js';

// Measured: up to this number of rows, index look-ups are faster than a scan.
export const MAX_ROWS_BY_INDEX = 100;

// Planning again costs little compared with writing more rows than this.
const MAX_ROWS_WITH_KEPT_PLANS = 1_000;

/**
 * Another search path makes PostgreSQL plan again what the session has planned. Without statistics, it may have planned
 * foreign key checks with any index that starts with `app_id`, so that each check reads all rows of the app.
 */
const DISCARD_PLANS = `, set_config('search_path', current_setting('search_path') || ', information_schema', true)`;

const LOCK_TIMEOUT = '4500ms';

/**
 * Returns calls that set longer timeouts. For many rows, they also allow scans and disable nested loops. Without
 * statistics, the planner expects only one row of the app, so a nested loop might compare ten thousand rows with ten
 * thousand others.
 */
function settingsFor(rows: number): string {
  return `set_config('statement_timeout', '${TIMEOUTS.bulkStatement}ms', true),
    set_config('lock_timeout', '${LOCK_TIMEOUT}', true),
    set_config('enable_nestloop', '${rows > MAX_ROWS_BY_INDEX ? 'off' : 'on'}', true),
    set_config('enable_seqscan', '${rows > MAX_ROWS_BY_INDEX ? 'on' : 'off'}', true)
    ${rows > MAX_ROWS_WITH_KEPT_PLANS ? DISCARD_PLANS : ''}`;
}

/**
 * Call this function first in its transaction. `rows` is the expected number of
 * rows.
 */
export async function beginBulk(transaction: Transaction, rows: number): Promise<void> {
  transaction.expectManyRows();
  await transaction.rows(`${FIXED_PLAN} select ${settingsFor(rows)}`);
}

const BULK_LOCK_KEYS = { warehouses: 1, products: 2, set_up: 3, locations: 4, attributes: 5 } as const;

/**
 * Begins a bulk write like {@link beginBulk}. Waits for other bulk writes of this kind and app. Row
 * locks would not be enough, because two calls may insert the same new record.
 */
export async function beginLockedBulk(
  transaction: Transaction,
  kind: keyof typeof BULK_LOCK_KEYS,
  appId: number,
  rows: number,
): Promise<void> {
  transaction.locks('bulk');
  transaction.expectManyRows();
  await transaction.rows(
    `${FIXED_PLAN} select ${settingsFor(rows)}, pg_advisory_xact_lock($1, ($2::bigint % 2147483647)::int)`,
    [BULK_LOCK_KEYS[kind], appId],
  );
}

export function valuesOf<Row, Field extends keyof Row>(rows: readonly Row[], field: Field): NonNullable<Row[Field]>[] {
  const values = new Set<NonNullable<Row[Field]>>();
  for (const { [field]: value } of rows) if (value !== undefined && value !== null) values.add(value);
  return [...values];
}

/** Maps each draft to its written row. New rows must have been inserted in the order of their drafts. */
export function rowsByDraft<Draft extends { readonly id: number | null }, Row extends { readonly id: number }>(
  drafts: readonly Draft[],
  rows: readonly Row[],
): Map<Draft, Row> {
  const knownIds = new Set(drafts.map((draft) => draft.id));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const insertedRows = rows.filter((row) => !knownIds.has(row.id)).values();
  const rowOf = (draft: Draft): Row => (draft.id === null ? insertedRows.next().value : byId.get(draft.id)) as Row;
  return new Map(drafts.map((draft) => [draft, rowOf(draft)]));
}
