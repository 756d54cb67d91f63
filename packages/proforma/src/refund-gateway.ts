export interface RefundRequest {
  /**
   * The key is the same for every attempt at a refund: at most 64 letters, digits and `-`. Its random part separates it
   * from refunds of other databases. The money must move at most once per key.
   */
  readonly idempotencyKey: string;
  readonly appId: number;
  readonly proformaId: number;
  readonly proformaNumber: string;
  readonly refundId: number;
  readonly paymentId: number;
  readonly paymentMethod: string;
  /**
   * The card processor's reference of the payment; `null` for cash, bank transfers and the like. A gateway that cannot
   * refund those returns `failed`, and a person is alerted.
   */
  readonly reference: string | null;
  /** Minor units of `currency`, positive: 12.90 EUR is 1290, 100 JPY is 100. */
  readonly amount: number;
  readonly currency: string;
}

export type RefundAnswer = 'refunded' | 'failed' | 'unknown';

/** Refunds money to the customer. It is called outside transactions only. */
export interface RefundGateway {
  /**
   * `refunded`: the refund is accepted, also on a repeat under the same key. `failed`: it is refused for good or not
   * supported. `unknown`: there is no answer, and the caller retries under the same key. Never throws; returns within
   * 10 s.
   */
  refund(request: RefundRequest): Promise<RefundAnswer>;
}
