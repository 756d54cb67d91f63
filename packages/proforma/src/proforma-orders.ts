import type { Refusal } from '@back-office/kernel';
import type { CreateFacts } from './create.js';
import type { Proforma } from './proforma.js';

/** Result of a decision. `next` is stored even with a refusal, since the deadline may have changed the proforma. */
export interface Verdict {
  readonly next: Proforma;
  readonly refusal?: Refusal;
  /** Code of the warehouse to try first when a line has to move; the others follow by code. */
  readonly preferredWarehouse?: string | null;
}

export type Decision = (found: Proforma) => Verdict;

export interface Stored {
  readonly before: Proforma;
  /** As stored; every payment has its id. */
  readonly proforma: Proforma;
  readonly refusal?: Refusal;
}

/** An evaluation and its usable stock, both locked. */
export type EvaluationFacts = Pick<CreateFacts, 'evaluation' | 'stock'>;

export interface DueProforma {
  readonly appId: number;
  readonly id: number;
  readonly lines: number;
}

/** Stores proformas and the stock that they reserve. Each call is atomic. */
export interface ProformaOrders {
  /**
   * Makes the only proforma of an evaluation. A refusal by `decide` is returned and nothing is stored. `decide` runs
   * again when its number is taken.
   */
  create(
    appId: number,
    evaluationId: number,
    decide: (facts: EvaluationFacts) => Proforma | Refusal,
  ): Promise<Proforma | Refusal>;
  /** `undefined` when the app has no such proforma. */
  find(appId: number, id: number): Promise<Proforma | undefined>;
  /**
   * Locks the proforma, stores the decision and adapts the reservations; `undefined` when the app has no such proforma.
   * A line that outgrows its warehouse moves to another one that sells, that the evaluation allowed and that has all of
   * it. When there is none, the change is refused and nothing is stored.
   */
  change(appId: number, id: number, decide: Decision): Promise<Stored | undefined>;
  /**
   * Like {@link change} for several proformas of one app; skips those that are locked. The worker asks for their
   * refunds.
   */
  changeUnlocked(appId: number, ids: readonly number[], decide: Decision): Promise<readonly Stored[]>;
  /**
   * Proformas of all apps with a passed deadline to process. Each app's longest overdue comes first, and the first of
   * every app before the second of any. Paid ones with an alert are due only if the app lets paid ones expire.
   */
  due(now: Date, limits: { readonly perApp: number; readonly overall: number }): Promise<readonly DueProforma[]>;
}
