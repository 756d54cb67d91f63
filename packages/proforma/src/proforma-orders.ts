import type { Refusal } from '@back-office/kernel';
import type { CreateFacts } from './create.js';
import type { Proforma } from './proforma.js';

/** What a decision makes of a proforma. With a refusal, `next` is still stored: a deadline may have been met on the way. */
export interface Verdict {
  readonly next: Proforma;
  readonly refusal?: Refusal;
  /** Code of the warehouse that is asked first when a line has to move; the others follow by code. */
  readonly preferredWarehouse?: string | null;
}

export type Decision = (found: Proforma) => Verdict;

export interface Stored {
  readonly before: Proforma;
  /** As it is now, every payment with its id. */
  readonly proforma: Proforma;
  readonly refusal?: Refusal;
}

/** The locked facts of an evaluation: its contents and the stock that may be used for it. */
export type EvaluationFacts = Pick<CreateFacts, 'evaluation' | 'stock'>;

export interface DueProforma {
  readonly appId: number;
  readonly id: number;
  /** How many lines it has. */
  readonly lines: number;
}

/** Where proformas live, together with the stock that they reserve. Each call is one atomic step. */
export interface ProformaOrders {
  /**
   * Makes a proforma of an evaluation, at most one for ever. `decide` sees locked facts; its refusal is the answer
   * and nothing is stored. Called again with another number when the number was taken.
   */
  create(
    appId: number,
    evaluationId: number,
    decide: (facts: EvaluationFacts) => Proforma | Refusal,
  ): Promise<Proforma | Refusal>;
  /** `undefined` when the app has no such proforma. */
  find(appId: number, id: number): Promise<Proforma | undefined>;
  /**
   * Locks the proforma, stores what the decision makes of it and adapts its reservations. `undefined` when the app
   * has no such proforma. A line that grows and whose warehouse has too little moves whole to another one that sells
   * and that the evaluation allowed; when none holds all of it, the change is refused and nothing is stored.
   */
  change(appId: number, id: number, decide: Decision): Promise<Stored | undefined>;
  /**
   * As {@link change}, for several proformas of one app; those that somebody else is changing are left out. Refunds that
   * follow are left to whoever pays out what is due.
   */
  changeUnlocked(appId: number, ids: readonly number[], decide: Decision): Promise<readonly Stored[]>;
  /**
   * Proformas of all apps whose deadline has come and still has something to do: so many of an app at most, its longest
   * overdue first, and so many in all, the first of each app before the second of any. Paid ones that have their alert
   * are due only where the app lets paid ones expire.
   */
  due(now: Date, most: { readonly ofAnApp: number; readonly inAll: number }): Promise<readonly DueProforma[]>;
}
