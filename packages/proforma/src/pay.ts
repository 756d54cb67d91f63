import type { Refusal } from '@back-office/kernel';
import { isPaidInFull, owedOf } from './payments.js';
import type { Payment, PaymentMethodKind, Proforma } from './proforma.js';
import { CASH_AMOUNT_REQUIRED, DEBT_ALREADY_PAID, EXCEEDS_DEBT, METHOD_NOT_SUPPORTED } from './refusals.js';
import { decide, type Guard } from './transitions.js';

export interface PaymentMethod {
  readonly id: number;
  readonly name: string;
  readonly kind: PaymentMethodKind;
}

export interface PayFacts {
  /** `undefined` when the app has no such method. */
  readonly method: PaymentMethod | undefined;
  /** Minor units; 0 or less pays the whole debt; absent or `null` likewise, except in cash. */
  readonly amount: number | null | undefined;
  readonly now: Date;
}

const methodIsSupported: Guard<PayFacts> = (_, { method }) =>
  method === undefined || method.kind === 'card' ? METHOD_NOT_SUPPORTED : undefined;

const cashNamesItsAmount: Guard<PayFacts> = (_, { method, amount }) =>
  method?.kind === 'cash' && (amount === undefined || amount === null) ? CASH_AMOUNT_REQUIRED : undefined;

export const debtRemains: Guard<PayFacts> = (proforma) => (owedOf(proforma) === 0 ? DEBT_ALREADY_PAID : undefined);

export const amountIsWithinDebt: Guard<PayFacts> = (proforma, { amount }) =>
  (amount ?? 0) > owedOf(proforma) ? EXCEEDS_DEBT : undefined;

/** Records a payment that settles at once. The status becomes `paid` as soon as payments cover the total. */
export function pay(proforma: Proforma, facts: PayFacts): Proforma | Refusal {
  const guards = [methodIsSupported, cashNamesItsAmount, debtRemains, amountIsWithinDebt];
  return decide({ action: 'pay', guards, apply: addPayment }, proforma, facts);
}

function addPayment(proforma: Proforma, { method, amount, now }: PayFacts): Proforma {
  const payment = paymentBy(method, amountOf(proforma, amount), 'settled', now);
  return withPayments(proforma, [...proforma.payments, payment], now);
}

/** 0 or less, and nothing said, mean the whole remaining debt. */
export function amountOf(proforma: Proforma, wish: number | null | undefined): number {
  return (wish ?? 0) > 0 ? Number(wish) : owedOf(proforma);
}

export function paymentBy(
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
  };
}

/** The proforma with these payments: `paid` as soon as they cover the total. */
export function withPayments(proforma: Proforma, payments: readonly Payment[], now: Date): Proforma {
  const status = isPaidInFull({ ...proforma, payments }) ? 'paid' : proforma.status;
  return { ...proforma, payments, status, updatedAt: now };
}
