import { sum } from '@back-office/kernel';
import type { Payment } from './proforma.js';

export interface DueRefund {
  readonly appId: number;
  readonly paymentId: number;
}

export interface RefundClaim {
  readonly proformaId: number;
  readonly attempts: number;
}

export interface RefundQueue {
  due(now: Date, limit: number): Promise<DueRefund[]>;
  /**
   * Takes a due refund for one attempt and schedules the next attempt. Returns `undefined` when the refund is not due
   * or another worker has taken it.
   */
  claim(appId: number, paymentId: number, now: Date): Promise<RefundClaim | undefined>;
}

/** If a call makes the first attempt at a refund, the worker waits for this time before its own attempt. */
const CALLER_ATTEMPT_MS = 30_000;
/** Pause before the second attempt. Each later pause is longer than the previous one by this amount. */
export const REFUND_PAUSE_MS = 60_000;

export interface RefundAttempt {
  readonly attempts: number;
  readonly nextAttemptAt: Date;
}

/** `isAttemptedByCaller` is true if the call that makes the refund also requests it. */
export function firstAttempt(refund: Pick<Payment, 'date'>, isAttemptedByCaller: boolean): RefundAttempt {
  const wait = isAttemptedByCaller ? CALLER_ATTEMPT_MS : 0;
  return { attempts: isAttemptedByCaller ? 1 : 0, nextAttemptAt: new Date(refund.date.getTime() + wait) };
}

/** Maximum number of refunds for which the caller waits. */
const MAX_REFUNDS_IN_CALL = 50;

/** Returns true when the call itself requests the due refunds, and false when it leaves them to the worker. */
export function shouldRefundInCall(due: readonly { readonly refundIds: readonly number[] }[]): boolean {
  return sum(due.map(({ refundIds }) => refundIds.length)) <= MAX_REFUNDS_IN_CALL;
}
