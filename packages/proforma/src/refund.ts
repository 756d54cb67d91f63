import type { Refusal } from '@back-office/kernel';
import { resolvePaymentAlerts, withAlert } from './alerts.js';
import { owedAmount, isRefusedRefund, withdrawRefunds } from './owed-refunds.js';
import { debtOf, isPendingRefund, paidAmountOf } from './payments.js';
import type { Alert, Payment, Proforma } from './proforma.js';
import { REFUND_NOT_OWED, REFUND_PENDING } from './refusals.js';
import { decide, type Guard } from './transitions.js';

/** `failed`: the gateway finally refused the refund. `unanswered`: the last attempt had no answer. */
export type RefundOutcome = 'refunded' | 'failed' | 'unanswered';

export function pendingRefunds(proforma: Proforma): Payment[] {
  return proforma.payments.filter(isPendingRefund);
}

export function findRefund(proforma: Proforma, paymentId: number): Payment | undefined {
  return proforma.payments.find(({ id, amount }) => id === paymentId && amount < 0);
}

/** Returns the proforma unchanged unless the payment is a pending refund. */
export function applyRefundOutcome(proforma: Proforma, paymentId: number, outcome: RefundOutcome, now: Date): Proforma {
  const refund = proforma.payments.find((payment) => payment.id === paymentId && isPendingRefund(payment));
  if (refund === undefined) return proforma;
  const next = withStatus(proforma, refund, outcome === 'refunded' ? 'refunded' : 'refund_failed', now);
  if (outcome === 'refunded') return next;
  return withdrawRefunds(
    withAlert(next, failureKind(proforma), 'A refund failed', detailsOf(refund, outcome), now),
    now,
  );
}

export interface RefundFacts {
  readonly refundId: number;
  readonly now: Date;
}

export interface RecordedRefund extends RefundFacts {
  readonly reference: string | null;
}

const checkNotPending: Guard<RefundFacts> = (proforma, { refundId }) =>
  findRefund(proforma, refundId)?.status === 'pending' ? REFUND_PENDING : undefined;

/**
 * Records that a person has paid a failed or withdrawn refund, and resolves its alerts, which then hold the paid amount
 * and the debt. Refuses a pending refund, because the gateway may still pay it.
 */
export function recordRefund(proforma: Proforma, facts: RecordedRefund): Proforma | Refusal {
  const apply = (current: Proforma): Proforma => {
    const refund = findRefund(current, facts.refundId);
    if (refund === undefined || refund.status === 'refunded') return current;
    const { reference, now } = facts;
    const paidRefund = { ...refund, reference: reference ?? refund.reference };
    const recordedProforma = withStatus(replacePayment(current, refund, paidRefund), paidRefund, 'refunded', now);
    const resolvedProforma = resolvePaymentAlerts(recordedProforma, new Set([refund.id]), now);
    return withdrawRefunds(
      addAlertDetails(resolvedProforma, refund.id, {
        recorded: true,
        reference,
        paid: paidAmountOf(recordedProforma.payments),
        debt: debtOf(recordedProforma),
      }),
      now,
    );
  };
  return decide({ action: 'record_refund', guards: [checkNotPending], apply }, proforma, facts);
}

/**
 * An unanswered refund may have been paid, and its key allows no other amount: it is owed in full or not retried. Nothing
 * is owed of a withdrawn refund. Returns `undefined` for any other refund.
 */
function amountToRetry(proforma: Proforma, refundId: number): number | undefined {
  const refund = findRefund(proforma, refundId);
  if (refund?.status === 'failed') return 0;
  if (refund?.status !== 'refund_failed') return undefined;
  const owed = owedAmount(proforma, refund);
  return owed === -refund.amount || isRefusedRefund(proforma, refund) ? owed : 0;
}

const checkOwed: Guard<RefundFacts> = (proforma, { refundId }) =>
  amountToRetry(proforma, refundId) === 0 ? REFUND_NOT_OWED : undefined;

/** Retries a failed refund with at most what is overpaid now; refuses it when nothing is owed. */
export function retryRefund(proforma: Proforma, facts: RefundFacts): Proforma | Refusal {
  const apply = (current: Proforma): Proforma => {
    const refund = failedRefund(current, facts.refundId);
    if (refund === undefined) return current;
    const owedRefund = { ...refund, amount: -(amountToRetry(current, refund.id) ?? 0) };
    const owedProforma = replacePayment(current, refund, owedRefund);
    return resolvePaymentAlerts(
      withStatus(owedProforma, owedRefund, 'pending', facts.now),
      new Set([refund.id]),
      facts.now,
    );
  };
  return decide({ action: 'retry_refund', guards: [checkOwed], apply }, proforma, facts);
}

/**
 * Sets the random part of the key of each new refund; adapters call it before storing. The part is random, because two
 * databases with the same ids may use one payment service.
 */
export function withKeyParts(proforma: Proforma, drawKeyPart: () => string): Proforma {
  const isNew = (payment: Payment): boolean => payment.id === 0 && isPendingRefund(payment);
  if (!proforma.payments.some(isNew)) return proforma;
  const payments = proforma.payments.map((payment) =>
    isNew(payment) ? { ...payment, keyPart: drawKeyPart() } : payment,
  );
  return { ...proforma, payments };
}

/** The key changes only after a refusal by the gateway, because an unanswered refund may have been paid. */
export function refundKey(appId: number, proforma: Proforma, refundId: number): string {
  const refusalCount = proforma.alerts.filter(
    ({ details }) => details['payment_id'] === refundId && details['reason'] === 'failed',
  ).length;
  const keyPart = findRefund(proforma, refundId)?.keyPart ?? null;
  return [`refund-${appId}-${refundId}`, keyPart, refusalCount === 0 ? null : refusalCount + 1]
    .filter((part) => part !== null)
    .join('-');
}

function failedRefund(proforma: Proforma, refundId: number): Payment | undefined {
  const refund = findRefund(proforma, refundId);
  return refund?.status === 'refund_failed' ? refund : undefined;
}

function withStatus(proforma: Proforma, refund: Payment, status: Payment['status'], now: Date): Proforma {
  return { ...replacePayment(proforma, refund, { ...refund, status, date: now }), updatedAt: now };
}

function replacePayment(proforma: Proforma, payment: Payment, replacement: Payment): Proforma {
  return {
    ...proforma,
    payments: proforma.payments.map((candidate) => (candidate === payment ? replacement : candidate)),
  };
}

function addAlertDetails(proforma: Proforma, refundId: number, details: Alert['details']): Proforma {
  const alerts = proforma.alerts.map((alert) =>
    alert.details['payment_id'] === refundId ? { ...alert, details: { ...alert.details, ...details } } : alert,
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
