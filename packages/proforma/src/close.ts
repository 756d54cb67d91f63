import { isRefusal, type Refusal } from '@back-office/kernel';
import { resolvePaymentAlerts, withAlert } from './alerts.js';
import { debtOf, isPaidInFull, refundsDownTo } from './payments.js';
import type { Proforma, ProformaStatus } from './proforma.js';
import { NOTHING_CONFIRMED } from './refusals.js';
import { decide, isOpen, type Guard } from './transitions.js';

export interface TimeFacts {
  readonly now: Date;
}

export interface CancelFacts extends TimeFacts {
  readonly reason: string | null;
}

/** Captured payments become pending refunds; reserved stock is released. */
export function cancel(proforma: Proforma, facts: CancelFacts): Proforma | Refusal {
  const apply = (found: Proforma): Proforma => close(found, 'canceled', facts.reason, facts.now);
  return decide({ action: 'cancel', guards: [], apply }, proforma, facts);
}

const somethingIsConfirmed: Guard<TimeFacts> = (proforma) =>
  proforma.lines.every((line) => line.qtyConfirmed === 0) ? NOTHING_CONFIRMED : undefined;

export interface ConvertFacts extends TimeFacts {
  readonly orderNumber: string;
  /** Minor units of the total that earn one loyalty point; 0 earns none. */
  readonly amountPerPoint: number;
}

/** Turns the proforma into an order, which takes over payments and reservations. A repeat changes nothing. */
export function convert(proforma: Proforma, facts: ConvertFacts): Proforma | Refusal {
  if (proforma.status === 'converted') return proforma;
  const apply = (found: Proforma): Proforma => ({
    ...found,
    status: 'converted',
    convertedAt: facts.now,
    converted: {
      payments: found.payments,
      orderNumber: facts.orderNumber,
      points: pointsFor(found, facts.amountPerPoint),
      isOrderPayable: debtOf(found) > 0,
    },
    updatedAt: facts.now,
  });
  return decide({ action: 'convert', guards: [somethingIsConfirmed], apply }, proforma, facts);
}

function pointsFor({ buyer, endSales }: Proforma, amountPerPoint: number): number {
  return buyer.id === null || amountPerPoint <= 0 ? 0 : Math.floor(endSales / amountPerPoint);
}

/**
 * Refunds all payments of a canceled order, vouchers last. Alerts about the refunded payments are resolved. A repeat
 * changes nothing.
 */
export function refundOrder(proforma: Proforma, { now }: TimeFacts): Proforma {
  const apply = (found: Proforma): Proforma => {
    const refunds = refundsDownTo(0, found.payments, now);
    if (refunds.length === 0) return found;
    const refunded = new Set<unknown>(refunds.map(({ refundOf }) => refundOf));
    return resolvePaymentAlerts({ ...found, payments: [...found.payments, ...refunds], updatedAt: now }, refunded, now);
  };
  const outcome = decide({ action: 'refund_order', guards: [], apply }, proforma, { now });
  return isRefusal(outcome) ? proforma : outcome;
}

export interface DeadlineFacts extends TimeFacts {
  /** The app's setting `proforma.expire_paid`. */
  readonly expirePaid: boolean;
}

export function isPastDeadline(proforma: Pick<Proforma, 'status' | 'expiresAt'>, now: Date): boolean {
  return isOpen(proforma) && proforma.expiresAt.getTime() <= now.getTime();
}

/**
 * Amount that the customer has to pay now, in minor units: the debt, or 0 once the proforma is closed, its deadline has
 * passed or its order needs no payment.
 */
export function amountDue(
  proforma: Pick<Proforma, 'endSales' | 'payments' | 'status' | 'converted' | 'expiresAt'>,
  now: Date,
): number {
  if (proforma.status === 'canceled' || proforma.status === 'expired' || isPastDeadline(proforma, now)) return 0;
  return proforma.converted?.isOrderPayable === false ? 0 : debtOf(proforma);
}

/**
 * Past the deadline a proforma with debt or nothing to pay expires. A paid one gets a single alert, or expires when the
 * app says so.
 */
export function meetDeadline(proforma: Proforma, facts: DeadlineFacts): Proforma {
  if (!isPastDeadline(proforma, facts.now)) return proforma;
  const outcome = decide({ action: 'expire', guards: [], apply: expireOrAlert }, proforma, facts);
  return isRefusal(outcome) ? proforma : outcome;
}

/** When the sweep has to look at the proforma; `null` when never again. */
export function dueAt(proforma: Proforma): Date | null {
  return isOpen(proforma) && !(isPaidFor(proforma) && hasUnconvertedAlert(proforma)) ? proforma.expiresAt : null;
}

function expireOrAlert(proforma: Proforma, { expirePaid, now }: DeadlineFacts): Proforma {
  if (expirePaid || !isPaidFor(proforma)) return close(proforma, 'expired', 'expired', now);
  if (hasUnconvertedAlert(proforma)) return proforma;
  return withAlert(proforma, 'paid_not_converted', 'Paid in full, but not converted before its deadline', {}, now);
}

function isPaidFor(proforma: Proforma): boolean {
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
