import type { Refusal } from '@back-office/kernel';
import { isPendingRefund, paidAmountOf } from './payments.js';
import type { Proforma } from './proforma.js';
import { alertPaymentsForCanceledOrder } from './card-payment.js';
import { refundOrder } from './close.js';
import type { StoredChange, Verdict } from './proforma-orders.js';
import { insufficientStock } from './refusals.js';
import { AvailableStock, type StockRow } from './stock.js';

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

/** Takes the stock of each change in order. A change that needs more stock than available becomes a refusal. */
export function withStock(changes: readonly DecidedChange[], stock: readonly StockRow[]): DecidedChange[] {
  const availableStock = new AvailableStock(stock);
  return changes.map((change) => {
    const result = availableStock.take(change.before, change.after, change.preferredWarehouse);
    return 'missing' in result
      ? { ...change, after: change.before, refusal: insufficientStock(result.missing.name, result.shortage) }
      : { ...change, after: result };
  });
}

export function storedChangeOf({ before, after, refusal }: DecidedChange): StoredChange {
  return { before, proforma: after, ...(refusal && { refusal }) };
}

/**
 * Adapters update the payment status of the order only if this returns true, so that a status set by a person stays.
 */
export function hasPaidAmountChanged({ before, after }: ProformaChange): boolean {
  return paidAmountOf(before.payments) !== paidAmountOf(after.payments);
}

export function addedRefunds({ before, after }: ProformaChange): {
  readonly proformaId: number;
  readonly refundIds: readonly number[];
} {
  const refunds = after.payments.slice(before.payments.length).filter(isPendingRefund);
  return { proformaId: after.id, refundIds: refunds.map(({ id }) => id) };
}

export interface NewOrder {
  readonly id: number;
  readonly data_part: number;
  readonly time_part: number;
}

/** Returns the converted proforma with its stored order. */
export function withOrder(proforma: Proforma, { id, data_part: dataPart, time_part: timePart }: NewOrder): Proforma {
  const converted = proforma.converted && { ...proforma.converted, orderParts: { dataPart, timePart } };
  return { ...proforma, orderId: id, converted };
}

export interface OrderState {
  readonly id: number;
  readonly isPayable: boolean;
  readonly isCanceled: boolean;
}

/** Copies whether the order is payable, and adds alerts for payments of a canceled order. */
export function withOrderState({ before, after }: ProformaChange, order: OrderState | undefined, now: Date): Proforma {
  const orderFacts = { isOrderPayable: order?.isPayable ?? false, isOrderCanceled: order?.isCanceled ?? false };
  const withState = { ...after, converted: after.converted && { ...after.converted, ...orderFacts } };
  return order?.isCanceled ? alertPaymentsForCanceledOrder(before, withState, now) : withState;
}

/** Refunds all money of the orders; omits orders without money to refund. */
export function refundOrders(proformas: readonly Proforma[], now: Date): ProformaChange[] {
  return proformas
    .map((before) => ({ before, after: refundOrder(before, { now }) }))
    .filter(({ before, after }) => before !== after);
}

/** Returns the ids of orders that earned loyalty points. */
export function ordersWithPoints(proformas: readonly Proforma[]): number[] {
  return proformas.flatMap(({ orderId, converted }) => (orderId && converted?.points ? [orderId] : []));
}
