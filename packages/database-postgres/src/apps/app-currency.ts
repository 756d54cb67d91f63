import { DatabaseUnavailable } from '@back-office/database';
import type { Transaction } from '../client-transaction.js';
import { beginLockedBulk } from '../bulk.js';

/** Tables whose amounts are in the app's currency; other amounts derive from them. */
const PRICED = ['products', 'promotions', 'shipment_methods', 'vouchers', 'order_processings'] as const;

const HAS_AMOUNTS = `select ${PRICED.map((table) => `exists (select from ${table} where app_id = $1)`).join(
  ' or ',
)} as "hasAmounts"`;

/** Whether the app has amounts in its currency. No first amount can be written until the transaction ends. */
export async function holdsAmounts(transaction: Transaction, appId: number): Promise<boolean> {
  await beginLockedBulk(transaction, 'products', appId, 1);
  await beginLockedBulk(transaction, 'set_up', appId, 1);
  const [found] = await transaction.rows<{ readonly hasAmounts: boolean }>(HAS_AMOUNTS, [appId]);
  return found?.hasAmounts === true;
}

/** The current currency of the app ($1); the caller's copy may be a second old. */
export const CURRENCY_OF_APP = '(select currency from apps where id = $1)';

/** Throws when amounts were read in another currency than the app's current one. */
export function checkCurrency(current: string | undefined, expected: string): void {
  if (current !== expected) throw new DatabaseUnavailable('The currency of the app has just changed');
}

/** As {@link checkCurrency}, for bulk writes. Call after waiting for the bulk lock. */
export async function checkCurrencyOf(
  transaction: Transaction,
  app: { readonly id: number; readonly currency: string },
): Promise<void> {
  const [found] = await transaction.rows<{ readonly currency: string }>(`select ${CURRENCY_OF_APP} as currency`, [
    app.id,
  ]);
  checkCurrency(found?.currency, app.currency);
}
