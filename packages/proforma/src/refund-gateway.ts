export interface RefundRequest {
  /**
   * All attempts at a refund have the same key of at most 64 letters, digits and `-`. Money must move at most once per
   * key. The random part of the key distinguishes the refund from refunds of other databases.
   */
  readonly idempotencyKey: string;
  readonly appId: number;
  readonly proformaId: number;
  readonly proformaNumber: string;
  readonly refundId: number;
  readonly paymentId: number;
  readonly paymentMethod: string;
  /**
   * Reference of the payment at the card processor; null for cash, bank transfers and similar payments. A gateway that
   * cannot refund such payments returns `failed`, which raises an alert for a person.
   */
  readonly reference: string | null;
  /** Minor units of `currency`, positive: 12.90 EUR is 1290, 100 JPY is 100. */
  readonly amount: number;
  readonly currency: string;
}

export type RefundAnswer = 'refunded' | 'failed' | 'unknown';

/** Refunds money to the customer. Callers must not hold a transaction. */
export interface RefundGateway {
  /**
   * Returns `refunded` if the payment service accepted this request, or an earlier one with the same key. Returns
   * `failed` if the payment service finally refuses the refund or does not support it. Returns `unknown` if the payment
   * service has not answered; the caller then retries with the same key. Never throws, and returns within 10 s.
   */
  refund(request: RefundRequest): Promise<RefundAnswer>;
}
