/** One refund to be paid out. The same `idempotencyKey` asked again must not pay twice. */
export interface RefundRequest {
  readonly idempotencyKey: string;
  readonly appId: number;
  readonly proformaId: number;
  readonly proformaNumber: string;
  /** The refund's own id. */
  readonly refundId: number;
  /** The captured payment that is given back, in whole or in part. */
  readonly paymentId: number;
  readonly paymentMethod: string;
  /** What the card's processor called that payment; `null` for other payments. */
  readonly reference: string | null;
  /** Minor units of `currency`, positive. */
  readonly amount: number;
  readonly currency: string;
}

/** Gives money back to the customer. Called outside transactions only. */
export interface RefundGateway {
  /**
   * `refunded`: the money is on its way for good, also on a repeat under the same key. `failed`: refused for good.
   * `unknown`: no answer; the caller asks again later under the same key. Never throws, never takes above 10 s.
   */
  refund(request: RefundRequest): Promise<'refunded' | 'failed' | 'unknown'>;
}
