import type { Clock, Refusal } from '@back-office/kernel';
import { isRefusal, sum } from '@back-office/kernel';
import {
  insufficientStock,
  isFinal,
  reservationChanges,
  type Decision,
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
import type { Database, Sql, Transaction } from '../database/database.js';
import { insertOrder, settleOrderPayments } from '../orders/index.js';
import { bookPoints, settleVouchers, type EarnedPoints, type SettledVoucher } from './typeorm-benefits.js';
import { bookReservations, LOCK_PLACES } from '../stock/index.js';
import {
  frozenColumns,
  fromRow,
  lineColumns,
  livingColumns,
  paymentColumns,
  type ProformaRow,
} from './proforma-row.js';

const MOST_NUMBER_TRIES = 5;

const LIVING = `
  status_id smallint, sales bigint, discount bigint, net_sales bigint, vat bigint, end_sales bigint, paid bigint,
  debt bigint, tags text[], comment text, alerts jsonb, alerts_count int, open_alerts_count int, due_at timestamptz,
  warehouse_confirmed_at timestamptz, converted_at timestamptz, canceled_at timestamptz, cancel_reason text,
  order_id bigint, payments_at_conversion jsonb, converted_order_number text, earned_points bigint,
  updated_at timestamptz`;
const FROZEN = `
  number text, order_processing_id bigint, customer_id bigint, customer_data_part smallint, customer_time_part int,
  customer_email text, customer_first_name text, customer_last_name text, customer_phone text, delivery jsonb,
  shipment_method_code text, pickup_point_code text, market_id int, currency text, sales_channel_id int,
  sales_channel text, fees jsonb, original_end_sales bigint, promotions jsonb, processing_date timestamptz, expires_at timestamptz,
  inserted_at timestamptz`;
const ITEM = `
  position int, product_id bigint, product_variant_id bigint, code text, barcode text, name text, qty bigint,
  qty_confirmed bigint, price bigint, vat_rate int, sales bigint, discount bigint, promotions jsonb,
  warehouse_id bigint, warehouse_code text`;
const PAYMENT = `
  id bigint, proforma_order_id bigint, order_id bigint, place int, amount bigint, method text, payment_method_id bigint,
  kind text, status text, paid_at timestamptz, refund_of bigint, refunded bigint, reference text, voucher_id bigint,
  next_attempt_at timestamptz`;

const namesOf = (columns: string): string => columns.replaceAll(/(\w+) [\w[\]]+/g, '$1');
const assignments = (columns: string): string => namesOf(columns).replaceAll(/(\w+)/g, '$1 = r.$1');

/**
 * The proforma with its items and payments. A statement that waited for the row lock sees the row as it is now, but
 * items and payments as they were before the wait: `seen_version` tells the two apart.
 */
const LOAD = (lock: string): string => `
  select p.*,
    (select s.version from proforma_orders s where s.app_id = $1 and s.id = p.id) as seen_version,
    (select json_agg(i order by i.position) from proforma_items i
     where i.app_id = $1 and i.proforma_order_id = p.id) as items,
    (select json_agg(y order by y.id) from payments y
     where y.app_id = $1 and y.proforma_order_id = p.id) as payments
  from proforma_orders p where p.app_id = $1 and p.id = any($2::bigint[]) order by p.id ${lock}`;
const FIND = LOAD('');
const LOCK = LOAD('for update of p');
const LOCK_FREE = LOAD('for update of p skip locked');

const INSERT = `
  with made as (
    insert into proforma_orders (app_id, ${namesOf(FROZEN)}, ${namesOf(LIVING)})
    select $1, ${namesOf(FROZEN)}, ${namesOf(LIVING)} from json_to_record($2) as r (${FROZEN}, ${LIVING})
    returning id, number
  ), item as (
    insert into proforma_items (app_id, proforma_order_id, ${namesOf(ITEM)})
    select $1, made.id, ${namesOf(ITEM)} from made, json_to_recordset($3) as r (${ITEM})
    returning id, position, product_variant_id, warehouse_id, qty
  ), change as (
    select item.id as line_id, product_variant_id as variant_id, warehouse_id, qty, qty as delta, made.number as reference
    from item, made
  ), used as (
    update order_processings set consumed_at = $4 where app_id = $1 and id = $5
  ), payment as (
    insert into payments (app_id, proforma_order_id, amount, method, kind, status, paid_at, refunded, voucher_id, inserted_at)
    select $1, made.id, amount, method, kind, status, paid_at, 0, voucher_id, $4
    from made, json_to_recordset($6) as r (${PAYMENT}) order by place
    returning id, voucher_id
  ), held as (
    update vouchers v set held_by = made.id, updated_at = $4 from made, payment
    where v.app_id = $1 and v.id = payment.voucher_id
  ), ${bookReservations('change', '$1', '$4')}
  select made.id, (select json_agg(item.id order by item.position) from item) as items,
    (select coalesce(json_agg(payment.id order by payment.id), '[]') from payment) as payments from made`;

const SAVE = `
  with saved as (
    update proforma_orders p set version = p.version + 1, ${assignments(LIVING)}
    from json_to_recordset($2) as r (id bigint, ${LIVING}) where p.app_id = $1 and p.id = r.id
  ), item as (
    update proforma_items i
    set qty_confirmed = r.qty_confirmed, sales = r.sales, discount = r.discount, promotions = r.promotions
    from json_to_recordset($3) as r (id bigint, ${ITEM}) where i.app_id = $1 and i.id = r.id
  ), payment as (
    select * from json_to_recordset($4) as r (${PAYMENT})
  ), paid as (
    update payments y set status = r.status, paid_at = r.paid_at, refunded = r.refunded, reference = r.reference,
      next_attempt_at = case when r.status = 'pending' then y.next_attempt_at end
    from payment r where y.app_id = $1 and y.id = r.id
  ), added as (
    insert into payments (app_id, proforma_order_id, order_id, amount, method, payment_method_id, kind, status, paid_at,
      refund_of, refunded, reference, voucher_id, attempts, next_attempt_at, inserted_at)
    select $1, proforma_order_id, order_id, amount, method, payment_method_id, kind, status, paid_at, refund_of,
      refunded, reference, voucher_id,
      case when next_attempt_at is null then 0 else 1 end, next_attempt_at, $6
    from payment where id = 0 order by place
    returning id
  ), change as (
    select * from json_to_recordset($5)
      as r ("lineId" bigint, "variantId" bigint, "warehouseId" bigint, qty bigint, delta bigint, reference text)
  ), renamed as (
    select "lineId" as line_id, "variantId" as variant_id, "warehouseId" as warehouse_id, qty, delta, reference from change
  ), ${bookReservations('renamed', '$1', '$6::timestamptz')}
  select id from added order by id`;

const DUE = `
  select app_id as "appId", id from proforma_orders where due_at is not null and due_at <= $1 order by due_at limit $2`;

/** How long a call waits for a refund's answer before the worker asks again. */
const REFUND_CALL_MS = 30_000;

/** One change of one proforma, decided and ready to be stored. */
interface Change {
  readonly before: Proforma;
  readonly after: Proforma;
  readonly refusal: Refusal | undefined;
}

export class TypeOrmProformaOrders implements ProformaOrders {
  constructor(
    private readonly database: Database,
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
          createOne(transaction, appId, evaluationId, decide, this.clock.now()),
        );
      } catch (error) {
        if (!violates(error, 'proforma_orders_number_key') || attempt === MOST_NUMBER_TRIES) throw error;
      }
    }
  }

  async find(appId: number, id: number): Promise<Proforma | undefined> {
    const [found] = await this.database.rows<ProformaRow>(FIND, [appId, [id]]);
    return found && fromRow(found);
  }

  async change(appId: number, id: number, decide: Decision): Promise<Stored | undefined> {
    const [stored] = await this.changeAll(appId, [id], LOCK, decide);
    return stored;
  }

  changeUnlocked(appId: number, ids: readonly number[], decide: Decision): Promise<readonly Stored[]> {
    return this.changeAll(appId, ids, LOCK_FREE, decide);
  }

  due(now: Date, limit: number): Promise<readonly { readonly appId: number; readonly id: number }[]> {
    return this.database.rows(DUE, [now, limit]);
  }

  private changeAll(appId: number, ids: readonly number[], lock: string, decide: Decision): Promise<Stored[]> {
    return this.database.transaction(async (transaction) => {
      const found = await load(transaction, appId, ids, lock);
      const now = this.clock.now();
      // What ends here asks for no stock, so that its order and its benefits can be settled before stock is locked.
      const ended = await endAll(
        transaction,
        appId,
        found.map((before) => changeOf(before, decide(before))),
        now,
      );
      return store(transaction, appId, await withStock(transaction, appId, ended), now);
    });
  }
}

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
  transaction.locks('evaluation');
  const facts = await findEvaluationFacts(transaction, appId, evaluationId, now);
  const proforma = decide(facts);
  if (isRefusal(proforma)) return proforma;
  const columns = { ...frozenColumns(proforma), ...livingColumns(proforma) };
  const lines = proforma.lines.map((line, position) => ({ ...lineColumns(line), position }));
  const payments = proforma.payments.map((each, place) => ({ ...paymentColumns(each, proforma.payments), place }));
  const [made] = await transaction.rows<Made>(INSERT, [
    appId,
    JSON.stringify(columns),
    JSON.stringify(lines),
    proforma.insertedAt,
    evaluationId,
    JSON.stringify(payments),
  ]);
  const { id, ...ids } = made as Made;
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
  lock: string,
): Promise<Proforma[]> {
  transaction.locks('proforma');
  const rows = await transaction.rows<ProformaRow>(lock, [appId, ids]);
  if (rows.every((row) => row.version === row.seen_version)) return rows.map(fromRow);
  // The rows are locked now, so a new statement sees them and all that belongs to them as they are.
  const locked = rows.map((row) => row.id);
  return (await transaction.rows<ProformaRow>(FIND, [appId, locked])).map(fromRow);
}

function changeOf(before: Proforma, { next, refusal }: Verdict): Change {
  return { before, after: next, refusal };
}

/** Locks the stock that the changes touch; a change that asks for more than is there becomes a refusal. */
async function withStock(
  transaction: Transaction,
  appId: number,
  changes: readonly Change[],
): Promise<readonly Change[]> {
  const reservations = changes.flatMap(({ before, after }) => reservationChanges(before, after));
  if (reservations.length === 0) return changes;
  transaction.locks('stock');
  const stock = await transaction.rows<StockRow>(LOCK_PLACES, [
    appId,
    reservations.map((each) => each.variantId),
    reservations.map((each) => each.warehouseId),
  ]);
  const left = new Map(stock.map((row) => [placeOf(row), row.onHand - row.reserved]));
  return changes.map((change) => {
    const missing = takeStock(change, left);
    return missing === undefined ? change : { ...change, after: change.before, refusal: insufficientStock(missing) };
  });
}

/**
 * Takes what a change asks for from what is left for it and for the changes after it. When a place cannot give what
 * a raised quantity needs, nothing is taken, and the name of the first such line is the answer.
 */
function takeStock({ before, after }: Change, left: Map<string, number>): string | undefined {
  const changes = reservationChanges(before, after);
  const wanted = new Map<string, number>();
  for (const change of changes) wanted.set(placeOf(change), (wanted.get(placeOf(change)) ?? 0) + change.delta);
  const short = changes.find((change) => {
    const delta = wanted.get(placeOf(change)) ?? 0;
    return delta > 0 && delta > (left.get(placeOf(change)) ?? 0);
  });
  if (short) return after.lines.find((line) => line.id === short.lineId)?.name ?? '';
  for (const [place, delta] of wanted) left.set(place, (left.get(place) ?? 0) - delta);
  return undefined;
}

function placeOf({ variantId, warehouseId }: { readonly variantId: number; readonly warehouseId: number }): string {
  return `${variantId}/${warehouseId}`;
}

async function store(
  transaction: Transaction,
  appId: number,
  changes: readonly Change[],
  now: Date,
): Promise<Stored[]> {
  const changed = changes.filter(({ before, after }) => before !== after);
  if (changed.length === 0) return changes.map(storedOf);
  const ids = await save(transaction, appId, changed, now);
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
  await settleVouchers(transaction, appId, ended.flatMap(returnedVouchers), now);
  await bookPoints(transaction, appId, ended.flatMap(earnedPoints), now);
  return ended;
}

/** Vouchers that the change lets go of, with what was spent of each. */
function returnedVouchers({ before, after }: Change): SettledVoucher[] {
  if (isFinal(before.status) || !isFinal(after.status)) return [];
  return after.payments.flatMap(({ voucherId, amount, id }) => {
    if (voucherId === null || amount < 0) return [];
    const returned = after.payments.filter((each) => each.refundOf === id).map((each) => each.amount);
    return [{ proforma_order_id: after.id, voucher_id: voucherId, spent: amount + sum(returned) }];
  });
}

function earnedPoints({ before, after }: Change): EarnedPoints[] {
  const points = before.converted === null ? (after.converted?.points ?? 0) : 0;
  if (points === 0 || after.buyer.id === null || after.orderId === null) return [];
  return [{ order_id: after.orderId, customer_id: after.buyer.id, points }];
}

/** A proforma that is being converted gets its order first; one that was, passes payments that move on to it. */
async function withOrder(transaction: Transaction, appId: number, change: Change, now: Date): Promise<Change> {
  const { before, after } = change;
  if (before === after || after.status !== 'converted') return change;
  if (before.status !== 'converted') {
    transaction.locks('order');
    return { ...change, after: { ...after, orderId: await insertOrder(transaction, appId, after) } };
  }
  if (before.payments !== after.payments) {
    transaction.locks('order');
    await settleOrderPayments(transaction, appId, after, now);
  }
  return change;
}

async function save(transaction: Sql, appId: number, changes: readonly Change[], now: Date): Promise<number[]> {
  const rows = await transaction.rows<{ id: number }>(SAVE, [
    appId,
    JSON.stringify(changes.map(({ after }) => livingColumns(after))),
    JSON.stringify(changes.flatMap(changedLines)),
    JSON.stringify(changes.flatMap(changedPayments).map((payment, place) => ({ ...payment, place }))),
    JSON.stringify(changes.flatMap(reservationsOf)),
    now,
  ]);
  return rows.map((row) => row.id);
}

function changedLines({ before, after }: Change): object[] {
  return after.lines.filter((line, index) => line !== before.lines[index]).map(lineColumns);
}

/** New entries, entries whose status changed, and captured ones of which another part is on its way back. */
function changedPayments({ before, after }: Change): object[] {
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
      next_attempt_at: nextAttempt(payment),
    }));
}

function nextAttempt({ amount, status, date }: Payment): Date | null {
  return status === 'pending' && amount < 0 ? new Date(date.getTime() + REFUND_CALL_MS) : null;
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
