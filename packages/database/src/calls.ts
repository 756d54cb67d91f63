import type { Actor } from '@back-office/apps';
import type { Party } from './party.js';

/** Kinds of records whose writes can be conditional. */
export type ConditionalKind = 'app' | 'proforma' | 'customer' | 'file' | 'webhook endpoint';

export interface WriteCondition {
  readonly kind: ConditionalKind;
  readonly appId: number;
  /** Id of the record; for an app, its own id. */
  readonly id: number;
  /** Must read the record through the queries of the database, which then return its latest committed state. */
  readonly isMet: () => Promise<boolean>;
}

export interface Calls {
  /** Runs work for a party. Work outside of this function is background work. */
  readonly runFor: <Result>(party: Party, work: () => Promise<Result>) => Promise<Result>;
  /** Runs work whose changes the audit log attributes to the actor. The worker is the actor of all other work. */
  readonly runAs: <Result>(actor: Actor, work: () => Promise<Result>) => Promise<Result>;
  /**
   * Runs the work of a call. `impliesNothingWritten` recognizes errors by which a client concludes that nothing was
   * written. If this call or an earlier one with the same key has written, such an error becomes `UnknownOutcome`.
   */
  readonly track: <Result>(
    work: () => Promise<Result>,
    impliesNothingWritten: (error: unknown) => boolean,
  ) => Promise<Result>;
  /**
   * Runs work that may write only if the condition holds. The record cannot change between the check and the first
   * write. Throws `ConditionFailed` and writes nothing when the condition does not hold.
   */
  readonly runIf: <Result>(condition: WriteCondition, work: () => Promise<Result>) => Promise<Result>;
  readonly isResumed: () => boolean;
  /** Throws inside a transaction, because a network call would prolong its locks. */
  readonly assertOutsideTransaction: (operation: string) => void;
}
