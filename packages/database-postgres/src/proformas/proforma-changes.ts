import {
  firstAttempt,
  proformaEvents,
  isPendingRefund,
  reservationChanges,
  withKeyParts,
  type Payment,
  type Proforma,
  type ProformaChange,
} from '@back-office/proforma';
import { randomBytes } from 'node:crypto';
import type { Transaction } from '../connection/transaction.js';
import { eventRows } from '../connection/event-statements.js';
import { lineColumns, changingColumns, paymentColumns } from './proforma-columns.js';
import { toProforma, type ProformaRow } from './proforma-row.js';
import { loadStatement, saveStatement, type LockMode } from './proforma-statements.js';
import type { Statement } from '../connection/sql.js';

export async function loadProformas(
  transaction: Transaction,
  appId: number,
  ids: readonly number[],
  lockMode: LockMode,
): Promise<Proforma[]> {
  transaction.locks('proforma');
  const rows = await transaction.rows<ProformaRow>(loadStatement(ids.length, lockMode), [appId, ids]);
  if (rows.every((row) => row.version === row.seen_version)) return rows.map(toProforma);
  // Reads items and payments in a new statement, because the first statement read them before its wait for the lock.
  const lockedIds = rows.map((row) => row.id);
  const currentRows = await transaction.rows<ProformaRow>(loadStatement(lockedIds.length, 'none'), [appId, lockedIds]);
  return currentRows.map(toProforma);
}

/** Draws the random key parts of new refunds. Must run before the change is stored. */
export function withRefundKeys<Change extends ProformaChange>(change: Change): Change {
  return { ...change, after: withKeyParts(change.after, () => randomBytes(8).toString('hex')) };
}

export interface SavedIds {
  /** Ids of the new payments, in order. */
  readonly addedPayments: readonly number[];
}

/** Returns a statement that stores the changes and returns {@link SavedIds}. */
export function saveProformasStatement(
  appId: number,
  changes: readonly ProformaChange[],
  isAttemptedByCaller: boolean,
  now: Date,
): Statement {
  const lines = changes.flatMap(changedLines);
  const payments = changes
    .flatMap((change) => changedPayments(change, isAttemptedByCaller))
    .map((payment, ordinal) => ({ ordinal, ...payment }));
  const stock = changes.flatMap(reservationsOf);
  const events = proformaEvents(changes);
  const changedParts = {
    lines: lines.length > 0,
    payments: payments.length > 0,
    stock: stock.length > 0,
    events: events.length > 0,
  };
  const values = [
    appId,
    JSON.stringify(changes.map(({ after }) => changingColumns(after))),
    now,
    ...[lines, payments, stock].filter((part) => part.length > 0).map((part) => JSON.stringify(part)),
    ...(events.length > 0 ? [eventRows(events)] : []),
  ];
  return { text: saveStatement(changedParts), values };
}

function changedLines({ before, after }: ProformaChange): object[] {
  return after.lines.filter((line, index) => line !== before.lines[index]).map(lineColumns);
}

function changedPayments({ before, after }: ProformaChange, isAttemptedByCaller: boolean): object[] {
  if (before.payments === after.payments) return [];
  const oldColumns = new Map(
    before.payments.map((payment) => [payment.id, JSON.stringify(paymentColumns(payment, before.payments))]),
  );
  return after.payments
    .map((payment) => ({ payment, columns: paymentColumns(payment, after.payments) }))
    .filter(({ payment, columns }) => payment.id === 0 || oldColumns.get(payment.id) !== JSON.stringify(columns))
    .map(({ payment, columns }) => ({
      proforma_order_id: after.id,
      ...columns,
      order_id: after.orderId,
      ...attemptColumns(payment, isAttemptedByCaller),
    }));
}

function attemptColumns(payment: Payment, isAttemptedByCaller: boolean): object {
  if (!isPendingRefund(payment)) return { attempts: 0, next_attempt_at: null };
  const { attempts, nextAttemptAt } = firstAttempt(payment, isAttemptedByCaller);
  return { attempts, next_attempt_at: nextAttemptAt };
}

function reservationsOf({ before, after }: ProformaChange): object[] {
  return reservationChanges(before, after).map((change) => ({ reference: after.number, ...change }));
}

/** Assigns the next ids of `ids` to new payments, and removes these ids from `ids`. */
export function withPaymentIds<Change extends ProformaChange>(change: Change, ids: number[]): Change {
  const payments = change.after.payments.map((payment) =>
    payment.id === 0 ? { ...payment, id: ids.shift() as number } : payment,
  );
  return { ...change, after: { ...change.after, payments } };
}
