import type { Refusal } from '@back-office/kernel';
import type { CreateFacts } from './create.js';
import type { Proforma } from './proforma.js';

/**
 * Result of a {@link Decision}. `next` is stored even with a refusal: a call after the deadline expires the proforma.
 */
export interface Verdict {
  readonly next: Proforma;
  readonly refusal?: Refusal;
  /** Code of the warehouse to try first when a line must move to another one. The other warehouses follow by code. */
  readonly preferredWarehouse?: string | null;
}

/** `now` is the time of the transaction: all that it stores and publishes has this time. */
export type Decision = (proforma: Proforma, now: Date) => Verdict;
export type CreationDecision = (facts: EvaluationFacts, now: Date) => Proforma | Refusal;

export interface StoredChange {
  readonly before: Proforma;
  readonly proforma: Proforma;
  readonly refusal?: Refusal;
}

/** The evaluation and the stock rows must be locked. */
export type EvaluationFacts = Pick<CreateFacts, 'evaluation' | 'stock'>;

export interface DueProforma {
  readonly appId: number;
  readonly id: number;
  readonly lines: number;
}

/** Stores proformas and the stock that they reserve. Each call is atomic. */
export interface ProformaOrders {
  /**
   * Creates a proforma from an evaluation. An evaluation can have only one proforma. If `decide` refuses, stores
   * nothing and returns the refusal. If the number of the new proforma is taken, calls `decide` again.
   */
  create(appId: number, evaluationId: number, decide: CreationDecision): Promise<Proforma | Refusal>;
  /** Returns `undefined` when the app has no such proforma. */
  find(appId: number, id: number): Promise<Proforma | undefined>;
  /**
   * Locks the proforma, stores the decision and adapts the reservations. Returns `undefined` when the app has no such
   * proforma. If a warehouse has too few pieces for a line, the line moves to another warehouse. The other warehouse must
   * be sellable, have all pieces and be allowed by the evaluation. If there is none, refuses the change and stores
   * nothing.
   */
  change(appId: number, id: number, decide: Decision): Promise<StoredChange | undefined>;
  /**
   * Changes several proformas of one app like {@link change}, but skips locked ones. The worker, not the caller,
   * requests the new refunds.
   */
  changeUnlocked(appId: number, ids: readonly number[], decide: Decision): Promise<readonly StoredChange[]>;
  /**
   * Returns the overdue proformas that must be processed, of all apps. Apps take turns: the longest overdue proforma of
   * each app comes before the second one of any app. A paid proforma with an alert is due only if its app lets paid
   * proformas expire.
   */
  due(now: Date, limits: { readonly perApp: number; readonly overall: number }): Promise<readonly DueProforma[]>;
}
