import { DatabaseUnavailable } from '@back-office/database';
import type { Transaction } from '../connection/transaction.js';
import { FIXED_PLAN } from '../connection/prepared-statements.js';
import { beginLockedBulk } from '../connection/bulk.js';

const PRICED_TABLES = ['products', 'promotions', 'shipment_methods', 'vouchers', 'order_processings'] as const;

const HAS_AMOUNTS = `select ${PRICED_TABLES.map((table) => `exists (select from ${table} where app_id = $1)`).join(
  ' or ',
)} as "hasAmounts"`;

/**
 * Returns true if the app has amounts. First locks bulk writes of products and set-up records, so that no other call
 * can store an amount before the transaction ends.
 */
export async function hasAmounts(transaction: Transaction, appId: number): Promise<boolean> {
  await beginLockedBulk(transaction, 'products', appId, 1);
  await beginLockedBulk(transaction, 'set_up', appId, 1);
  const [row] = await transaction.rows<{ readonly hasAmounts: boolean }>(HAS_AMOUNTS, [appId]);
  return row?.hasAmounts === true;
}

/** Reads the currency again, because the caller's copy of the app may be a second old. $1 is the app's id. */
export const CURRENCY_OF_APP = '(select currency from app_settings where app_id = $1)';

interface PricingApp {
  readonly id: number;
  readonly currency: string;
}

/** Throws if the currency of the app has changed since the start of the call. */
export function checkCurrency(current: string | undefined, expected: string): void {
  if (current !== expected) throw new DatabaseUnavailable('The currency of the app has just changed');
}

/** Call this after `beginLockedBulk`. */
export async function checkStoredCurrency(transaction: Transaction, app: PricingApp): Promise<void> {
  const text = `${FIXED_PLAN} select ${CURRENCY_OF_APP} as currency`;
  const [row] = await transaction.rows<{ readonly currency: string }>(text, [app.id]);
  checkCurrency(row?.currency, app.currency);
}
