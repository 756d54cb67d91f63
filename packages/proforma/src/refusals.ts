import { refuse, type Refusal } from '@back-office/kernel';

export const ALREADY_FINAL = refuse('API.ProformaOrders.AlreadyFinal');
export const BASKET_BELOW_MINIMUM = refuse('API.ProformaOrders.BasketBelowMinimum');
export const NOTHING_CONFIRMED = refuse('API.ProformaOrders.NothingConfirmed');
export const REFUND_PENDING = refuse('API.ProformaOrders.RefundPending');
export const REFUND_NOT_OWED = refuse('API.ProformaOrders.RefundNotOwed');
export const INVALID_TAGS = refuse('API.ProformaOrders.InvalidTags');
export const INVALID_COMMENT = refuse('API.ProformaOrders.InvalidComment');
export const NO_PAYMENT_QR = refuse('API.ProformaOrders.NoPaymentQr');
export const ALERT_NOT_FOUND = refuse('API.ProformaOrders.AlertNotFound');
export const WRONG_APP = refuse('API.ProformaOrders.WrongApp');
export const STALE_EVALUATION = refuse('API.OrderProcessings.StaleEvaluation');
export const MISSING_VAT = refuse('API.Products.MissingVat');
export const GUEST_DATA_INCOMPLETE = refuse('API.Orders.GuestDeliveryDataIncomplete');
export const PICKUP_POINT_REQUIRED = refuse('API.ShipmentMethods.PickupPointRequired');
export const PICKUP_POINT_UNAVAILABLE = refuse('API.ShipmentMethods.PickupPointUnavailable');
export const METHOD_NOT_SUPPORTED = refuse('API.PaymentMethod.NotSupported');
export const VOUCHER_NOT_AVAILABLE = refuse('API.Vouchers.NotAvailable');
export const CASH_AMOUNT_REQUIRED = refuse('API.Payments.CashAmountRequired');
export const EXTERNAL_REF_TAKEN = refuse('API.Payments.ExternalRefTaken');
export const DEBT_ALREADY_PAID = refuse('Order debt is already paid');
export const EXCEEDS_DEBT = refuse('Payment amount exceeds order debt');

/** Why no warehouse can supply a line of the basket. */
export interface Shortage {
  readonly code: string | null;
  readonly wanted: number;
  /** Pieces available for the line, without those that earlier lines take. */
  readonly available: readonly { readonly warehouse_code: string | null; readonly qty: number }[];
}

export function insufficientStock(product: string, shortage?: Shortage): Refusal {
  return {
    refused: `Insufficient stock for product: ${product}`,
    ...(shortage && { details: { product, ...shortage } }),
  };
}

export const CREATE_REFUSALS: readonly Refusal[] = [
  STALE_EVALUATION,
  WRONG_APP,
  MISSING_VAT,
  GUEST_DATA_INCOMPLETE,
  PICKUP_POINT_REQUIRED,
  PICKUP_POINT_UNAVAILABLE,
  VOUCHER_NOT_AVAILABLE,
  BASKET_BELOW_MINIMUM,
  insufficientStock('<product>'),
];
