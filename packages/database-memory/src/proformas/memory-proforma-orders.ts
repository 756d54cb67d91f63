import { isRefusal, type Clock, type Refusal } from '@back-office/kernel';
import {
  changeOf,
  effectsOf,
  EXTERNAL_REF_TAKEN,
  type CreationDecision,
  type DecidedChange,
  type Decision,
  type DueProforma,
  type Proforma,
  type ProformaOrders,
  type StoredChange,
} from '@back-office/proforma';
import { evaluationFacts } from '../checkout/evaluation-facts.js';
import { hasOrderNumber } from '../orders/new-order.js';
import type { State } from '../state.js';
import { dueProformas } from './due-proformas.js';
import { executeEffects } from './execute-effects.js';
import { hasProformaNumber, insertProforma } from './new-proforma.js';
import { findProforma, findProformas } from './stored-proformas.js';

const MAX_ATTEMPTS = 5;

export class MemoryProformaOrders implements ProformaOrders {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async create(appId: number, evaluationId: number, decide: CreationDecision): Promise<Proforma | Refusal> {
    return this.state.memory.transaction(() => {
      const now = this.clock.now();
      const facts = evaluationFacts(this.state, appId, evaluationId, now);
      const proforma = retryUntilFree(
        () => decide(facts, now),
        (candidate) => !isRefusal(candidate) && hasProformaNumber(this.state, appId, candidate.number),
      );
      return isRefusal(proforma) ? proforma : insertProforma(this.state, appId, proforma);
    });
  }

  async find(appId: number, id: number): Promise<Proforma | undefined> {
    return findProforma(this.state, appId, id);
  }

  async change(appId: number, id: number, decide: Decision): Promise<StoredChange | undefined> {
    return this.changeAll(appId, [id], decide, true)[0];
  }

  /** Memory has no locks, so no proforma is skipped. */
  async changeUnlocked(appId: number, ids: readonly number[], decide: Decision): Promise<readonly StoredChange[]> {
    return this.changeAll(appId, ids, decide, false);
  }

  async due(now: Date, limits: Parameters<ProformaOrders['due']>[1]): Promise<readonly DueProforma[]> {
    return dueProformas(this.state, now, limits);
  }

  private changeAll(
    appId: number,
    ids: readonly number[],
    decide: Decision,
    isCallerRefunding: boolean,
  ): StoredChange[] {
    return this.state.memory.transaction(() => {
      const now = this.clock.now();
      const proformas = findProformas(this.state, appId, ids);
      const changes = retryUntilFree(
        () => proformas.map((before) => changeOf(before, decide(before, now))),
        (candidates) => this.hasTakenNumber(appId, candidates),
      );
      if (changes.some((change) => this.hasTakenReference(appId, change))) {
        return proformas.map((proforma) => ({ before: proforma, proforma, refusal: EXTERNAL_REF_TAKEN }));
      }
      return executeEffects(effectsOf(changes, { now, isCallerRefunding }), this.state, appId, now);
    });
  }

  private hasTakenReference(appId: number, { before, after }: DecidedChange): boolean {
    const added = after.payments.slice(before.payments.length).flatMap(({ externalRef }) => externalRef ?? []);
    if (added.length === 0) return false;
    const others = this.state.proformas.all(appId).filter(({ id }) => id !== before.id);
    return others.some(({ payments }) => payments.some(({ externalRef }) => added.includes(externalRef ?? '')));
  }

  private hasTakenNumber(appId: number, changes: readonly DecidedChange[]): boolean {
    const newOrders = changes.filter(({ before, after }) => before.converted === null && after.converted !== null);
    const numbers = newOrders.map(({ after }) => after.converted?.orderNumber);
    return (
      new Set(numbers).size < numbers.length || numbers.some((number) => hasOrderNumber(this.state, appId, number))
    );
  }
}

function retryUntilFree<Decided>(decide: () => Decided, isTaken: (decided: Decided) => boolean): Decided {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const decision = decide();
    if (!isTaken(decision)) return decision;
  }
  throw new Error(`Each of ${MAX_ATTEMPTS} numbers was taken`);
}
