import { withAlert } from './alerts.js';
import { isPendingRefund } from './payments.js';
import type { Payment, Proforma } from './proforma.js';

export type RefundOutcome = 'refunded' | 'failed';

/** Refund entries that still wait for the gateway's word. */
export function pendingRefunds(proforma: Proforma): Payment[] {
  return proforma.payments.filter(isPendingRefund);
}

/** Writes the gateway's word on one refund. A refund whose word is known already keeps it: the answer may come twice. */
export function settleRefund(proforma: Proforma, paymentId: number, outcome: RefundOutcome, now: Date): Proforma {
  const refund = proforma.payments.find((payment) => payment.id === paymentId && isPendingRefund(payment));
  if (refund === undefined) return proforma;
  const settled: Payment = { ...refund, status: outcome === 'refunded' ? 'refunded' : 'refund_failed', date: now };
  const payments = proforma.payments.map((payment) => (payment === refund ? settled : payment));
  const next = { ...proforma, payments, updatedAt: now };
  return outcome === 'refunded'
    ? next
    : withAlert(next, failureKind(proforma), 'A refund failed', detailsOf(refund), now);
}

function failureKind(proforma: Proforma): 'refund_failed' | 'expiry_refund_failed' {
  return proforma.status === 'expired' ? 'expiry_refund_failed' : 'refund_failed';
}

function detailsOf(refund: Payment): Record<string, unknown> {
  return { payment_id: refund.id, refund_of: refund.refundOf, payment_method: refund.method };
}
