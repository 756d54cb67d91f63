import type { Clock, Refusal } from '@back-office/kernel';
import {
  changeOf,
  EXTERNAL_REF_TAKEN,
  proformaEntries,
  storedChangeOf,
  type CreationDecision,
  type DecidedChange,
  type Decision,
  type DueProforma,
  type Proforma,
  type ProformaOrders,
  type StoredChange,
} from '@back-office/proforma';
import type { Transaction } from '../connection/transaction.js';
import { violates } from '../connection/failures.js';
import { existsInAnyApp } from '../checkout/sql-evaluations.js';
import type { Postgres } from '../connection/postgres.js';
import { writeConsequences } from './consequences.js';
import { insertProforma, WarehouseNotSellable } from './insert-proforma.js';
import {
  loadProformas,
  saveProformasStatement,
  withPaymentIds,
  withRefundKeys,
  type SavedIds,
} from './proforma-changes.js';
import { toProforma, type ProformaRow } from './proforma-row.js';
import { reserveStock } from './reserve-stock.js';
import { FIND_DUE_PROFORMAS, loadStatement, type LockMode } from './proforma-statements.js';

const MAX_ATTEMPTS = 5;
const PAYMENT_REFERENCE = 'payments_external_ref_key';

/** `requestsRefunds` is true if the caller requests the new refunds, and false if the worker will. */
interface ChangeMode {
  readonly lockMode: LockMode;
  readonly requestsRefunds: boolean;
}
const INTERACTIVE: ChangeMode = { lockMode: 'wait', requestsRefunds: true };
const BACKGROUND: ChangeMode = { lockMode: 'skip', requestsRefunds: false };

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
    mode: ChangeMode,
    decide: Decision,
  ): Promise<StoredChange[]> {
    return this.database.transaction(async (transaction) => {
      const proformas = await loadProformas(transaction, appId, ids, mode.lockMode);
      const now = this.clock.now();
      const changesToStore = await writeConsequences(
        transaction,
        appId,
        proformas.map((proforma) => changeOf(proforma, decide(proforma, now))),
        now,
      );
      const changes = await reserveStock(transaction, appId, changesToStore);
      return storeChanges(transaction, appId, changes, mode, now);
    });
  }
}

async function storeChanges(
  transaction: Transaction,
  appId: number,
  changes: readonly DecidedChange[],
  mode: ChangeMode,
  now: Date,
): Promise<StoredChange[]> {
  const actualChanges = changes.filter(({ before, after }) => before !== after).map(withRefundKeys);
  if (actualChanges.length === 0) return changes.map(storedChangeOf);
  transaction.record(appId, now, { entries: proformaEntries(actualChanges) });
  const { text, values } = saveProformasStatement(appId, actualChanges, mode.requestsRefunds, now);
  const [saved] = await transaction.runLast<SavedIds>(text, values);
  const ids = [...(saved?.addedPayments ?? [])];
  const savedChanges = new Map(actualChanges.map((change) => [change.before, withPaymentIds(change, ids)]));
  return changes.map((change) => storedChangeOf(savedChanges.get(change.before) ?? change));
}
