import type { Actor } from '@back-office/apps';
import type { Party } from './party.js';

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
  readonly isResumed: () => boolean;
  /** Throws inside a transaction, because a network call would prolong its locks. */
  readonly assertOutsideTransaction: (operation: string) => void;
}
