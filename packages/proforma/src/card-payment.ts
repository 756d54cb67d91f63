import type { Refusal } from '@back-office/kernel';
import { alertUnexpectedPayment } from './alerts.js';
import { checkWithinDebt, amountToPay, checkDebtRemains, makePayment, withPayments, type PayFacts } from './pay.js';
import { isPaidInFull, uncoveredAmount, refundableAmount, refundEntry } from './payments.js';
import type { Payment, Proforma } from './proforma.js';
import { METHOD_NOT_SUPPORTED } from './refusals.js';
import { decide, isOpen, type Guard } from './transitions.js';

const checkCardMethod: Guard<PayFacts> = (_, { method }) =>
  method?.kind === 'card' ? undefined : METHOD_NOT_SUPPORTED;

export function beginCardPayment(proforma: Proforma, facts: PayFacts): Proforma | Refusal {
  const guards = [checkCardMethod, checkDebtRemains, checkWithinDebt];
  return decide({ action: 'begin_card_payment', guards, apply: addPending }, proforma, facts);
}

function addPending(proforma: Proforma, { method, amount, now }: PayFacts): Proforma {
  const payment = makePayment(method, amountToPay(proforma, amount), 'pending', now);
  const status = proforma.status === 'draft' ? 'awaiting_payment' : proforma.status;
  return { ...proforma, payments: [...proforma.payments, payment], status, updatedAt: now };
}

export interface CardResult {
  readonly paymentId: number;
  readonly status: 'settled' | 'failed';
  readonly reference: string | null;
  readonly now: Date;
}

export function findCardPayment(proforma: Proforma, paymentId: number): Payment | undefined {
  return proforma.payments.find(({ id, kind, amount }) => id === paymentId && kind === 'card' && amount > 0);
}

/**
 * Stores the result of a card payment, whatever the status of the proforma; the first result wins. A settlement after a
 * failure only raises an alert. The part of the payment above the debt becomes a pending refund; in a canceled or
 * expired proforma, the whole payment does.
 */
export function receiveCardResult(proforma: Proforma, result: CardResult): Proforma | Refusal {
  const payment = findCardPayment(proforma, result.paymentId);
  const isLateSettlement = payment?.status === 'failed' && result.status === 'settled';
  if (payment?.status !== 'pending' && !isLateSettlement) return proforma;
  return decide(
    { action: 'card_result', guards: [], apply: isLateSettlement ? alertLateSettlement : storeResult },
    proforma,
    result,
  );
}

function storeResult(proforma: Proforma, { paymentId, status, reference, now }: CardResult): Proforma {
  const payments = proforma.payments.map((payment) =>
    payment.id === paymentId ? { ...payment, status, reference, date: now } : payment,
  );
  const settledPayments = payments.filter((payment) => payment.id === paymentId && payment.status === 'settled');
  const refunds = settledPayments.flatMap((payment) => excessRefunds(payment, amountNeeded(proforma), now));
  const next = { ...proforma, payments: [...payments, ...refunds], updatedAt: now };
  // A final proforma, or one that was already paid in full, keeps its status.
  return isOpen(proforma) && !isPaidInFull(proforma) ? withResultStatus(next, now) : next;
}

function alertLateSettlement(proforma: Proforma, { paymentId, reference, now }: CardResult): Proforma {
  const payment = findCardPayment(proforma, paymentId);
  if (payment === undefined) return proforma;
  return alertUnexpectedPayment(proforma, { ...payment, reference }, 'settled_after_failure', now);
}

export function alertPaymentsForCanceledOrder(before: Proforma, after: Proforma, now: Date): Proforma {
  const unexpectedPayments = before.payments.flatMap(({ id, status, amount }) => {
    const settledPayment =
      amount > 0 && status === 'pending' ? after.payments.find((payment) => payment.id === id) : undefined;
    return settledPayment?.status === 'settled' && refundableAmount(settledPayment, after.payments) > 0
      ? [settledPayment]
      : [];
  });
  return unexpectedPayments.reduce(
    (next, payment) => alertUnexpectedPayment(next, payment, 'order_canceled', now),
    after,
  );
}

function amountNeeded(proforma: Proforma): number {
  return isOpen(proforma) || proforma.status === 'converted' ? uncoveredAmount(proforma) : 0;
}

function excessRefunds(payment: Payment, needed: number, now: Date): Payment[] {
  return payment.amount > needed ? [refundEntry(payment, payment.amount - needed, now)] : [];
}

function withResultStatus(proforma: Proforma, now: Date): Proforma {
  if (isPaidInFull(proforma)) return withPayments(proforma, proforma.payments, now);
  const hasPendingCardPayment = proforma.payments.some(
    ({ kind, status, amount }) => kind === 'card' && status === 'pending' && amount > 0,
  );
  return proforma.status === 'awaiting_payment' && !hasPendingCardPayment ? { ...proforma, status: 'draft' } : proforma;
}
