import type { Refusal } from '@back-office/kernel';
import { isPendingRefund, paidOf } from './payments.js';
import type { Proforma } from './proforma.js';
import { alertPaymentsForCanceledOrder } from './card-payment.js';
import { refundOrder } from './close.js';
import type { Stored, Verdict } from './proforma-orders.js';
import { insufficientStock } from './refusals.js';
import { AvailableStock, type StockRow } from './stock.js';

/** A proforma before and after a decision; the same object when nothing changed. */
export interface ProformaChange {
  readonly before: Proforma;
  readonly after: Proforma;
}

export interface DecidedChange extends ProformaChange {
  readonly refusal: Refusal | undefined;
  readonly preferredWarehouse: string | null;
}

export function changeOf(before: Proforma, { next, refusal, preferredWarehouse = null }: Verdict): DecidedChange {
  return { before, after: next, refusal, preferredWarehouse };
}

/** Chooses stock for the reservations; a change that needs more than is available becomes a refusal. */
export function withStock(changes: readonly DecidedChange[], stock: readonly StockRow[]): DecidedChange[] {
  const free = new AvailableStock(stock);
  return changes.map((change) => {
    const placed = free.take(change.before, change.after, change.preferredWarehouse);
    return 'missing' in placed
      ? { ...change, after: change.before, refusal: insufficientStock(placed.missing.name) }
      : { ...change, after: placed };
  });
}

export function storedOf({ before, after, refusal }: DecidedChange): Stored {
  return { before, proforma: after, ...(refusal && { refusal }) };
}

/** Only such a change overrides a payment status that a person has set. */
export function hasPaidAmountChanged({ before, after }: ProformaChange): boolean {
  return paidOf(before.payments) !== paidOf(after.payments);
}

/** Pending refunds that the change has added. */
export function addedRefunds({ before, after }: ProformaChange): {
  readonly proformaId: number;
  readonly refundIds: readonly number[];
} {
  const added = after.payments.slice(before.payments.length).filter(isPendingRefund);
  return { proformaId: after.id, refundIds: added.map(({ id }) => id) };
}

/** State of the order of a converted proforma after its payments changed. */
export interface SettledOrder {
  readonly isPayable: boolean;
  readonly isCanceled: boolean;
}

/** Applies the state of the order; payments for a canceled order raise alerts. */
export function withSettledOrder(
  { before, after }: ProformaChange,
  order: SettledOrder | undefined,
  now: Date,
): Proforma {
  const isOrderPayable = order?.isPayable ?? false;
  const settled = { ...after, converted: after.converted && { ...after.converted, isOrderPayable } };
  return order?.isCanceled ? alertPaymentsForCanceledOrder(before, settled, now) : settled;
}

/** Refunds the converted proformas; leaves out those with nothing to refund. */
export function refundOrders(proformas: readonly Proforma[], now: Date): ProformaChange[] {
  return proformas
    .map((before) => ({ before, after: refundOrder(before, { now }) }))
    .filter(({ before, after }) => before !== after);
}

export function ordersWithPoints(proformas: readonly Proforma[]): number[] {
  return proformas.flatMap(({ orderId, converted }) => (orderId && converted?.points ? [orderId] : []));
}
