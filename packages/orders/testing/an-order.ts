import type { ChangeableOrder, OnHand, OrderIdentifier, ReservedPieces } from '../src/order-changes.js';

export const PIECES: ReservedPieces = { proformaItemId: 11, variantId: 7, warehouseId: 3, qty: 2 };

export function anOrder(overrides: Partial<ChangeableOrder> = {}): ChangeableOrder {
  return {
    id: 1,
    dataPart: 20,
    timePart: 30,
    number: 'O-1',
    status: 'open',
    paymentStatus: 'paid',
    deliveryStatus: 'pending',
    invoiceNumber: null,
    tracking: [],
    hasShipped: false,
    isUnpaid: false,
    isRefundable: true,
    reservedPieces: [],
    ...overrides,
  };
}

export function identifierOf({ id, dataPart, timePart }: OrderIdentifier): OrderIdentifier {
  return { id, dataPart, timePart };
}

export const plentyOnHand: OnHand = () => 1_000;
