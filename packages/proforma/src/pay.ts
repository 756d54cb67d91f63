import type { Refusal } from '@back-office/kernel';
import { debtOf, isPaidInFull } from './payments.js';
import type { Proforma } from './proforma.js';
import { CASH_AMOUNT_REQUIRED, DEBT_ALREADY_PAID, EXCEEDS_DEBT, METHOD_NOT_SUPPORTED } from './refusals.js';
import { decide, type Guard } from './transitions.js';

export type PaymentMethodKind = 'cash' | 'bank_transfer' | 'card' | 'other';

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

const debtRemains: Guard<PayFacts> = (proforma) => (debtOf(proforma) === 0 ? DEBT_ALREADY_PAID : undefined);

const amountIsWithinDebt: Guard<PayFacts> = (proforma, { amount }) =>
  (amount ?? 0) > debtOf(proforma) ? EXCEEDS_DEBT : undefined;

/** Records a payment that settles at once. The status becomes `paid` as soon as payments cover the total. */
export function pay(proforma: Proforma, facts: PayFacts): Proforma | Refusal {
  const guards = [methodIsSupported, cashNamesItsAmount, debtRemains, amountIsWithinDebt];
  return decide({ action: 'pay', guards, apply: addPayment }, proforma, facts);
}

function addPayment(proforma: Proforma, { method, amount, now }: PayFacts): Proforma {
  const wish = amount ?? 0;
  const payment = {
    id: 0,
    amount: wish > 0 ? wish : debtOf(proforma),
    method: method?.name ?? '',
    methodId: method?.id ?? null,
    status: 'settled' as const,
    date: now,
    refundOf: null,
  };
  const payments = [...proforma.payments, payment];
  const status = isPaidInFull({ ...proforma, payments }) ? 'paid' : proforma.status;
  return { ...proforma, payments, status, updatedAt: now };
}
