import type { Clock } from '@back-office/kernel';
import type { DueRefunds } from '@back-office/orders';
import {
  addedRefunds,
  shouldAskInCall,
  hasPaidAmountChanged,
  ordersWithPoints,
  refundOrders,
  addedVoucherRefunds,
  type Proforma,
  type ProformaChange,
} from '@back-office/proforma';
import type { Transaction } from '../client-transaction.js';
import { settleOrderPayments } from '../orders/converted-orders.js';
import { lockBenefits, returnBenefits } from './benefits.js';
import { loadProformas, saveProformasStatement, withPaymentIds, withRefundKeys } from './proforma-changes.js';

const FIND_PROFORMA_IDS = `
  select proforma_order_id as id from orders
  where app_id = $1 and id = any($2::bigint[]) and proforma_order_id is not null order by 1`;

export class OrderRefunds {
  constructor(private readonly clock: Clock) {}

  /** Must run before the orders are locked. */
  async lock(transaction: Transaction, appId: number, orderIds: readonly number[]): Promise<readonly Proforma[]> {
    const rows = await transaction.rows<{ readonly id: number }>(FIND_PROFORMA_IDS, [appId, orderIds]);
    const ids = rows.map(({ id }) => id);
    return loadProformas(transaction, appId, ids, 'wait');
  }

  /** Must run after the orders and before the stock are locked. */
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
  const { text, values } = saveProformasStatement(appId, changes, shouldAskInCall(changes.map(addedRefunds)), now);
  const ids = (await transaction.rows<{ readonly id: number }>(text, values)).map(({ id }) => id);
  const storedChanges = changes.map((change) => withPaymentIds(change, ids));
  const changesOfPaidAmount = storedChanges.filter(hasPaidAmountChanged);
  if (changesOfPaidAmount.length > 0) {
    await settleOrderPayments(
      transaction,
      appId,
      changesOfPaidAmount.map(({ after }) => after),
      now,
    );
  }
  return storedChanges.map(addedRefunds).filter(({ refundIds }) => refundIds.length > 0);
}
