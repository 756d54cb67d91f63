import type { PaymentMethod, Refusal } from '@back-office/kernel';
import { isPaidInFull, uncoveredAmount } from './payments.js';
import { NO_SOURCE, type Payment, type PaymentSource, type Proforma } from './proforma.js';
import {
  CASH_AMOUNT_REQUIRED,
  DEBT_ALREADY_PAID,
  EXCEEDS_DEBT,
  EXTERNAL_REF_TAKEN,
  METHOD_NOT_SUPPORTED,
} from './refusals.js';
import { decide, type Guard } from './transitions.js';

export interface PayFacts {
  readonly method: PaymentMethod | undefined;
  /** Minor units. A missing amount, or an amount of 0 or less, pays the whole debt. Cash requires an amount. */
  readonly amount: number | null | undefined;
  readonly source?: PaymentSource;
  readonly now: Date;
}

const checkMethod: Guard<PayFacts> = (_, { method }) =>
  method === undefined || method.kind === 'card' ? METHOD_NOT_SUPPORTED : undefined;

const checkCashAmount: Guard<PayFacts> = (_, { method, amount }) =>
  method?.kind === 'cash' && (amount === undefined || amount === null) ? CASH_AMOUNT_REQUIRED : undefined;

export const checkDebtRemains: Guard<PayFacts> = (proforma) =>
  uncoveredAmount(proforma) === 0 ? DEBT_ALREADY_PAID : undefined;

export const checkWithinDebt: Guard<PayFacts> = (proforma, { amount }) =>
  (amount ?? 0) > uncoveredAmount(proforma) ? EXCEEDS_DEBT : undefined;

/**
 * Adds a settled payment. A payment whose `externalRef` the proforma already has is a repeat, in every status: it changes
 * nothing, or is refused when it has another amount.
 */
export function pay(proforma: Proforma, facts: PayFacts): Proforma | Refusal {
  const bookedPayment = proforma.payments.find(
    ({ externalRef }) => externalRef !== null && externalRef === facts.source?.externalRef,
  );
  if (bookedPayment) return isRepeat(bookedPayment, facts) ? proforma : EXTERNAL_REF_TAKEN;
  const guards = [checkMethod, checkCashAmount, checkDebtRemains, checkWithinDebt];
  return decide({ action: 'pay', guards, apply: addPayment }, proforma, facts);
}

function isRepeat(bookedPayment: Payment, { amount }: PayFacts): boolean {
  return (amount ?? 0) <= 0 || amount === bookedPayment.amount;
}

function addPayment(proforma: Proforma, { method, amount, source = NO_SOURCE, now }: PayFacts): Proforma {
  const payment = { ...makePayment(method, amountToPay(proforma, amount), 'settled', now), ...source };
  return withPayments(proforma, [...proforma.payments, payment], now);
}

export function amountToPay(proforma: Proforma, requestedAmount: number | null | undefined): number {
  return (requestedAmount ?? 0) > 0 ? Number(requestedAmount) : uncoveredAmount(proforma);
}

export function makePayment(
  method: PaymentMethod | undefined,
  amount: number,
  status: Payment['status'],
  now: Date,
): Payment {
  const { id: methodId = null, name = '', kind = 'other' } = method ?? {};
  return {
    id: 0,
    amount,
    method: name,
    methodId,
    kind,
    status,
    date: now,
    refundOf: null,
    reference: null,
    voucherId: null,
    keyPart: null,
    ...NO_SOURCE,
  };
}

export function withPayments(proforma: Proforma, payments: readonly Payment[], now: Date): Proforma {
  const status = isPaidInFull({ ...proforma, payments }) ? 'paid' : proforma.status;
  return { ...proforma, payments, status, updatedAt: now };
}
