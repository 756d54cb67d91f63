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
  type Payment,
  type Proforma,
  type ProformaOrders,
  type ReservationChange,
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
import { DUE, INSERT, loadStatement, saveStatement, type Locking } from './proforma-statements.query.js';
import { frozenColumns, lineColumns, livingColumns, paymentColumns } from './proforma-columns.js';
import { fromRow, type ProformaRow } from './proforma-row.js';

const MOST_TRIES = 5;

/** For so long a refund belongs to the call that decided on it; then the worker asks again. */
const REFUND_CALL_MS = 30_000;

/** How proformas are locked, and whether the refunds that follow are asked for by whoever changes them. */
interface Way {
  readonly locking: Locking;
  readonly asks: boolean;
}
const BY_A_CALL: Way = { locking: 'wait', asks: true };
const BY_THE_SWEEP: Way = { locking: 'skip', asks: false };

/** One change of one proforma, decided and ready to be stored. */
interface Change {
  readonly before: Proforma;
  readonly after: Proforma;
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
      const found = await load(transaction, appId, ids, way.locking);
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

async function load(
  transaction: Transaction,
  appId: number,
  ids: readonly number[],
  locking: Locking,
): Promise<Proforma[]> {
  transaction.locks('proforma');
  const rows = await transaction.rows<ProformaRow>(loadStatement(ids.length, locking), [appId, ids]);
  if (rows.every((row) => row.version === row.seen_version)) return rows.map(fromRow);
  // The rows are locked now, so a new statement sees them and all that belongs to them as they are.
  const locked = rows.map((row) => row.id);
  return (await transaction.rows<ProformaRow>(loadStatement(locked.length, 'none'), [appId, locked])).map(fromRow);
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
  const ids = await save(transaction, appId, changed, way, now);
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
    const { isCanceled, isPayable } = await settleOrderPayments(transaction, appId, after, now);
    const settled = { ...after, converted: after.converted && { ...after.converted, isOrderPayable: isPayable } };
    return { ...change, after: isCanceled ? reportMoneyForCanceledOrder(before, settled, now) : settled };
  }
  return change;
}

async function save(
  transaction: Transaction,
  appId: number,
  changes: readonly Change[],
  way: Way,
  now: Date,
): Promise<number[]> {
  const lines = changes.flatMap(changedLines);
  const payments = changes
    .flatMap((change) => changedPayments(change, way))
    .map((payment, place) => ({ ...payment, place }));
  const stock = changes.flatMap(reservationsOf);
  const parts = { lines: lines.length > 0, payments: payments.length > 0, stock: stock.length > 0 };
  const rows = await transaction.last<{ id: number }>(saveStatement(parts), [
    appId,
    JSON.stringify(changes.map(({ after }) => livingColumns(after))),
    now,
    ...[lines, payments, stock].filter((part) => part.length > 0).map((part) => JSON.stringify(part)),
  ]);
  return rows.map((row) => row.id);
}

function changedLines({ before, after }: Change): object[] {
  return after.lines.filter((line, index) => line !== before.lines[index]).map(lineColumns);
}

/** New entries, entries whose status changed, and captured ones of which another part is on its way back. */
function changedPayments({ before, after }: Change, way: Way): object[] {
  if (before.payments === after.payments) return [];
  const old = new Map(
    before.payments.map((payment) => [payment.id, JSON.stringify(paymentColumns(payment, before.payments))]),
  );
  return after.payments
    .map((payment) => ({ payment, columns: paymentColumns(payment, after.payments) }))
    .filter(({ payment, columns }) => payment.id === 0 || old.get(payment.id) !== JSON.stringify(columns))
    .map(({ payment, columns }) => ({
      ...columns,
      proforma_order_id: after.id,
      order_id: after.orderId,
      ...firstAttempt(payment, way),
    }));
}

/** A call asks for its refunds itself, once; those of the sweep are due for the worker at once. */
function firstAttempt({ amount, status, date }: Payment, { asks }: Way): object {
  if (status !== 'pending' || amount > 0) return { attempts: 0, next_attempt_at: null };
  return { attempts: asks ? 1 : 0, next_attempt_at: new Date(date.getTime() + (asks ? REFUND_CALL_MS : 0)) };
}

function reservationsOf({ before, after }: Change): (ReservationChange & { reference: string })[] {
  return reservationChanges(before, after).map((change) => ({ ...change, reference: after.number }));
}

/** New entries were inserted in their order, so the next ids are theirs. */
function withPaymentIds(change: Change, ids: number[]): Change {
  const payments = change.after.payments.map((payment) =>
    payment.id === 0 ? { ...payment, id: ids.shift() as number } : payment,
  );
  return { ...change, after: { ...change.after, payments } };
}

function storedOf({ before, after, refusal }: Change): Stored {
  return { before, proforma: after, ...(refusal && { refusal }) };
}
