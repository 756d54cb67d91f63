import { isRefusal, type Refusal } from '@back-office/kernel';
import { resolveAlertsOf, withAlert } from './alerts.js';
import { debtOf, isPaidInFull, refundsDownTo } from './payments.js';
import type { Proforma, ProformaStatus } from './proforma.js';
import { NOTHING_CONFIRMED } from './refusals.js';
import { decide, isOpen, type Guard } from './transitions.js';

export interface At {
  readonly now: Date;
}

export interface CancelFacts extends At {
  readonly reason: string | null;
}

/** Captured payments become pending refunds; reserved stock goes back. */
export function cancel(proforma: Proforma, facts: CancelFacts): Proforma | Refusal {
  const apply = (found: Proforma): Proforma => callOff(found, 'canceled', facts.reason, facts.now);
  return decide({ action: 'cancel', guards: [], apply }, proforma, facts);
}

const somethingIsConfirmed: Guard<At> = (proforma) =>
  proforma.lines.every((line) => line.qtyConfirmed === 0) ? NOTHING_CONFIRMED : undefined;

export interface ConvertFacts extends At {
  readonly orderNumber: string;
  /** Minor units of the total that earn one loyalty point; 0 earns none. */
  readonly amountPerPoint: number;
}

/** Turns the proforma into an order, once: payments and reservations pass to the order with it. */
export function convert(proforma: Proforma, facts: ConvertFacts): Proforma | Refusal {
  if (proforma.status === 'converted') return proforma;
  const apply = (found: Proforma): Proforma => ({
    ...found,
    status: 'converted',
    convertedAt: facts.now,
    converted: {
      payments: found.payments,
      orderNumber: facts.orderNumber,
      points: earnedPoints(found, facts.amountPerPoint),
      isOrderPayable: debtOf(found) > 0,
    },
    updatedAt: facts.now,
  });
  return decide({ action: 'convert', guards: [somethingIsConfirmed], apply }, proforma, facts);
}

/** A guest has nobody to book them to. */
function earnedPoints({ buyer, endSales }: Proforma, amountPerPoint: number): number {
  return buyer.id === null || amountPerPoint <= 0 ? 0 : Math.floor(endSales / amountPerPoint);
}

/**
 * Gives back all that was paid for an order that is cancelled: captured payments become pending refunds, vouchers
 * last. Alerts of money that now goes back are resolved. A repeat finds nothing left.
 */
export function refundOrder(proforma: Proforma, { now }: At): Proforma {
  const apply = (found: Proforma): Proforma => {
    const refunds = refundsDownTo(0, found.payments, now);
    if (refunds.length === 0) return found;
    const refunded = new Set<unknown>(refunds.map(({ refundOf }) => refundOf));
    return resolveAlertsOf({ ...found, payments: [...found.payments, ...refunds], updatedAt: now }, refunded, now);
  };
  const outcome = decide({ action: 'refund_order', guards: [], apply }, proforma, { now });
  return isRefusal(outcome) ? proforma : outcome;
}

export interface DeadlineFacts extends At {
  /** The app's setting `proforma.expire_paid`. */
  readonly expirePaid: boolean;
}

export function isPastDeadline(proforma: Pick<Proforma, 'status' | 'expiresAt'>, now: Date): boolean {
  return isOpen(proforma) && proforma.expiresAt.getTime() <= now.getTime();
}

/**
 * What the customer is asked to pay now: the debt, for a converted proforma that of its order; 0 once nobody waits for
 * the money, or the deadline has passed.
 */
export function amountDue(
  proforma: Pick<Proforma, 'endSales' | 'payments' | 'status' | 'converted' | 'expiresAt'>,
  now: Date,
): number {
  if (proforma.status === 'canceled' || proforma.status === 'expired' || isPastDeadline(proforma, now)) return 0;
  return proforma.converted?.isOrderPayable === false ? 0 : debtOf(proforma);
}

/**
 * What its deadline does to a proforma: one with debt (or nothing to pay) expires; one that is paid in full stays,
 * unless the app lets those expire too, and gets a single alert. Before the deadline nothing happens.
 */
export function meetDeadline(proforma: Proforma, facts: DeadlineFacts): Proforma {
  if (!isPastDeadline(proforma, facts.now)) return proforma;
  const outcome = decide({ action: 'expire', guards: [], apply: expireOrAlert }, proforma, facts);
  return isRefusal(outcome) ? proforma : outcome;
}

/** When the deadline has to be looked at next; `null` when it has nothing left to do. */
export function dueAt(proforma: Proforma): Date | null {
  return isOpen(proforma) && !(isPaidFor(proforma) && hasUnconvertedAlert(proforma)) ? proforma.expiresAt : null;
}

function expireOrAlert(proforma: Proforma, { expirePaid, now }: DeadlineFacts): Proforma {
  if (expirePaid || !isPaidFor(proforma)) return callOff(proforma, 'expired', 'expired', now);
  if (hasUnconvertedAlert(proforma)) return proforma;
  return withAlert(proforma, 'paid_not_converted', 'Paid in full, but not converted before its deadline', {}, now);
}

function isPaidFor(proforma: Proforma): boolean {
  return proforma.endSales > 0 && isPaidInFull(proforma);
}

function hasUnconvertedAlert(proforma: Proforma): boolean {
  return proforma.alerts.some((alert) => alert.kind === 'paid_not_converted');
}

function callOff(proforma: Proforma, status: ProformaStatus, reason: string | null, now: Date): Proforma {
  return {
    ...proforma,
    status,
    payments: [...proforma.payments, ...refundsDownTo(0, proforma.payments, now)],
    canceledAt: now,
    cancelReason: reason,
    updatedAt: now,
  };
}
