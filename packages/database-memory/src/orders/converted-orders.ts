import { newParts } from '@back-office/kernel';
import { CANCELED_ID, PAYABLE_IDS, PAYMENT_STATUSES, paymentStatusOf, statusIdIn } from '@back-office/orders';
import {
  convertedItems,
  convertedOrder,
  debtOf,
  isAllRefunded,
  paidAmountOf,
  type OrderState,
  type Proforma,
} from '@back-office/proforma';
import { randomInt } from 'node:crypto';
import type { State } from '../state.js';
import { insertOrder, type OrderToInsert } from './new-order.js';
import type { StoredOrder } from './records.js';

export function isPayable(order: StoredOrder): boolean {
  return PAYABLE_IDS.order.includes(order.order_status_id) && PAYABLE_IDS.payment.includes(order.payment_status_id);
}

export function isCanceled(order: StoredOrder): boolean {
  return order.order_status_id === CANCELED_ID;
}

export function insertConvertedOrder(state: State, appId: number, proforma: Proforma): StoredOrder {
  return insertOrder(state, appId, orderOf(proforma));
}

export function updateOrders(state: State, appId: number, proformas: readonly Proforma[], now: Date): OrderState[] {
  return proformas.flatMap((proforma) => {
    const order = state.orders.get(appId, proforma.orderId ?? 0);
    if (order === undefined) return [];
    const updatedOrder = { ...order, ...paymentColumns(proforma), updated_at: now };
    state.orders.put(appId, updatedOrder);
    return [{ id: order.id, isPayable: isPayable(updatedOrder), isCanceled: isCanceled(updatedOrder) }];
  });
}

function orderOf(proforma: Proforma): OrderToInsert {
  return {
    ...convertedOrder(proforma, newParts(proforma.convertedAt as Date, randomInt)),
    ...paymentColumns(proforma),
    items: convertedItems(proforma),
    payments: [],
  };
}

function paymentColumns({ endSales, payments }: Proforma) {
  const paidAmount = paidAmountOf(payments);
  const status = paymentStatusOf(paidAmount, endSales, isAllRefunded(payments));
  return {
    paid: paidAmount,
    debt: debtOf({ endSales, payments }),
    payment_status_id: statusIdIn(PAYMENT_STATUSES, status),
  };
}
