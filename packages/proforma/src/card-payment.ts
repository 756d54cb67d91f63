import type { Refusal } from '@back-office/kernel';
import { alertUnexpectedPayment } from './alerts.js';
import { amountIsWithinDebt, amountToPay, debtRemains, paymentBy, withPayments, type PayFacts } from './pay.js';
import { isPaidInFull, uncoveredAmount, refundable, refundEntry } from './payments.js';
import type { Payment, Proforma } from './proforma.js';
import { METHOD_NOT_SUPPORTED } from './refusals.js';
import { decide, isOpen, type Guard } from './transitions.js';

const methodIsCard: Guard<PayFacts> = (_, { method }) => (method?.kind === 'card' ? undefined : METHOD_NOT_SUPPORTED);

/** Adds a pending card payment. A draft becomes `awaiting_payment`; any other open status stays. */
export function beginCardPayment(proforma: Proforma, facts: PayFacts): Proforma | Refusal {
  const guards = [methodIsCard, debtRemains, amountIsWithinDebt];
  return decide({ action: 'begin_card_payment', guards, apply: addPending }, proforma, facts);
}

function addPending(proforma: Proforma, { method, amount, now }: PayFacts): Proforma {
  const payment = paymentBy(method, amountToPay(proforma, amount), 'pending', now);
  const status = proforma.status === 'draft' ? 'awaiting_payment' : proforma.status;
  return { ...proforma, payments: [...proforma.payments, payment], status, updatedAt: now };
}

export interface CardResult {
  readonly paymentId: number;
  readonly status: 'settled' | 'failed';
  /** Reference of the card processor. */
  readonly reference: string | null;
  readonly now: Date;
}

/** The card payment with this id; `undefined` for refunds and other payments. */
export function cardPayment(proforma: Proforma, paymentId: number): Payment | undefined {
  return proforma.payments.find(({ id, kind, amount }) => id === paymentId && kind === 'card' && amount > 0);
}

/**
 * Stores the result of a card payment, in any status; the first result wins. Money for a payment that had failed raises
 * an alert instead. The part above the debt becomes a pending refund; for a canceled or expired proforma all of it does.
 */
export function receiveCardResult(proforma: Proforma, result: CardResult): Proforma | Refusal {
  const payment = cardPayment(proforma, result.paymentId);
  const isLate = payment?.status === 'failed' && result.status === 'settled';
  if (payment?.status !== 'pending' && !isLate) return proforma;
  return decide({ action: 'card_result', guards: [], apply: isLate ? alertLateMoney : storeResult }, proforma, result);
}

function storeResult(proforma: Proforma, { paymentId, status, reference, now }: CardResult): Proforma {
  const payments = proforma.payments.map((payment) =>
    payment.id === paymentId ? { ...payment, status, reference, date: now } : payment,
  );
  const settled = payments.filter((payment) => payment.id === paymentId && payment.status === 'settled');
  const refunds = settled.flatMap((payment) => excessRefunds(payment, amountNeeded(proforma), now));
  const next = { ...proforma, payments: [...payments, ...refunds], updatedAt: now };
  // A proforma that was already paid in full keeps its status.
  return isOpen(proforma) && !isPaidInFull(proforma) ? withResultStatus(next, now) : next;
}

function alertLateMoney(proforma: Proforma, { paymentId, reference, now }: CardResult): Proforma {
  const payment = cardPayment(proforma, paymentId);
  if (payment === undefined) return proforma;
  return alertUnexpectedPayment(proforma, { ...payment, reference }, 'settled_after_failure', now);
}

/** Adds an alert for each card payment that settled after its order was canceled and is not refunded. */
export function alertPaymentsForCanceledOrder(before: Proforma, after: Proforma, now: Date): Proforma {
  const settled = before.payments.flatMap(({ id, status, amount }) => {
    const next = amount > 0 && status === 'pending' ? after.payments.find((each) => each.id === id) : undefined;
    return next?.status === 'settled' && refundable(next, after.payments) > 0 ? [next] : [];
  });
  return settled.reduce((next, payment) => alertUnexpectedPayment(next, payment, 'order_canceled', now), after);
}

function amountNeeded(proforma: Proforma): number {
  return isOpen(proforma) || proforma.status === 'converted' ? uncoveredAmount(proforma) : 0;
}

function excessRefunds(payment: Payment, needed: number, now: Date): Payment[] {
  return payment.amount > needed ? [refundEntry(payment, payment.amount - needed, now)] : [];
}

function withResultStatus(proforma: Proforma, now: Date): Proforma {
  if (isPaidInFull(proforma)) return withPayments(proforma, proforma.payments, now);
  const isAwaited = proforma.payments.some(
    ({ kind, status, amount }) => kind === 'card' && status === 'pending' && amount > 0,
  );
  return proforma.status === 'awaiting_payment' && !isAwaited ? { ...proforma, status: 'draft' } : proforma;
}
