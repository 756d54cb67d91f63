import type {
  Buyer,
  EvaluatedLine,
  FeeLine,
  Parts,
  PaymentMethodKind,
  PaymentStatus,
  Promotion,
  SaleTerms,
  Totals,
} from '@back-office/kernel';
import type { ProformaStatus } from './statuses.js';

/** Amounts are minor units for the whole quantity; `price` is for one piece. */
export interface ProformaLine extends EvaluatedLine {
  readonly id: number;
  /** Null until the warehouse confirms. */
  readonly qtyConfirmed: number | null;
  readonly warehouseId: number;
  readonly warehouseCode: string | null;
}

export interface ProformaFee extends FeeLine {
  /** In one series with the ids of the lines; negative in proformas of early releases. */
  readonly id: number;
  /** Null until the warehouse confirms; 0 when the fee is dropped. */
  readonly qtyConfirmed: number | null;
}

export type PaymentKind = PaymentMethodKind | 'voucher';

export interface Payer {
  readonly name: string | null;
  readonly account: string | null;
}

/** What the caller knows of a payment; only `pay` sets it. */
export interface PaymentSource {
  /** Unique in the app: a repeat with it books nothing. */
  readonly externalRef: string | null;
  readonly receivedAt: Date | null;
  readonly payer: Payer | null;
}

export const NO_SOURCE: PaymentSource = { externalRef: null, receivedAt: null, payer: null };

export interface Payment extends PaymentSource {
  /** The id is 0 until the entry is stored. */
  readonly id: number;
  /** Minor units; negative for a refund. */
  readonly amount: number;
  readonly method: string;
  readonly methodId: number | null;
  readonly kind: PaymentKind;
  readonly status: PaymentStatus;
  readonly date: Date;
  readonly refundOf: number | null;
  readonly reference: string | null;
  readonly voucherId: number | null;
  /** Random part of a refund's idempotency key; null in payments by the customer and in refunds of early releases. */
  readonly keyPart: string | null;
}

export interface Alert {
  readonly kind: 'refund_failed' | 'paid_not_converted' | 'expiry_refund_failed';
  readonly message: string;
  /** Amounts are in minor units. */
  readonly details: Readonly<Record<string, unknown>>;
  readonly resolvedAt: Date | null;
  readonly insertedAt: Date;
}

interface FrozenTerms {
  readonly id: number;
  readonly number: string;
  readonly evaluationId: number;
  readonly processingDate: Date;
  readonly expiresAt: Date;
  readonly buyer: Buyer;
  readonly originalEndSales: number;
  readonly promotions: readonly Promotion[];
  readonly insertedAt: Date;
}

export interface Conversion {
  readonly payments: readonly Payment[];
  readonly orderNumber: string;
  readonly points: number;
  /** False once the order is paid, refunded, completed or canceled. */
  readonly isOrderPayable: boolean;
  readonly isOrderCanceled: boolean;
  /** Null until the order is stored. */
  readonly orderParts: Parts | null;
}

export interface Proforma extends FrozenTerms, SaleTerms, Totals {
  readonly status: ProformaStatus;
  readonly lines: readonly ProformaLine[];
  readonly fees: readonly ProformaFee[];
  readonly payments: readonly Payment[];
  readonly alerts: readonly Alert[];
  readonly warehouseConfirmedAt: Date | null;
  readonly convertedAt: Date | null;
  /** Facts of the conversion, with the payments at that time; later payments belong to the order. Null until then. */
  readonly converted: Conversion | null;
  readonly orderId: number | null;
  readonly canceledAt: Date | null;
  readonly cancelReason: string | null;
  readonly updatedAt: Date;
}

/** Returns the payments that clients see: in a converted proforma, the payments at its conversion. */
export function shownPayments(proforma: Pick<Proforma, 'payments' | 'converted'>): readonly Payment[] {
  return proforma.converted?.payments ?? proforma.payments;
}

/** The lines of a converted proforma stay reserved until the order ships. */
export function reservedQty(proforma: Proforma, line: ProformaLine): number {
  if (proforma.status === 'canceled' || proforma.status === 'expired') return 0;
  return line.qtyConfirmed ?? line.qty;
}
