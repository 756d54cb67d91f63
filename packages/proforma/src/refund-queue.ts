import { sum } from '@back-office/kernel';
import type { Payment } from './proforma.js';

export interface DueRefund {
  readonly appId: number;
  readonly paymentId: number;
}

export interface RefundClaim {
  readonly proformaId: number;
  /** Number of attempts, this one included. */
  readonly attempts: number;
}

/** Pending refunds that the gateway has not answered. */
export interface RefundQueue {
  due(now: Date, limit: number): Promise<DueRefund[]>;
  /** Takes a due refund for one attempt and schedules the next; `undefined` when it is not due or already taken. */
  claim(appId: number, paymentId: number, now: Date): Promise<RefundClaim | undefined>;
}

/** The call that decided on a refund asks for it; after this time the worker may. */
const CALL_MS = 30_000;
/** Pause before the second attempt; each further pause is longer by the same amount. */
export const REFUND_PAUSE_MS = 60_000;

export interface RefundAttempt {
  readonly attempts: number;
  readonly nextAttemptAt: Date;
}

/** Refunds of a call count one attempt; those of the sweep are due at once. */
export function firstAttempt(refund: Pick<Payment, 'date'>, isAskedInCall: boolean): RefundAttempt {
  const wait = isAskedInCall ? CALL_MS : 0;
  return { attempts: isAskedInCall ? 1 : 0, nextAttemptAt: new Date(refund.date.getTime() + wait) };
}

/** More would make the caller wait too long. */
const MAX_REFUNDS_IN_CALL = 50;

/** Whether the current call asks for these refunds; otherwise the worker does. */
export function shouldAskInCall(due: readonly { readonly refundIds: readonly number[] }[]): boolean {
  return sum(due.map(({ refundIds }) => refundIds.length)) <= MAX_REFUNDS_IN_CALL;
}
