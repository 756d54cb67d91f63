import { reservationChanges, type Payment, type Proforma } from '@back-office/proforma';
import type { Transaction } from '../database/database.js';
import { lineColumns, livingColumns, paymentColumns } from './proforma-columns.js';
import { fromRow, type ProformaRow } from './proforma-row.js';
import { loadStatement, saveStatement, type Locking } from './proforma-statements.query.js';

/** For so long a refund belongs to the call that decided on it; then the worker asks again. */
const REFUND_CALL_MS = 30_000;

export interface ProformaChange {
  readonly before: Proforma;
  readonly after: Proforma;
}

/** Reads proformas and locks them, as `locking` says. */
export async function loadProformas(
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

/** The statement that stores changed proformas; it answers the ids of their new payments, in their order. */
export function saveProformas(
  appId: number,
  changes: readonly ProformaChange[],
  asks: boolean,
  now: Date,
): { readonly text: string; readonly values: readonly unknown[] } {
  const lines = changes.flatMap(changedLines);
  const payments = changes
    .flatMap((change) => changedPayments(change, asks))
    .map((payment, place) => ({ ...payment, place }));
  const stock = changes.flatMap(reservationsOf);
  const parts = { lines: lines.length > 0, payments: payments.length > 0, stock: stock.length > 0 };
  const values = [
    appId,
    JSON.stringify(changes.map(({ after }) => livingColumns(after))),
    now,
    ...[lines, payments, stock].filter((part) => part.length > 0).map((part) => JSON.stringify(part)),
  ];
  return { text: saveStatement(parts), values };
}

function changedLines({ before, after }: ProformaChange): object[] {
  return after.lines.filter((line, index) => line !== before.lines[index]).map(lineColumns);
}

/** New entries, entries whose status changed, and captured ones of which another part is on its way back. */
function changedPayments({ before, after }: ProformaChange, asks: boolean): object[] {
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
      ...firstAttempt(payment, asks),
    }));
}

/** A call asks for its refunds itself, once; those of the sweep are due for the worker at once. */
function firstAttempt({ amount, status, date }: Payment, asks: boolean): object {
  if (status !== 'pending' || amount > 0) return { attempts: 0, next_attempt_at: null };
  return { attempts: asks ? 1 : 0, next_attempt_at: new Date(date.getTime() + (asks ? REFUND_CALL_MS : 0)) };
}

function reservationsOf({ before, after }: ProformaChange): object[] {
  return reservationChanges(before, after).map((change) => ({ ...change, reference: after.number }));
}

/** New entries were inserted in their order, so the next ids are theirs. */
export function withPaymentIds<Change extends ProformaChange>(change: Change, ids: number[]): Change {
  const payments = change.after.payments.map((payment) =>
    payment.id === 0 ? { ...payment, id: ids.shift() as number } : payment,
  );
  return { ...change, after: { ...change.after, payments } };
}
