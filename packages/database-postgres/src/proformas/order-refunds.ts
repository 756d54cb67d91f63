import type { Clock } from '@back-office/kernel';
import type { DueRefunds } from '@back-office/orders';
import {
  addedRefunds,
  shouldRefundInCall,
  hasPaidAmountChanged,
  ordersWithPoints,
  paymentEntries,
  refundOrders,
  addedVoucherRefunds,
  type Proforma,
  type ProformaChange,
} from '@back-office/proforma';
import type { Transaction } from '../connection/transaction.js';
import { updateOrderPayments } from './converted-orders.js';
import { lockBenefits, returnBenefits } from './benefits.js';
import {
  loadProformas,
  saveProformasStatement,
  withPaymentIds,
  withRefundKeys,
  type SavedIds,
} from './proforma-changes.js';

const FIND_PROFORMA_IDS = `
  select proforma_order_id as id from orders
  where app_id = $1 and id = any($2::bigint[]) and proforma_order_id is not null
  union
  select o.proforma_order_id from orders o
  join loyalty_bookings b on b.app_id = $1 and b.order_id = o.id and b.taken_back_at is null
  where o.app_id = $1 and o.id = any($3::bigint[]) and o.paid = 0 and o.proforma_order_id is not null
  order by 1`;

export class OrderRefunds {
  constructor(private readonly clock: Clock) {}

  /**
   * Locks the proformas of the orders to refund, and of canceled unpaid orders whose points are not yet withdrawn. Call
   * `lock` before locking the orders.
   */
  async lock(
    transaction: Transaction,
    appId: number,
    { refunded, canceled }: { readonly refunded: readonly number[]; readonly canceled: readonly number[] },
  ): Promise<readonly Proforma[]> {
    if (refunded.length + canceled.length === 0) return [];
    const rows = await transaction.rows<{ readonly id: number }>(FIND_PROFORMA_IDS, [appId, refunded, canceled]);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return [];
    return loadProformas(transaction, appId, ids, 'wait');
  }

  /** Call `lockBenefits` after locking the orders and before locking stock. */
  lockBenefits(transaction: Transaction, appId: number, proformas: readonly Proforma[]): Promise<void> {
    const voucherIds = proformas.flatMap(({ payments }) => payments.flatMap(({ voucherId }) => voucherId ?? []));
    const customerIds = proformas.flatMap(({ buyer, converted }) =>
      buyer.id !== null && (converted?.points ?? 0) > 0 ? [buyer.id] : [],
    );
    return lockBenefits(transaction, appId, {
      voucherIds: [...new Set(voucherIds)],
      customerIds: [...new Set(customerIds)],
    });
  }

  async refund(
    transaction: Transaction,
    appId: number,
    proformas: readonly Proforma[],
  ): Promise<readonly DueRefunds[]> {
    const now = this.clock.now();
    const changes = refundOrders(proformas, now).map(withRefundKeys);
    const vouchers = changes.flatMap(({ before, after }) => addedVoucherRefunds(before, after));
    await returnBenefits(transaction, appId, { vouchers, orderIds: ordersWithPoints(proformas) }, now);
    return saveChanges(transaction, appId, changes, now);
  }
}

async function saveChanges(
  transaction: Transaction,
  appId: number,
  changes: readonly ProformaChange[],
  now: Date,
): Promise<readonly DueRefunds[]> {
  if (changes.length === 0) return [];
  transaction.record(appId, now, { entries: paymentEntries(changes) });
  const { text, values } = saveProformasStatement(appId, changes, shouldRefundInCall(changes.map(addedRefunds)), now);
  const [saved] = await transaction.rows<SavedIds>(text, values);
  const ids = [...(saved?.addedPayments ?? [])];
  const storedChanges = changes.map((change) => withPaymentIds(change, ids));
  const changesOfPaidAmount = storedChanges.filter(hasPaidAmountChanged);
  if (changesOfPaidAmount.length > 0) {
    await updateOrderPayments(
      transaction,
      appId,
      changesOfPaidAmount.map(({ after }) => after),
      now,
    );
  }
  return storedChanges.map(addedRefunds).filter(({ refundIds }) => refundIds.length > 0);
}
