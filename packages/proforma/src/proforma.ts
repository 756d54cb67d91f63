import type { Totals, VatRate } from '@back-office/kernel';
import type { AppliedPromotion, Promotion } from './promotions.js';

/** In the order of the interface's table; a status id is the place in this list, counted from 1. */
export const STATUSES = [
  'draft',
  'awaiting_payment',
  'paid',
  'confirmed',
  'partial_confirmed',
  'converted',
  'canceled',
  'expired',
] as const;
export type ProformaStatus = (typeof STATUSES)[number];

export const FINAL_STATUSES = ['converted', 'canceled', 'expired'] as const satisfies readonly ProformaStatus[];
export const OPEN_STATUSES = STATUSES.filter((status) => !isFinal(status));

export function isFinal(status: ProformaStatus): boolean {
  return (FINAL_STATUSES as readonly ProformaStatus[]).includes(status);
}

export function statusId(status: ProformaStatus): number {
  return STATUSES.indexOf(status) + 1;
}

/** All amounts are minor units of the proforma's currency; discounts and amounts of a line are for its whole quantity. */
export interface ProformaLine {
  readonly id: number;
  readonly productId: number;
  readonly variantId: number;
  readonly code: string;
  readonly barcode: string | null;
  /** Name of the product, as frozen. */
  readonly name: string;
  readonly qty: number;
  /** `null` until the warehouse has spoken. */
  readonly qtyConfirmed: number | null;
  readonly price: number;
  readonly vatRate: VatRate;
  readonly sales: number;
  readonly discount: number;
  readonly promotions: readonly AppliedPromotion[];
  readonly warehouseId: number;
  readonly warehouseCode: string | null;
}

export interface FeeLine {
  readonly kind: string;
  readonly name: string;
  readonly qty: number;
  readonly price: number;
  readonly vatRate: VatRate;
  readonly sales: number;
  readonly discount: number;
}

export type PaymentMethodKind = 'cash' | 'bank_transfer' | 'card' | 'other';
export type PaymentStatus = 'pending' | 'settled' | 'failed' | 'refunded' | 'refund_failed';

export type PaymentKind = PaymentMethodKind | 'voucher';

export interface Payment {
  /** 0 until the entry is stored. */
  readonly id: number;
  /** Positive for money that came in, negative for a refund. */
  readonly amount: number;
  /** Name of the method, as frozen. */
  readonly method: string;
  readonly methodId: number | null;
  readonly kind: PaymentKind;
  readonly status: PaymentStatus;
  readonly date: Date;
  /** The captured payment that a refund gives back. */
  readonly refundOf: number | null;
  /** What the card's processor calls the payment. */
  readonly reference: string | null;
  readonly voucherId: number | null;
}

export interface Alert {
  readonly kind: 'refund_failed' | 'paid_not_converted' | 'expiry_refund_failed';
  readonly message: string;
  /** `amount` in it is in minor units. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly resolvedAt: Date | null;
  readonly insertedAt: Date;
}

export interface Address {
  readonly address_line_1: string | null;
  readonly city: string | null;
  readonly postcode: string | null;
  readonly country: string | null;
}

/** Who the offer is for, as frozen at the evaluation; `id` is `null` for a guest. */
export interface Buyer {
  readonly id: number | null;
  readonly dataPart: number | null;
  readonly timePart: number | null;
  readonly email: string | null;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly phone: string | null;
}

/** What is frozen when the proforma is made and never changes afterwards. */
export interface Frozen {
  readonly id: number;
  readonly number: string;
  readonly evaluationId: number;
  readonly processingDate: Date;
  readonly expiresAt: Date;
  readonly buyer: Buyer;
  readonly delivery: Address | null;
  readonly shipmentMethodCode: string | null;
  readonly pickupPointCode: string | null;
  readonly marketId: number;
  readonly currency: string;
  readonly salesChannelId: number;
  readonly salesChannel: string;
  /** The fees it was made with: a later confirmation may bring them back. */
  readonly originalFees: readonly FeeLine[];
  /** What the proforma came to when it was made; no repricing goes above it. */
  readonly originalEndSales: number;
  /** The promotions that applied when it was made, in their order, also those that took nothing off. */
  readonly promotions: readonly Promotion[];
  readonly insertedAt: Date;
}

export interface Conversion {
  readonly payments: readonly Payment[];
  readonly orderNumber: string;
  /** Loyalty points that the customer earned. */
  readonly points: number;
  /** Whether the order still waits for money; false once it is paid, refunded, completed or cancelled. */
  readonly isOrderPayable: boolean;
}

export interface Proforma extends Frozen, Totals {
  readonly status: ProformaStatus;
  readonly lines: readonly ProformaLine[];
  readonly fees: readonly FeeLine[];
  readonly payments: readonly Payment[];
  readonly alerts: readonly Alert[];
  readonly tags: readonly string[];
  readonly comment: string | null;
  readonly warehouseConfirmedAt: Date | null;
  readonly convertedAt: Date | null;
  /** The payments as they stood at conversion; later movements are the order's and are not shown here. */
  readonly converted: Conversion | null;
  readonly orderId: number | null;
  readonly canceledAt: Date | null;
  readonly cancelReason: string | null;
  readonly updatedAt: Date;
}

/** The payments that belong to the proforma: those at conversion once it is converted. */
export function shownPayments(proforma: Pick<Proforma, 'payments' | 'converted'>): readonly Payment[] {
  return proforma.converted?.payments ?? proforma.payments;
}

/** Pieces that the line keeps reserved in its warehouse. Converted lines stay reserved until the order ships. */
export function reservedQty(proforma: Proforma, line: ProformaLine): number {
  if (proforma.status === 'canceled' || proforma.status === 'expired') return 0;
  return line.qtyConfirmed ?? line.qty;
}
