import type { Clock, Refusal } from '@back-office/kernel';
import {
  changeOf,
  hasPaidAmountChanged,
  earnedPoints,
  paymentEntries,
  reservationChanges,
  releasedVouchers,
  storedChangeOf,
  withoutAvailableStock,
  withOrderState,
  withStock,
  type DecidedChange,
  type Decision,
  type DueProforma,
  type EvaluationFacts,
  type Proforma,
  type ProformaOrders,
  type StockRow,
  type StoredChange,
} from '@back-office/proforma';
import type { Transaction } from '../client-transaction.js';
import { violates } from '../failures.js';
import { insertOrder, settleOrderPayments } from '../orders/converted-orders.js';
import type { Postgres } from '../postgres.js';
import { LOCK_SHELVES, LOCK_SHELVES_AND_SOURCES, SHARE_WAREHOUSES } from '../stock/reservations.js';
import { bookPoints, settleVouchers } from './benefits.js';
import { insertProforma, WarehouseNotSellable } from './insert-proforma.js';
import { loadProformas, saveProformasStatement, withPaymentIds, withRefundKeys } from './proforma-changes.js';
import { toProforma, type ProformaRow } from './proforma-row.js';
import { FIND_DUE_PROFORMAS, loadStatement, type LockMode } from './proforma-statements.js';

const MAX_ATTEMPTS = 5;

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

  async create(
    appId: number,
    evaluationId: number,
    decide: (facts: EvaluationFacts) => Proforma | Refusal,
  ): Promise<Proforma | Refusal> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.database.transaction((transaction) =>
          insertProforma(transaction, appId, evaluationId, decide, this.clock.now()),
        );
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
    const [storedChange] = await this.changeAll(appId, [id], INTERACTIVE, decide);
    return storedChange;
  }

  changeUnlocked(appId: number, ids: readonly number[], decide: Decision): Promise<readonly StoredChange[]> {
    return this.changeAll(appId, ids, BACKGROUND, decide);
  }

  due(now: Date, { perApp, overall }: Parameters<ProformaOrders['due']>[1]): Promise<readonly DueProforma[]> {
    return this.database.rows(FIND_DUE_PROFORMAS, [now, perApp, overall]);
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
        if (!violates(error, 'orders_order_number_key') || attempt === MAX_ATTEMPTS) throw error;
      }
    }
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
        proformas.map((before) => changeOf(before, decide(before))),
        now,
      );
      return storeChanges(transaction, appId, await reserveStock(transaction, appId, changesToStore), mode, now);
    });
  }
}

async function reserveStock(
  transaction: Transaction,
  appId: number,
  changes: readonly DecidedChange[],
): Promise<readonly DecidedChange[]> {
  if (changes.every(({ before, after }) => reservationChanges(before, after).length === 0)) return changes;
  return withStock(changes, await lockStock(transaction, appId, changes));
}

/**
 * Locks and returns the shelves of changed reservations, and the shelves from which larger reservations may take stock.
 * Shelves of a warehouse that is no longer sellable have no available stock.
 */
async function lockStock(
  transaction: Transaction,
  appId: number,
  changes: readonly DecidedChange[],
): Promise<StockRow[]> {
  transaction.locks('stock');
  const reservations = changes.flatMap(({ before, after }) =>
    reservationChanges(before, after).map((reservation) => ({ ...reservation, evaluationId: before.evaluationId })),
  );
  const increasedReservations = reservations.filter(({ delta }) => delta > 0);
  const shelves = [
    reservations.map((reservation) => reservation.variantId),
    reservations.map((each) => each.warehouseId),
  ];
  if (increasedReservations.length === 0) return transaction.rows<StockRow>(LOCK_SHELVES, [appId, ...shelves]);
  const stock = await transaction.rows<StockRow>(LOCK_SHELVES_AND_SOURCES, [
    appId,
    ...shelves,
    increasedReservations.map((reservation) => reservation.variantId),
    increasedReservations.map((reservation) => reservation.evaluationId),
  ]);
  const warehouses = [...new Set(stock.map(({ warehouseId }) => warehouseId))];
  const lockedWarehouses = await transaction.rows<{ readonly id: number; readonly isSelling: boolean }>(
    SHARE_WAREHOUSES,
    [appId, warehouses],
  );
  const sellingIds = new Set(lockedWarehouses.flatMap((warehouse) => (warehouse.isSelling ? [warehouse.id] : [])));
  return stock.map((row) => (sellingIds.has(row.warehouseId) ? row : withoutAvailableStock(row)));
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
  transaction.audit(appId, now, paymentEntries(actualChanges));
  const saveStatement = saveProformasStatement(appId, actualChanges, mode.requestsRefunds, now);
  const ids = (await transaction.runLast<{ id: number }>(saveStatement.text, saveStatement.values)).map(({ id }) => id);
  const savedChanges = new Map(actualChanges.map((change) => [change.before, withPaymentIds(change, ids)]));
  return changes.map((change) => storedChangeOf(savedChanges.get(change.before) ?? change));
}

async function writeConsequences(
  transaction: Transaction,
  appId: number,
  changes: readonly DecidedChange[],
  now: Date,
): Promise<readonly DecidedChange[]> {
  const decidedChanges: DecidedChange[] = [];
  for (const change of changes) decidedChanges.push(await writeOrder(transaction, appId, change, now));
  const vouchers = decidedChanges.flatMap(({ before, after }) => releasedVouchers(before, after));
  const points = decidedChanges.flatMap(({ before, after }) => earnedPoints(before, after) ?? []);
  await settleVouchers(transaction, appId, vouchers, now);
  await bookPoints(transaction, appId, points, now);
  return decidedChanges;
}

async function writeOrder(
  transaction: Transaction,
  appId: number,
  change: DecidedChange,
  now: Date,
): Promise<DecidedChange> {
  const { before, after } = change;
  if (before === after || after.status !== 'converted') return change;
  if (before.status !== 'converted') {
    transaction.locks('order');
    return { ...change, after: { ...after, orderId: await insertOrder(transaction, appId, after) } };
  }
  if (!hasPaidAmountChanged(change)) return change;
  transaction.locks('order');
  const [order] = await settleOrderPayments(transaction, appId, [after], now);
  return { ...change, after: withOrderState(change, order, now) };
}
