import type { Refusal } from '@back-office/kernel';
import { withUnwantedMoney } from './alerts.js';
import { amountIsWithinDebt, amountOf, debtRemains, paymentBy, withPayments, type PayFacts } from './pay.js';
import { isPaidInFull, owedOf, refundable, refundEntry } from './payments.js';
import type { Payment, Proforma } from './proforma.js';
import { METHOD_NOT_SUPPORTED } from './refusals.js';
import { decide, isOpen, type Guard } from './transitions.js';

const thereIsACardMethod: Guard<PayFacts> = (_, { method }) =>
  method?.kind === 'card' ? undefined : METHOD_NOT_SUPPORTED;

/** A card payment in the customer's hands. A draft awaits it; any other open status stays. */
export function beginCardPayment(proforma: Proforma, facts: PayFacts): Proforma | Refusal {
  const guards = [thereIsACardMethod, debtRemains, amountIsWithinDebt];
  return decide({ action: 'begin_card_payment', guards, apply: addPending }, proforma, facts);
}

function addPending(proforma: Proforma, { method, amount, now }: PayFacts): Proforma {
  const payment = paymentBy(method, amountOf(proforma, amount), 'pending', now);
  const status = proforma.status === 'draft' ? 'awaiting_payment' : proforma.status;
  return { ...proforma, payments: [...proforma.payments, payment], status, updatedAt: now };
}

export interface CardResult {
  readonly paymentId: number;
  readonly status: 'settled' | 'failed';
  /** What the card's processor calls the payment. */
  readonly reference: string | null;
  readonly now: Date;
}

/** The card payment of that id, or `undefined`: other payments and refunds get no result. */
export function cardPayment(proforma: Proforma, paymentId: number): Payment | undefined {
  return proforma.payments.find(({ id, kind, amount }) => id === paymentId && kind === 'card' && amount > 0);
}

/**
 * Writes the processor's word on a card payment; a word that came before stands, so that it may come twice. Money that
 * comes for a payment that has failed is no payment: it leaves an alert.
 * It comes in every status: what of this payment an order or an open proforma has no debt for, and all of it for a
 * cancelled or expired one, goes back as a pending refund. Refunds that failed before are left to their alerts.
 */
export function receiveCardResult(proforma: Proforma, result: CardResult): Proforma | Refusal {
  const payment = cardPayment(proforma, result.paymentId);
  const isLate = payment?.status === 'failed' && result.status === 'settled';
  if (payment?.status !== 'pending' && !isLate) return proforma;
  return decide({ action: 'card_result', guards: [], apply: isLate ? report : settle }, proforma, result);
}

function settle(proforma: Proforma, { paymentId, status, reference, now }: CardResult): Proforma {
  const told = proforma.payments.map((payment) =>
    payment.id === paymentId ? { ...payment, status, reference, date: now } : payment,
  );
  const settled = told.filter((payment) => payment.id === paymentId && payment.status === 'settled');
  const refunds = settled.flatMap((payment) => excessOf(payment, neededOf(proforma), now));
  const next = { ...proforma, payments: [...told, ...refunds], updatedAt: now };
  // What was paid for before is neither made paid nor owed by one more word.
  return isOpen(proforma) && !isPaidInFull(proforma) ? afterResult(next, now) : next;
}

function report(proforma: Proforma, { paymentId, reference, now }: CardResult): Proforma {
  const payment = cardPayment(proforma, paymentId);
  if (payment === undefined) return proforma;
  return withUnwantedMoney(proforma, { ...payment, reference }, 'settled_after_failure', now);
}

/** After card payments settled for an order that is cancelled: an alert for each that does not go back by itself. */
export function reportMoneyForCanceledOrder(before: Proforma, after: Proforma, now: Date): Proforma {
  const settled = before.payments.flatMap(({ id, status, amount }) => {
    const next = amount > 0 && status === 'pending' ? after.payments.find((each) => each.id === id) : undefined;
    return next?.status === 'settled' && refundable(next, after.payments) > 0 ? [next] : [];
  });
  return settled.reduce((told, payment) => withUnwantedMoney(told, payment, 'order_canceled', now), after);
}

function neededOf(proforma: Proforma): number {
  return isOpen(proforma) || proforma.status === 'converted' ? owedOf(proforma) : 0;
}

function excessOf(payment: Payment, needed: number, now: Date): Payment[] {
  return payment.amount > needed ? [refundEntry(payment, payment.amount - needed, now)] : [];
}

function afterResult(proforma: Proforma, now: Date): Proforma {
  if (isPaidInFull(proforma)) return withPayments(proforma, proforma.payments, now);
  const isAwaited = proforma.payments.some(
    ({ kind, status, amount }) => kind === 'card' && status === 'pending' && amount > 0,
  );
  return proforma.status === 'awaiting_payment' && !isAwaited ? { ...proforma, status: 'draft' } : proforma;
}
