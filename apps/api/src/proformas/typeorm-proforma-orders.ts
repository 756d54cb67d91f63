import type { Clock, Refusal } from '@back-office/kernel';
import { isRefusal } from '@back-office/kernel';
import {
  FreeStock,
  insufficientStock,
  paidOf,
  pointsEarned,
  reportMoneyForCanceledOrder,
  reservationChanges,
  vouchersLetGo,
  type Decision,
  type DueProforma,
  type EvaluationFacts,
  type Proforma,
  type ProformaOrders,
  type StockRow,
  type Stored,
  type Verdict,
} from '@back-office/proforma';
import { findEvaluationFacts } from '../checkout/index.js';
import { violates } from '../database/failures.js';
import type { Database, Transaction } from '../database/database.js';
import { insertOrder, settleOrderPayments } from '../orders/index.js';
import { bookPoints, settleVouchers } from './typeorm-benefits.js';
import { HOLD_SELLING, LOCK_SHELVES, LOCK_SHELVES_AND_SOURCES } from '../stock/index.js';
import { DUE, INSERT, loadStatement, type Locking } from './proforma-statements.query.js';
import { frozenColumns, lineColumns, livingColumns, paymentColumns } from './proforma-columns.js';
import { fromRow, type ProformaRow } from './proforma-row.js';
import { loadProformas, saveProformas, withPaymentIds, type ProformaChange } from './typeorm-proforma-changes.js';

const MOST_TRIES = 5;

/** How proformas are locked, and whether the refunds that follow are asked for by whoever changes them. */
interface Way {
  readonly locking: Locking;
  readonly asks: boolean;
}
const BY_A_CALL: Way = { locking: 'wait', asks: true };
const BY_THE_SWEEP: Way = { locking: 'skip', asks: false };

/** A change that is decided and ready to be stored. */
interface Change extends ProformaChange {
  readonly refusal: Refusal | undefined;
  readonly preferredWarehouse: string | null;
}

export class TypeOrmProformaOrders implements ProformaOrders {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Decided again, when the number that was drawn is taken, or a warehouse was switched off meanwhile. */
  async create(
    appId: number,
    evaluationId: number,
    decide: (facts: EvaluationFacts) => Proforma | Refusal,
  ): Promise<Proforma | Refusal> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.database.transaction((transaction) =>
          createOne(transaction, appId, evaluationId, decide, this.clock.now()),
        );
      } catch (error) {
        const mayGoBetter = violates(error, 'proforma_orders_number_key') || error instanceof WarehouseSellsNoMore;
        if (!mayGoBetter || attempt === MOST_TRIES) throw error;
      }
    }
  }

  async find(appId: number, id: number): Promise<Proforma | undefined> {
    const [found] = await this.database.rows<ProformaRow>(loadStatement(1, 'none'), [appId, [id]]);
    return found && fromRow(found);
  }

  async change(appId: number, id: number, decide: Decision): Promise<Stored | undefined> {
    const [stored] = await this.changeAll(appId, [id], BY_A_CALL, decide);
    return stored;
  }

  changeUnlocked(appId: number, ids: readonly number[], decide: Decision): Promise<readonly Stored[]> {
    return this.changeAll(appId, ids, BY_THE_SWEEP, decide);
  }

  due(now: Date, { ofAnApp, inAll }: Parameters<ProformaOrders['due']>[1]): Promise<readonly DueProforma[]> {
    return this.database.rows(DUE, [now, ofAnApp, inAll]);
  }

  /** Decided again, with another order number, when the one that was drawn is taken. */
  private async changeAll(appId: number, ids: readonly number[], way: Way, decide: Decision): Promise<Stored[]> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.changeOnce(appId, ids, way, decide);
      } catch (error) {
        if (!violates(error, 'orders_order_number_key') || attempt === MOST_TRIES) throw error;
      }
    }
  }

  private changeOnce(appId: number, ids: readonly number[], way: Way, decide: Decision): Promise<Stored[]> {
    return this.database.transaction(async (transaction) => {
      const found = await loadProformas(transaction, appId, ids, way.locking);
      const now = this.clock.now();
      // What ends here asks for no stock, so that its order and its benefits can be settled before stock is locked.
      const ended = await endAll(
        transaction,
        appId,
        found.map((before) => changeOf(before, decide(before))),
        now,
      );
      return store(transaction, appId, await withStock(transaction, appId, ended), way, now);
    });
  }
}

/** Nothing was written: the stock was chosen while the warehouse still sold. */
class WarehouseSellsNoMore extends Error {}

/** The ids of what was inserted, in the order in which it was given. */
interface Made {
  readonly id: number;
  readonly items: readonly number[];
  readonly payments: readonly number[];
}

async function createOne(
  transaction: Transaction,
  appId: number,
  evaluationId: number,
  decide: (facts: EvaluationFacts) => Proforma | Refusal,
  now: Date,
): Promise<Proforma | Refusal> {
  const facts = await findEvaluationFacts(transaction, appId, evaluationId, now);
  const proforma = decide(facts);
  if (isRefusal(proforma)) return proforma;
  const columns = { ...frozenColumns(proforma), ...livingColumns(proforma) };
  const lines = proforma.lines.map((line, position) => ({ ...lineColumns(line), position }));
  const payments = proforma.payments.map((each, place) => ({ ...paymentColumns(each, proforma.payments), place }));
  const [made] = await transaction.last<Made>(INSERT, [
    appId,
    JSON.stringify(columns),
    JSON.stringify(lines),
    proforma.insertedAt,
    evaluationId,
    JSON.stringify(payments),
  ]);
  if (made === undefined) throw new WarehouseSellsNoMore();
  const { id, ...ids } = made;
  return {
    ...proforma,
    id,
    lines: proforma.lines.map((line, index) => ({ ...line, id: ids.items[index] as number })),
    payments: proforma.payments.map((payment, index) => ({ ...payment, id: ids.payments[index] as number })),
  };
}

function changeOf(before: Proforma, { next, refusal, preferredWarehouse = null }: Verdict): Change {
  return { before, after: next, refusal, preferredWarehouse };
}

/** Locks the stock that the changes touch; a change that asks for more than is there becomes a refusal. */
async function withStock(
  transaction: Transaction,
  appId: number,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  if (changes.every(({ before, after }) => reservationChanges(before, after).length === 0)) return changes;
  const free = new FreeStock(await lockStock(transaction, appId, changes));
  return changes.map((change) => {
    const placed = free.take(change.before, change.after, change.preferredWarehouse);
    return 'missing' in placed
      ? { ...change, after: change.before, refusal: insufficientStock(placed.missing.name) }
      : { ...change, after: placed };
  });
}

/** A warehouse that sells no more has nothing left for a reservation that grows. */
async function lockStock(transaction: Transaction, appId: number, changes: readonly Change[]): Promise<StockRow[]> {
  transaction.locks('stock');
  const reservations = changes.flatMap(({ before, after }) =>
    reservationChanges(before, after).map((each) => ({ ...each, evaluationId: before.evaluationId })),
  );
  const growing = reservations.filter(({ delta }) => delta > 0);
  const shelves = [reservations.map((each) => each.variantId), reservations.map((each) => each.warehouseId)];
  if (growing.length === 0) return transaction.rows<StockRow>(LOCK_SHELVES, [appId, ...shelves]);
  const stock = await transaction.rows<StockRow>(LOCK_SHELVES_AND_SOURCES, [
    appId,
    ...shelves,
    growing.map((each) => each.variantId),
    growing.map((each) => each.evaluationId),
  ]);
  const warehouses = [...new Set(stock.map(({ warehouseId }) => warehouseId))];
  const selling = await transaction.rows<{ readonly id: number }>(HOLD_SELLING, [appId, warehouses]);
  const sells = new Set(selling.map(({ id }) => id));
  return stock.map((row) =>
    sells.has(row.warehouseId) ? row : { ...row, onHand: Math.min(row.onHand, row.reserved) },
  );
}

async function store(
  transaction: Transaction,
  appId: number,
  changes: readonly Change[],
  way: Way,
  now: Date,
): Promise<Stored[]> {
  const changed = changes.filter(({ before, after }) => before !== after);
  if (changed.length === 0) return changes.map(storedOf);
  const saving = saveProformas(appId, changed, way.asks, now);
  const ids = (await transaction.last<{ id: number }>(saving.text, saving.values)).map(({ id }) => id);
  const saved = new Map(changed.map((change) => [change.before, withPaymentIds(change, ids)]));
  return changes.map((change) => storedOf(saved.get(change.before) ?? change));
}

/** Orders first, then what customers got or gave for the proformas that end, in the order of the locks. */
async function endAll(
  transaction: Transaction,
  appId: number,
  changes: readonly Change[],
  now: Date,
): Promise<readonly Change[]> {
  const ended: Change[] = [];
  for (const change of changes) ended.push(await withOrder(transaction, appId, change, now));
  const vouchers = ended.flatMap(({ before, after }) => vouchersLetGo(before, after));
  const points = ended.flatMap(({ before, after }) => pointsEarned(before, after) ?? []);
  await settleVouchers(transaction, appId, vouchers, now);
  await bookPoints(transaction, appId, points, now);
  return ended;
}

/** A proforma that is being converted gets its order first; one that was, passes payments that move on to it. */
async function withOrder(transaction: Transaction, appId: number, change: Change, now: Date): Promise<Change> {
  const { before, after } = change;
  if (before === after || after.status !== 'converted') return change;
  if (before.status !== 'converted') {
    transaction.locks('order');
    return { ...change, after: { ...after, orderId: await insertOrder(transaction, appId, after) } };
  }
  // A person may have set the order's payment status: only money that came or went has a word in it.
  if (paidOf(before.payments) !== paidOf(after.payments)) {
    transaction.locks('order');
    const [order] = await settleOrderPayments(transaction, appId, [after], now);
    const isOrderPayable = order?.isPayable ?? false;
    const settled = { ...after, converted: after.converted && { ...after.converted, isOrderPayable } };
    return { ...change, after: order?.isCanceled ? reportMoneyForCanceledOrder(before, settled, now) : settled };
  }
  return change;
}

function storedOf({ before, after, refusal }: Change): Stored {
  return { before, proforma: after, ...(refusal && { refusal }) };
}
