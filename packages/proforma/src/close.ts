import { isRefusal, type Refusal } from '@back-office/kernel';
import { resolvePaymentAlerts, withAlert } from './alerts.js';
import { debtOf, isPaidInFull, refundsDownTo } from './payments.js';
import type { Proforma } from './proforma.js';
import { expires, type ProformaStatus } from './statuses.js';
import { NOTHING_CONFIRMED } from './refusals.js';
import { decide, type Guard } from './transitions.js';

export interface TimeFacts {
  readonly now: Date;
}

export interface CancelFacts extends TimeFacts {
  readonly reason: string | null;
}

export function cancel(proforma: Proforma, facts: CancelFacts): Proforma | Refusal {
  const apply = (openProforma: Proforma): Proforma => close(openProforma, 'canceled', facts.reason, facts.now);
  return decide({ action: 'cancel', guards: [], apply }, proforma, facts);
}

const checkAnyConfirmed: Guard<TimeFacts> = (proforma) =>
  proforma.lines.every((line) => line.qtyConfirmed === 0) ? NOTHING_CONFIRMED : undefined;

export interface ConvertFacts extends TimeFacts {
  readonly orderNumber: string;
  /** Minor units of the total that earn one loyalty point; 0 means no points. */
  readonly amountPerPoint: number;
}

/**
 * Converts the proforma to an order, which takes over its payments and reservations. A second conversion changes
 * nothing.
 */
export function convert(proforma: Proforma, facts: ConvertFacts): Proforma | Refusal {
  if (proforma.status === 'converted') return proforma;
  const apply = (openProforma: Proforma): Proforma => ({
    ...openProforma,
    status: 'converted',
    convertedAt: facts.now,
    converted: {
      payments: openProforma.payments,
      orderNumber: facts.orderNumber,
      points: pointsFor(openProforma, facts.amountPerPoint),
      isOrderPayable: debtOf(openProforma) > 0,
      isOrderCanceled: false,
      orderParts: null,
    },
    updatedAt: facts.now,
  });
  return decide({ action: 'convert', guards: [checkAnyConfirmed], apply }, proforma, facts);
}

function pointsFor({ buyer, endSales }: Proforma, amountPerPoint: number): number {
  return buyer.id === null || amountPerPoint <= 0 ? 0 : Math.floor(endSales / amountPerPoint);
}

/** Refunds all money of the order, which the caller cancels in the same transaction. */
export function refundOrder(proforma: Proforma, { now }: TimeFacts): Proforma {
  const apply = (convertedProforma: Proforma): Proforma => {
    const refunds = refundsDownTo(0, convertedProforma.payments, now);
    if (refunds.length === 0) return convertedProforma;
    const refundedIds = new Set<unknown>(refunds.map(({ refundOf }) => refundOf));
    return resolvePaymentAlerts(
      {
        ...convertedProforma,
        payments: [...convertedProforma.payments, ...refunds],
        converted: convertedProforma.converted && { ...convertedProforma.converted, isOrderCanceled: true },
        updatedAt: now,
      },
      refundedIds,
      now,
    );
  };
  const result = decide({ action: 'refund_order', guards: [], apply }, proforma, { now });
  return isRefusal(result) ? proforma : result;
}

export interface DeadlineFacts extends TimeFacts {
  /** True when paid proformas also expire. */
  readonly expirePaid: boolean;
}

export function isPastDeadline(proforma: Pick<Proforma, 'status' | 'expiresAt'>, now: Date): boolean {
  return expires(proforma.status) && proforma.expiresAt.getTime() <= now.getTime();
}

/**
 * Returns the debt in minor units; 0 if the proforma is canceled, expired or past its deadline, or if its order cannot
 * be paid.
 */
export function amountDue(
  proforma: Pick<Proforma, 'endSales' | 'payments' | 'status' | 'converted' | 'expiresAt'>,
  now: Date,
): number {
  if (proforma.status === 'canceled' || proforma.status === 'expired' || isPastDeadline(proforma, now)) return 0;
  return proforma.converted?.isOrderPayable === false ? 0 : debtOf(proforma);
}

/** Expires the proforma, or adds an alert if it is paid in full, once its deadline has passed. */
export function meetDeadline(proforma: Proforma, facts: DeadlineFacts): Proforma {
  if (!isPastDeadline(proforma, facts.now)) return proforma;
  const result = decide({ action: 'expire', guards: [], apply: expireOrAlert }, proforma, facts);
  return isRefusal(result) ? proforma : result;
}

/** Returns the time at which the sweep must process the proforma; null when no processing is due. */
export function dueAt(proforma: Proforma): Date | null {
  const isWaitingForPerson = hasPaidTotal(proforma) && hasUnconvertedAlert(proforma);
  return expires(proforma.status) && !isWaitingForPerson ? proforma.expiresAt : null;
}

function expireOrAlert(proforma: Proforma, { expirePaid, now }: DeadlineFacts): Proforma {
  if (expirePaid || !hasPaidTotal(proforma)) return close(proforma, 'expired', 'expired', now);
  if (hasUnconvertedAlert(proforma)) return proforma;
  return withAlert(proforma, 'paid_not_converted', 'Paid in full, but not converted before its deadline', {}, now);
}

function hasPaidTotal(proforma: Proforma): boolean {
  return proforma.endSales > 0 && isPaidInFull(proforma);
}

function hasUnconvertedAlert(proforma: Proforma): boolean {
  return proforma.alerts.some((alert) => alert.kind === 'paid_not_converted');
}

function close(proforma: Proforma, status: ProformaStatus, reason: string | null, now: Date): Proforma {
  return {
    ...proforma,
    status,
    payments: [...proforma.payments, ...refundsDownTo(0, proforma.payments, now)],
    canceledAt: now,
    cancelReason: reason,
    updatedAt: now,
  };
}
