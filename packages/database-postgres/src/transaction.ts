import type { AuditEntry, DomainEvent } from '@back-office/kernel';
import type { RowsOfEach, Sql, Statement, StatementOfEach } from './sql.js';

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
  /**
   * Runs the last statements of the transaction like {@link WritingSql.runLast}. They travel together, unless one has
   * more than 1,000 rows: the client has one time limit for all that travel together.
   */
  runAllLast(statements: readonly Statement[]): Promise<void>;
  /** Throws when a lock on rows of this kind would violate the lock order. */
  locks(kind: Lockable): void;
  /**
   * Sends a statement whose rows are not needed with the next statement or COMMIT. If it fails, the next one fails. The
   * client has one time limit for both, so defer only one slow statement.
   */
  runDeferred(text: string, values?: readonly unknown[]): Promise<void>;
  /** Runs statements that do not depend on each other's rows in one round trip, and returns the rows of each. */
  rowsOfEach<Rows extends readonly unknown[]>(statements: StatementOfEach<Rows>): Promise<RowsOfEach<Rows>>;
  /** Collects entries, which one statement writes at the end of the transaction. A dry run writes no entries. */
  audit(appId: number, at: Date, entries: readonly AuditEntry[]): void;
  /** Collects events, which one statement writes just before COMMIT. A dry run writes no events. */
  publish(appId: number, at: Date, events: readonly DomainEvent[]): void;
  /**
   * Applies the timeouts of bulk writes. Sends the following statements without names, so that PostgreSQL plans them
   * for their actual values, except those with {@link FIXED_PLAN}. The setting `plan_cache_mode` is not used, because
   * PostgreSQL would then also plan the foreign key check of every row again.
   */
  expectManyRows(): void;
}
