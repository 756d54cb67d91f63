import type { ChangeableOrder, OnHand, OrderName, ReservedPieces } from '../src/order-changes.js';

/** Two pieces of variant 7 in warehouse 3. */
export const PIECES: ReservedPieces = { proformaItemId: 11, variantId: 7, warehouseId: 3, qty: 2 };

/** An open, paid, unshipped order that keeps nothing reserved, but for `more`. */
export function anOrder(more: Partial<ChangeableOrder> = {}): ChangeableOrder {
  return {
    id: 1,
    dataPart: 20,
    timePart: 30,
    number: 'O-1',
    status: 'open',
    paymentStatus: 'paid',
    deliveryStatus: 'pending',
    invoiceNumber: null,
    hasShipped: false,
    isRefundable: true,
    reserved: [],
    ...more,
  };
}

export function nameOf({ id, dataPart, timePart }: OrderName): OrderName {
  return { id, dataPart, timePart };
}

export const plenty: OnHand = () => 1_000;
