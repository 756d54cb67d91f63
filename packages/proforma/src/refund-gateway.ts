export interface RefundRequest {
  /**
   * Every attempt at a refund has the same key of at most 64 letters, digits and `-`. The random part of the key
   * distinguishes it from refunds of other databases. The money must move at most once per key.
   */
  readonly idempotencyKey: string;
  readonly appId: number;
  readonly proformaId: number;
  readonly proformaNumber: string;
  readonly refundId: number;
  readonly paymentId: number;
  readonly paymentMethod: string;
  /**
   * The card processor's reference of the payment; null for cash, bank transfers and similar payments. A gateway that
   * cannot refund such a payment returns `failed`, which alerts a person.
   */
  readonly reference: string | null;
  /** Minor units of `currency`, positive: 12.90 EUR is 1290, 100 JPY is 100. */
  readonly amount: number;
  readonly currency: string;
}

export type RefundAnswer = 'refunded' | 'failed' | 'unknown';

/** Refunds money to the customer. Callers hold no transaction. */
export interface RefundGateway {
  /**
   * `refunded`: the refund is accepted, even when repeated under the same key. `failed`: the refund is refused for good
   * or not supported. `unknown`: the service has not answered, and the caller retries under the same key. Never throws;
   * returns within 10 s.
   */
  refund(request: RefundRequest): Promise<RefundAnswer>;
}
