import { execute, type Effect, type EffectHandlers, type Effects } from '@back-office/proforma';
import type { Lockable, Transaction } from '../connection/transaction.js';
import { bookPoints, releaseVouchers, returnVouchers, withdrawPoints } from './benefits.js';
import { insertOrder, updateOrders } from './converted-orders.js';
import { lockStock } from './lock-stock.js';
import { saveProformas } from './proforma-changes.js';

const LOCKED_KINDS: Partial<Record<Effect['name'], Lockable>> = {
  insertOrder: 'order',
  updateOrders: 'order',
  releaseVouchers: 'voucher',
  returnVouchers: 'voucher',
  bookPoints: 'customer',
  withdrawPoints: 'customer',
  lockStock: 'stock',
};

export interface ExecutionOptions {
  readonly now: Date;
  /** True if the call has locked all rows before, and sends other statements afterwards. */
  readonly isPartOfCall?: boolean;
}

/** Executes effects in a transaction, one after another. */
export async function executeEffects<Result>(
  effects: Effects<Result>,
  transaction: Transaction,
  appId: number,
  { now, isPartOfCall = false }: ExecutionOptions,
): Promise<Result> {
  const handlers: EffectHandlers = {
    insertOrder: (proforma) => insertOrder(transaction, appId, proforma),
    updateOrders: (proformas) => updateOrders(transaction, appId, proformas, now),
    releaseVouchers: (vouchers) => releaseVouchers(transaction, appId, vouchers, now),
    returnVouchers: (refunds) => returnVouchers(transaction, appId, refunds, now),
    bookPoints: (points) => bookPoints(transaction, appId, points, now),
    withdrawPoints: (orderIds) => withdrawPoints(transaction, appId, orderIds, now),
    lockStock: (demands) => lockStock(transaction, appId, demands),
    record: (changes) => transaction.record(appId, now, changes),
    save: (changes) => saveProformas(transaction, appId, changes, { now, isLast: !isPartOfCall }),
  };
  let step = effects.next();
  while (!step.done) {
    const kind = LOCKED_KINDS[step.value.name];
    if (kind && !isPartOfCall) transaction.locks(kind);
    step = effects.next(await execute(handlers, step.value));
  }
  return step.value;
}
