/** `id` is the id of the payment. */
export interface QueuedRefund {
  readonly id: number;
  readonly proforma_id: number;
  readonly attempts: number;
  readonly next_attempt_at: Date;
}

/** `id` is the id of the order. */
export interface LoyaltyBooking {
  readonly id: number;
  readonly customer_id: number;
  readonly points: number;
  readonly inserted_at: Date;
  readonly taken_back_at: Date | null;
}
