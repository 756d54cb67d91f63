import type { Proforma } from '@back-office/proforma';
import type { Transaction } from '../connection/transaction.js';
import { lockBenefits } from './benefits.js';
import { loadProformas } from './proforma-changes.js';

const FIND_PROFORMA_IDS = `
  select proforma_order_id as id from orders
  where app_id = $1 and id = any($2::bigint[]) and proforma_order_id is not null
  union
  select o.proforma_order_id from orders o
  join loyalty_bookings b on b.app_id = $1 and b.order_id = o.id and b.taken_back_at is null
  where o.app_id = $1 and o.id = any($3::bigint[]) and o.paid = 0 and o.proforma_order_id is not null
  order by 1`;

/**
 * Locks the proformas of the orders to refund, and of canceled unpaid orders whose points are not yet withdrawn. Call
 * this before locking the orders.
 */
export async function lockProformasOf(
  transaction: Transaction,
  appId: number,
  { refunded, canceled }: { readonly refunded: readonly number[]; readonly canceled: readonly number[] },
): Promise<readonly Proforma[]> {
  if (refunded.length + canceled.length === 0) return [];
  const rows = await transaction.rows<{ readonly id: number }>(FIND_PROFORMA_IDS, [appId, refunded, canceled]);
  const ids = rows.map(({ id }) => id);
  return ids.length === 0 ? [] : loadProformas(transaction, appId, ids, 'wait');
}

/** Locks the vouchers and customers of the proformas. Call this after locking the orders and before locking stock. */
export async function lockBenefitsOf(
  transaction: Transaction,
  appId: number,
  proformas: readonly Proforma[],
): Promise<void> {
  if (proformas.length === 0) return;
  const voucherIds = proformas.flatMap(({ payments }) => payments.flatMap(({ voucherId }) => voucherId ?? []));
  const customerIds = proformas.flatMap(({ buyer, converted }) =>
    buyer.id !== null && (converted?.points ?? 0) > 0 ? [buyer.id] : [],
  );
  await lockBenefits(transaction, appId, {
    voucherIds: [...new Set(voucherIds)],
    customerIds: [...new Set(customerIds)],
  });
}
