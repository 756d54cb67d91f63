import { isRefusal, type Clock, type Refusal } from '@back-office/kernel';
import {
  changeOf,
  EXTERNAL_REF_TAKEN,
  paymentEntries,
  reservationChanges,
  releasedVouchers,
  storedChangeOf,
  type CreationDecision,
  type DecidedChange,
  type Decision,
  type DueProforma,
  type Proforma,
  type ProformaOrders,
  type StoredChange,
} from '@back-office/proforma';
import type { Transaction } from '../transaction.js';
import { isDivisionByZero, violates } from '../failures.js';
import { existsInAnyApp } from '../checkout/sql-evaluations.js';
import type { Postgres } from '../postgres.js';
import { WriteOnce } from '../write-once.js';
import { writeConsequences } from './consequences.js';
import { isPlainConversion, onlyPlainConversion, storeConversion } from './conversion.js';
import { insertProforma, WarehouseNotSellable } from './insert-proforma.js';
import {
  loadProformas,
  saveProformasStatement,
  withPaymentIds,
  withRefundKeys,
  type SavedIds,
} from './proforma-changes.js';
import { toProforma, type ProformaRow } from './proforma-row.js';
import { RememberedProformas, type VersionedProforma } from './remembered-proformas.js';
import { reserveStock } from './reserve-stock.js';
import { FIND_DUE_PROFORMAS, loadStatement, type LockMode } from './proforma-statements.js';

const MAX_ATTEMPTS = 5;
const FIRST_VERSION = 1;
const PAYMENT_REFERENCE = 'payments_external_ref_key';
const UNIQUE_VALUES = ['orders_order_number_key', PAYMENT_REFERENCE];

type VersionedChange = StoredChange & { readonly version: number };

/** `requestsRefunds` is true if the caller requests the new refunds, and false if the worker will. */
interface ChangeMode {
  readonly lockMode: LockMode;
  readonly requestsRefunds: boolean;
}
const INTERACTIVE: ChangeMode = { lockMode: 'wait', requestsRefunds: true };
const BACKGROUND: ChangeMode = { lockMode: 'skip', requestsRefunds: false };

export class SqlProformaOrders implements ProformaOrders {
  private readonly remembered = new RememberedProformas();

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
        if (proforma === undefined) return await this.refuseMissing(evaluationId, decide);
        if (!isRefusal(proforma)) this.remember(appId, proforma, FIRST_VERSION);
        return proforma;
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
    const known = this.remembered.take(appId, id);
    const storedChange =
      (known && (await this.changeKnown(appId, known, decide))) ??
      (await this.changeAll(appId, [id], INTERACTIVE, decide))[0];
    if (storedChange === undefined) return undefined;
    this.remember(appId, storedChange.proforma, storedChange.version);
    return withoutVersion(storedChange);
  }

  async changeUnlocked(appId: number, ids: readonly number[], decide: Decision): Promise<readonly StoredChange[]> {
    const storedChanges = await this.changeAll(appId, ids, BACKGROUND, decide);
    return storedChanges.map(withoutVersion);
  }

  due(now: Date, { perApp, overall }: Parameters<ProformaOrders['due']>[1]): Promise<readonly DueProforma[]> {
    return this.database.rows(FIND_DUE_PROFORMAS, [now, perApp, overall]);
  }

  /** Looks in other apps after the transaction, so that a lost node of a cluster does not fail it. */
  private async refuseMissing(evaluationId: number, decide: CreationDecision): Promise<Proforma | Refusal> {
    const evaluation = (await existsInAnyApp(this.database, evaluationId)) ? 'of another app' : undefined;
    return decide({ evaluation, stock: [] }, this.clock.now());
  }

  /** A repeated keyed call returns the proforma of its first run, which may have changed since. */
  private remember(appId: number, proforma: Proforma, version: number): void {
    if (!WriteOnce.isResumed()) this.remembered.remember(appId, { proforma, version });
  }

  /**
   * Changes a known proforma without reading it. Returns `undefined` if the change must read records, or if the
   * proforma has changed.
   */
  private async changeKnown(
    appId: number,
    known: VersionedProforma,
    decide: Decision,
  ): Promise<VersionedChange | undefined> {
    const now = this.clock.now();
    const change = changeOf(known.proforma, decide(known.proforma, now));
    if (change.refusal || !(isPlainChange(change) || isPlainConversion(change))) return undefined;
    try {
      const changes = await this.database.transaction(async (transaction) => {
        transaction.locks('proforma');
        const storedChanges = await storeChanges(transaction, appId, [change], INTERACTIVE, now, known.version);
        return storedChanges.map((storedChange) => ({ version: known.version + 1, ...storedChange }));
      });
      return changes[0];
    } catch (error) {
      // A division by zero means that the proforma no longer has this version. Nothing was written.
      if (isDivisionByZero(error) || UNIQUE_VALUES.some((constraint) => violates(error, constraint))) return undefined;
      throw error;
    }
  }

  private async changeAll(
    appId: number,
    ids: readonly number[],
    mode: ChangeMode,
    decide: Decision,
  ): Promise<VersionedChange[]> {
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
  private async refuseReference(appId: number, ids: readonly number[]): Promise<VersionedChange[]> {
    const loaded = await this.database.transaction((transaction) => loadProformas(transaction, appId, ids, 'wait'));
    return loaded.map(({ proforma, version }) => ({
      before: proforma,
      proforma,
      version,
      refusal: EXTERNAL_REF_TAKEN,
    }));
  }

  private changeOnce(
    appId: number,
    ids: readonly number[],
    mode: ChangeMode,
    decide: Decision,
  ): Promise<VersionedChange[]> {
    return this.database.transaction(async (transaction) => {
      const loaded = await loadProformas(transaction, appId, ids, mode.lockMode);
      const now = this.clock.now();
      const changesToStore = await writeConsequences(
        transaction,
        appId,
        loaded.map(({ proforma }) => changeOf(proforma, decide(proforma, now))),
        now,
      );
      const changes = await reserveStock(transaction, appId, changesToStore);
      const storedChanges = await storeChanges(transaction, appId, changes, mode, now);
      return storedChanges.map((change, index) => {
        const { version } = loaded[index] as VersionedProforma;
        return { version: change.before === change.proforma ? version : version + 1, ...change };
      });
    });
  }
}

function withoutVersion({ before, proforma, refusal }: VersionedChange): StoredChange {
  return { before, proforma, ...(refusal && { refusal }) };
}

/** Returns true for a change that touches only the proforma: no stock, order or voucher. */
function isPlainChange({ before, after }: DecidedChange): boolean {
  return (
    before !== after &&
    after.status !== 'converted' &&
    reservationChanges(before, after).length === 0 &&
    releasedVouchers(before, after).length === 0
  );
}

async function storeChanges(
  transaction: Transaction,
  appId: number,
  changes: readonly DecidedChange[],
  mode: ChangeMode,
  now: Date,
  version?: number,
): Promise<StoredChange[]> {
  const conversion = onlyPlainConversion(changes);
  if (conversion) {
    const after = await storeConversion(transaction, appId, conversion, now, version);
    return [storedChangeOf({ ...conversion, after })];
  }
  const actualChanges = changes.filter(({ before, after }) => before !== after).map(withRefundKeys);
  if (actualChanges.length === 0) return changes.map(storedChangeOf);
  transaction.audit(appId, now, paymentEntries(actualChanges));
  const { text, values } = saveProformasStatement(appId, actualChanges, mode.requestsRefunds, now, version);
  const [saved] = await transaction.runLast<SavedIds>(text, values);
  const ids = [...(saved?.addedPayments ?? [])];
  const savedChanges = new Map(actualChanges.map((change) => [change.before, withPaymentIds(change, ids)]));
  return changes.map((change) => storedChangeOf(savedChanges.get(change.before) ?? change));
}
