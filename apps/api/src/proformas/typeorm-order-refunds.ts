import { sum, type Clock } from '@back-office/kernel';
import { isPendingRefund, paidOf, refundOrder, vouchersReturned, type Proforma } from '@back-office/proforma';
import type { Transaction } from '../database/database.js';
import { settleOrderPayments, type DueRefunds, type OrderRefunds } from '../orders/index.js';
import type { Refunds } from './refunds.js';
import { lockBenefits, returnBenefits } from './typeorm-benefits.js';
import { loadProformas, saveProformas, withPaymentIds, type ProformaChange } from './typeorm-proforma-changes.js';

/** So many refunds one call asks for itself; more would keep the caller and the payment service busy. */
const MAX_ASKED_IN_CALL = 50;

const PROFORMAS_OF = `
  select proforma_order_id as id from orders
  where app_id = $1 and id = any($2::bigint[]) and proforma_order_id is not null order by 1`;

/** Refunds of cancelled orders, through the proformas that hold their payments. */
export class TypeOrmOrderRefunds implements OrderRefunds {
  constructor(
    private readonly refunds: Pick<Refunds, 'payOutOf'>,
    private readonly clock: Clock,
  ) {}

  async lock(transaction: Transaction, appId: number, orderIds: readonly number[]): Promise<readonly Proforma[]> {
    const found = await transaction.rows<{ readonly id: number }>(PROFORMAS_OF, [appId, orderIds]);
    const ids = found.map(({ id }) => id);
    return loadProformas(transaction, appId, ids, 'wait');
  }

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

  async giveBack(
    transaction: Transaction,
    appId: number,
    proformas: readonly Proforma[],
  ): Promise<readonly DueRefunds[]> {
    const now = this.clock.now();
    const changes = proformas
      .map((before) => ({ before, after: refundOrder(before, { now }) }))
      .filter(({ before, after }) => before !== after);
    const vouchers = changes.flatMap(({ before, after }) => vouchersReturned(before, after));
    const orderIds = proformas.flatMap(({ orderId, converted }) => (orderId && converted?.points ? [orderId] : []));
    await returnBenefits(transaction, appId, { vouchers, orderIds }, now);
    return save(transaction, appId, changes, now);
  }

  async payOut(appId: number, due: readonly DueRefunds[]): Promise<void> {
    if (countOf(due) > MAX_ASKED_IN_CALL) return;
    await Promise.all(due.map(({ proformaId, refundIds }) => this.refunds.payOutOf(appId, proformaId, refundIds)));
  }
}

async function save(
  transaction: Transaction,
  appId: number,
  changes: readonly ProformaChange[],
  now: Date,
): Promise<readonly DueRefunds[]> {
  if (changes.length === 0) return [];
  const added = changes.map((change) => ({ proformaId: change.after.id, refundIds: pendingOf(change) }));
  const { text, values } = saveProformas(appId, changes, countOf(added) <= MAX_ASKED_IN_CALL, now);
  const ids = (await transaction.rows<{ readonly id: number }>(text, values)).map(({ id }) => id);
  const stored = changes.map((change) => withPaymentIds(change, ids));
  const paidOtherwise = stored.filter(({ before, after }) => paidOf(before.payments) !== paidOf(after.payments));
  if (paidOtherwise.length > 0) {
    await settleOrderPayments(
      transaction,
      appId,
      paidOtherwise.map(({ after }) => after),
      now,
    );
  }
  return stored
    .map((change) => ({ proformaId: change.after.id, refundIds: pendingOf(change) }))
    .filter(({ refundIds }) => refundIds.length > 0);
}

/** Refunds that the change has added. */
function pendingOf({ before, after }: ProformaChange): number[] {
  return after.payments
    .slice(before.payments.length)
    .filter(isPendingRefund)
    .map(({ id }) => id);
}

function countOf(due: readonly DueRefunds[]): number {
  return sum(due.map(({ refundIds }) => refundIds.length));
}
