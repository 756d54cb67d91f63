import {
  earnedPoints,
  hasPaidAmountChanged,
  releasedVouchers,
  withOrderState,
  type DecidedChange,
} from '@back-office/proforma';
import type { Transaction } from '../connection/transaction.js';
import { insertOrder, updateOrderPayments, withOrder } from './converted-orders.js';
import { bookPoints, releaseVouchers } from './benefits.js';

/** Writes the orders, vouchers and points that follow from changes of proformas. */
export async function writeConsequences(
  transaction: Transaction,
  appId: number,
  changes: readonly DecidedChange[],
  now: Date,
): Promise<readonly DecidedChange[]> {
  const decidedChanges: DecidedChange[] = [];
  for (const change of changes) decidedChanges.push(await writeOrder(transaction, appId, change, now));
  const vouchers = decidedChanges.flatMap(({ before, after }) => releasedVouchers(before, after));
  const points = decidedChanges.flatMap(({ before, after }) => earnedPoints(before, after) ?? []);
  await releaseVouchers(transaction, appId, vouchers, now);
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
    return { ...change, after: withOrder(after, await insertOrder(transaction, appId, after)) };
  }
  if (!hasPaidAmountChanged(change)) return change;
  transaction.locks('order');
  const [order] = await updateOrderPayments(transaction, appId, [after], now);
  return { ...change, after: withOrderState(change, order, now) };
}
