import type { Actor } from '@back-office/apps';
import type { Party } from './party.js';

/** Kinds of records whose writes can be conditional. */
export type ConditionalKind = 'app' | 'proforma' | 'customer' | 'file' | 'webhook endpoint';

export interface WriteCondition {
  readonly kind: ConditionalKind;
  readonly appId: number;
  /** Id of the record; for an app, its own id. */
  readonly id: number;
  /** Reads the record by queries of the database. They see its latest committed state. */
  readonly isMet: () => Promise<boolean>;
}

export interface Calls {
  /** Runs work on behalf of a party. Work without a party is background work. */
  readonly runFor: <Result>(party: Party, work: () => Promise<Result>) => Promise<Result>;
  /** Runs work whose changes the audit log attributes to the actor. Work without an actor belongs to the worker. */
  readonly runAs: <Result>(actor: Actor, work: () => Promise<Result>) => Promise<Result>;
  /**
   * Runs the work of a call. `impliesNothingWritten` recognizes errors that tell the client that nothing was written.
   * If this call or an earlier one with the same key has written, such an error becomes `UnknownOutcome`.
   */
  readonly track: <Result>(
    work: () => Promise<Result>,
    impliesNothingWritten: (error: unknown) => boolean,
  ) => Promise<Result>;
  /**
   * Runs work whose first write happens only if the condition holds. No other write changes the record between the check
   * and that write. Throws `ConditionFailed` and writes nothing when the condition does not hold.
   */
  readonly runIf: <Result>(condition: WriteCondition, work: () => Promise<Result>) => Promise<Result>;
  readonly isResumed: () => boolean;
  /** Throws inside a transaction, because a network call would prolong its locks. */
  readonly assertOutsideTransaction: (operation: string) => void;
}
