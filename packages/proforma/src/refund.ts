import { isRefusal, type Refusal } from '@back-office/kernel';
import { resolveAlertsOf, withAlert } from './alerts.js';
import { isPendingRefund } from './payments.js';
import type { Alert, Payment, Proforma } from './proforma.js';
import { REFUND_PENDING } from './refusals.js';
import { decide, type Guard } from './transitions.js';

/** `failed`: refused for good; `unanswered`: asked as often as it may be asked, without an answer. */
export type RefundOutcome = 'refunded' | 'failed' | 'unanswered';

/** Refund entries that still wait for the gateway's word. */
export function pendingRefunds(proforma: Proforma): Payment[] {
  return proforma.payments.filter(isPendingRefund);
}

/** The refund of that id, or `undefined`: money that came in is none. */
export function refundOf(proforma: Proforma, paymentId: number): Payment | undefined {
  return proforma.payments.find(({ id, amount }) => id === paymentId && amount < 0);
}

/** Writes the gateway's word on one refund. A refund whose word is known already keeps it: the answer may come twice. */
export function settleRefund(proforma: Proforma, paymentId: number, outcome: RefundOutcome, now: Date): Proforma {
  const refund = proforma.payments.find((payment) => payment.id === paymentId && isPendingRefund(payment));
  if (refund === undefined) return proforma;
  const next = withStatus(proforma, refund, outcome === 'refunded' ? 'refunded' : 'refund_failed', now);
  return outcome === 'refunded'
    ? next
    : withAlert(next, failureKind(proforma), 'A refund failed', detailsOf(refund, outcome), now);
}

export interface RefundFacts {
  /** The id of a refund entry of the proforma. */
  readonly refundId: number;
  readonly now: Date;
}

export interface RecordedRefund extends RefundFacts {
  /** What the person's bank or processor calls the payout. */
  readonly reference: string | null;
}

const refundIsNotPending: Guard<RefundFacts> = (proforma, { refundId }) =>
  refundOf(proforma, refundId)?.status === 'pending' ? REFUND_PENDING : undefined;

/**
 * A person has paid out a refund that failed: it counts as refunded, and its alerts are resolved. One that is refunded
 * stays as it is; a pending one is refused, since the gateway may still pay it.
 */
export function recordRefund(proforma: Proforma, facts: RecordedRefund): Proforma | Refusal {
  const apply = (found: Proforma): Proforma => {
    const refund = failedRefund(found, facts.refundId);
    if (refund === undefined) return found;
    const { reference, now } = facts;
    const paidOut = { ...refund, reference: reference ?? refund.reference };
    const recorded = withStatus(replaced(found, refund, paidOut), paidOut, 'refunded', now);
    return noteOnAlertsOf(resolveAlertsOf(recorded, new Set([refund.id]), now), refund.id, {
      recorded: true,
      reference,
    });
  };
  return decide({ action: 'record_refund', guards: [refundIsNotPending], apply }, proforma, facts);
}

/** A refund that failed is pending again, and its alerts are resolved. Any other refund stays as it is. */
export function retryRefund(proforma: Proforma, facts: RefundFacts): Proforma {
  const apply = (found: Proforma): Proforma => {
    const refund = failedRefund(found, facts.refundId);
    if (refund === undefined) return found;
    return resolveAlertsOf(withStatus(found, refund, 'pending', facts.now), new Set([refund.id]), facts.now);
  };
  const outcome = decide({ action: 'retry_refund', guards: [], apply }, proforma, facts);
  return isRefusal(outcome) ? proforma : outcome;
}

/**
 * The key under which the gateway is asked for a refund. It stays the same until the gateway has refused: another key
 * is another refund, and an unanswered one may have been paid.
 */
export function refundKey(appId: number, proforma: Proforma, refundId: number): string {
  const refusals = proforma.alerts.filter(
    ({ details }) => details['payment_id'] === refundId && details['reason'] === 'failed',
  ).length;
  return `refund-${appId}-${refundId}${refusals === 0 ? '' : `-${refusals + 1}`}`;
}

function failedRefund(proforma: Proforma, refundId: number): Payment | undefined {
  const refund = refundOf(proforma, refundId);
  return refund?.status === 'refund_failed' ? refund : undefined;
}

function withStatus(proforma: Proforma, refund: Payment, status: Payment['status'], now: Date): Proforma {
  return { ...replaced(proforma, refund, { ...refund, status, date: now }), updatedAt: now };
}

function replaced(proforma: Proforma, payment: Payment, by: Payment): Proforma {
  return { ...proforma, payments: proforma.payments.map((each) => (each === payment ? by : each)) };
}

function noteOnAlertsOf(proforma: Proforma, refundId: number, note: Alert['details']): Proforma {
  const alerts = proforma.alerts.map((alert) =>
    alert.details['payment_id'] === refundId ? { ...alert, details: { ...alert.details, ...note } } : alert,
  );
  return { ...proforma, alerts };
}

function failureKind(proforma: Proforma): 'refund_failed' | 'expiry_refund_failed' {
  return proforma.status === 'expired' ? 'expiry_refund_failed' : 'refund_failed';
}

function detailsOf(refund: Payment, reason: RefundOutcome): Record<string, unknown> {
  return {
    reason,
    payment_id: refund.id,
    refund_of: refund.refundOf,
    payment_method: refund.method,
    amount: -refund.amount,
  };
}
