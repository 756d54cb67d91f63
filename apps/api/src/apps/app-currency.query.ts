import type { Transaction } from '../database/database.js';
import { DatabaseUnavailable } from '../database/failures.js';
import { waitForBulkTurn } from '../database/bulk.js';

/** Records whose amounts are in the app's currency; all others with amounts are made from them. */
const PRICED = ['products', 'promotions', 'shipment_methods', 'vouchers', 'order_processings'] as const;

const HAS_AMOUNTS = `select ${PRICED.map((table) => `exists (select from ${table} where app_id = $1)`).join(
  ' or ',
)} as "hasAmounts"`;

/** Whether the app has amounts in its currency. Until the transaction ends, nobody can write the first one. */
export async function holdsAmounts(transaction: Transaction, appId: number): Promise<boolean> {
  await waitForBulkTurn(transaction, 'products', appId, 1);
  await waitForBulkTurn(transaction, 'set_up', appId, 1);
  const [found] = await transaction.rows<{ readonly hasAmounts: boolean }>(HAS_AMOUNTS, [appId]);
  return found?.hasAmounts === true;
}

/** The currency of the app ($1) now; another node may have changed it within the second that tokens are remembered. */
export const CURRENCY_OF_APP = '(select currency from apps where id = $1)';

/** Refuses work whose amounts were read in another currency than the app has by now; nothing was written. */
export function checkCurrency(current: string | undefined, expected: string): void {
  if (current !== expected) throw new DatabaseUnavailable('The currency of the app has just changed');
}

/** As {@link checkCurrency}, for bulk writes of amounts, after they have waited for their turn. */
export async function checkCurrencyOf(
  transaction: Transaction,
  app: { readonly id: number; readonly currency: string },
): Promise<void> {
  const [found] = await transaction.rows<{ readonly currency: string }>(`select ${CURRENCY_OF_APP} as currency`, [
    app.id,
  ]);
  checkCurrency(found?.currency, app.currency);
}
