import {
  firstAttempt,
  isPendingRefund,
  withKeyParts,
  type ChangesToSave,
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

interface SavedIds {
  /** Ids of the new payments, in order. */
  readonly addedPayments: readonly number[];
}

/** Stores the changes and returns the proformas with the keys and ids of their new payments. */
export async function saveProformas(
  transaction: Transaction,
  appId: number,
  { changes, reservations, events, isCallerRefunding }: ChangesToSave,
  { now, isLast }: { readonly now: Date; readonly isLast: boolean },
): Promise<Proforma[]> {
  const keyedChanges = changes.map(withRefundKeys);
  const lines = keyedChanges.flatMap(changedLines);
  const payments = keyedChanges
    .flatMap((change) => changedPayments(change, isCallerRefunding))
    .map((payment, ordinal) => ({ ordinal, ...payment }));
  const text = saveStatement({
    lines: lines.length > 0,
    payments: payments.length > 0,
    stock: reservations.length > 0,
    events: events.length > 0,
  });
  const values = [
    appId,
    JSON.stringify(keyedChanges.map(({ after }) => changingColumns(after))),
    now,
    ...[lines, payments, reservations].filter((part) => part.length > 0).map((part) => JSON.stringify(part)),
    ...(events.length > 0 ? [eventRows(events)] : []),
  ];
  const [saved] = isLast
    ? await transaction.runLast<SavedIds>(text, values)
    : await transaction.rows<SavedIds>(text, values);
  const ids = [...(saved?.addedPayments ?? [])];
  return keyedChanges.map(({ after }) => ({
    ...after,
    payments: after.payments.map((payment) => (payment.id === 0 ? { ...payment, id: ids.shift() as number } : payment)),
  }));
}

/** Draws the random key parts of new refunds. */
function withRefundKeys({ before, after }: ProformaChange): ProformaChange {
  return { before, after: withKeyParts(after, () => randomBytes(8).toString('hex')) };
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
