import type { RecordedChanges } from '@back-office/kernel';
import type { Sql } from './sql.js';

// To prevent deadlocks, every transaction locks kinds in this order, and rows of one kind in the order of their keys.
export const LOCK_ORDER = [
  'app',
  'token',
  'bulk',
  'warehouse',
  'evaluation',
  'proforma',
  'order',
  'voucher',
  'customer',
  'card',
  'stock',
  'file',
  'device',
  'webhook',
] as const;
export type Lockable = (typeof LOCK_ORDER)[number];

export interface WritingSql extends Sql {
  /**
   * Runs the last statement of the transaction. Sends COMMIT with it, except in a dry run and in the write of a keyed
   * call. Commits nothing when the statement fails. Throws {@link UnknownOutcome} when the connection is lost before
   * the answer to COMMIT.
   */
  runLast<Row>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface Transaction extends WritingSql {
  /** Throws when a lock on rows of this kind would violate the lock order. */
  locks(kind: Lockable): void;
  /** Collects changes, which are written just before COMMIT. A dry run writes none. */
  record(appId: number, at: Date, changes: RecordedChanges): void;
  /**
   * Applies the timeouts of bulk writes. Sends the following statements without names, so that PostgreSQL plans them
   * for their actual values, except those with {@link FIXED_PLAN}. The setting `plan_cache_mode` is not used, because
   * PostgreSQL would then also plan the foreign key check of every row again.
   */
  expectManyRows(): void;
}
