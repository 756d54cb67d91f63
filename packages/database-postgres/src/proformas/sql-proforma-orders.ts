import type { Clock, Refusal } from '@back-office/kernel';
import {
  changeOf,
  effectsOf,
  EXTERNAL_REF_TAKEN,
  type CreationDecision,
  type Decision,
  type DueProforma,
  type Proforma,
  type ProformaOrders,
  type StoredChange,
} from '@back-office/proforma';
import { violates } from '../connection/failures.js';
import { existsInAnyApp } from '../checkout/sql-evaluations.js';
import type { Postgres } from '../connection/postgres.js';
import { executeEffects } from './execute-effects.js';
import { insertProforma, WarehouseNotSellable } from './insert-proforma.js';
import { loadProformas } from './proforma-changes.js';
import { toProforma, type ProformaRow } from './proforma-row.js';
import { FIND_DUE_PROFORMAS, loadStatement, type LockMode } from './proforma-statements.js';

const MAX_ATTEMPTS = 5;
const PAYMENT_REFERENCE = 'payments_external_ref_key';

interface ChangeMode {
  readonly lockMode: LockMode;
  readonly isCallerRefunding: boolean;
}
const INTERACTIVE: ChangeMode = { lockMode: 'wait', isCallerRefunding: true };
const BACKGROUND: ChangeMode = { lockMode: 'skip', isCallerRefunding: false };

export class SqlProformaOrders implements ProformaOrders {
  constructor(
    private readonly database: Postgres,
    private readonly clock: Clock,
  ) {}

  async create(appId: number, evaluationId: number, decide: CreationDecision): Promise<Proforma | Refusal> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const proforma = await this.database.transaction((transaction) =>
          insertProforma(transaction, appId, evaluationId, decide, this.clock.now()),
        );
        return proforma ?? (await this.refuseMissing(evaluationId, decide));
      } catch (error) {
        const isRetryable = violates(error, 'proforma_orders_number_key') || error instanceof WarehouseNotSellable;
        if (!isRetryable || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  async find(appId: number, id: number): Promise<Proforma | undefined> {
    const [row] = await this.database.rows<ProformaRow>(loadStatement(1, 'none'), [appId, [id]]);
    return row && toProforma(row);
  }

  async change(appId: number, id: number, decide: Decision): Promise<StoredChange | undefined> {
    return (await this.changeAll(appId, [id], INTERACTIVE, decide))[0];
  }

  changeUnlocked(appId: number, ids: readonly number[], decide: Decision): Promise<readonly StoredChange[]> {
    return this.changeAll(appId, ids, BACKGROUND, decide);
  }

  due(now: Date, { perApp, overall }: Parameters<ProformaOrders['due']>[1]): Promise<readonly DueProforma[]> {
    return this.database.rows(FIND_DUE_PROFORMAS, [now, perApp, overall]);
  }

  /** Looks in other apps after the transaction, so that a lost node of a cluster does not fail it. */
  private async refuseMissing(evaluationId: number, decide: CreationDecision): Promise<Proforma | Refusal> {
    const evaluation = (await existsInAnyApp(this.database, evaluationId)) ? 'of another app' : undefined;
    return decide({ evaluation, stock: [] }, this.clock.now());
  }

  private async changeAll(
    appId: number,
    ids: readonly number[],
    mode: ChangeMode,
    decide: Decision,
  ): Promise<StoredChange[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.changeOnce(appId, ids, mode, decide);
      } catch (error) {
        if (violates(error, PAYMENT_REFERENCE)) return this.refuseReference(appId, ids);
        if (!violates(error, 'orders_order_number_key') || attempt === MAX_ATTEMPTS) throw error;
      }
    }
  }

  /** Only a payment of another proforma can have the reference: `decide` sees those of its own. */
  private async refuseReference(appId: number, ids: readonly number[]): Promise<StoredChange[]> {
    const proformas = await this.database.transaction((transaction) => loadProformas(transaction, appId, ids, 'wait'));
    return proformas.map((proforma) => ({ before: proforma, proforma, refusal: EXTERNAL_REF_TAKEN }));
  }

  private changeOnce(
    appId: number,
    ids: readonly number[],
    { lockMode, isCallerRefunding }: ChangeMode,
    decide: Decision,
  ): Promise<StoredChange[]> {
    return this.database.transaction(async (transaction) => {
      const proformas = await loadProformas(transaction, appId, ids, lockMode);
      const now = this.clock.now();
      const changes = proformas.map((proforma) => changeOf(proforma, decide(proforma, now)));
      return executeEffects(effectsOf(changes, { now, isCallerRefunding }), transaction, appId, { now });
    });
  }
}
