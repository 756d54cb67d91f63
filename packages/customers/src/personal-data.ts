import { refuse, type AuditEntry, type Buyer, type DomainEvent, type Refusal } from '@back-office/kernel';
import type { Customer } from './customer.js';

export const ERASE_REFUSALS = {
  openProformas: refuse('API.Customers.HasOpenProformas'),
  pendingPayments: refuse('API.Customers.HasPendingPayments'),
} as const;

export interface PersonalData {
  /**
   * Blanks the personal data of a customer in all records of the app, and removes their devices, visits, sessions and
   * unused evaluations. Amounts, numbers, dates and the history of consent stay. Returns `undefined` for a missing
   * customer. Refuses while a proforma is open or a payment is pending. A repeated call also blanks data that was
   * written since the first call.
   */
  erase(appId: number, customerId: number): Promise<true | Refusal | undefined>;
}

export interface ExportedApp {
  readonly id: number;
  readonly decimals: number;
}

export interface PersonalDataQueries {
  /** Yields all records about a customer, except secrets, as JSON text in chunks of limited size. */
  export(app: ExportedApp, customerId: number): AsyncIterable<string>;
}

/** The top-level domain `invalid` is reserved, so nobody can receive mail at this address. */
export function erasedEmail(customerId: number): string {
  return `erased-${customerId}@erased.invalid`;
}

export const ERASED_FIELDS = {
  external_ref: null,
  first_name: '',
  last_name: '',
  phone: null,
  viber_subscribed: false,
  preferred_notification_channel_id: null,
} as const satisfies Partial<Customer>;

export function blankBuyer(buyer: Buyer): Buyer {
  return { ...buyer, email: null, firstName: null, lastName: null, phone: null };
}

/** Shorter texts are not searched for, because they also occur in numbers and in names of other customers. */
const MIN_SEARCHED_LENGTH = 3;

/** Returns lower-case texts of the customer. A free text that contains one of them is personal data. */
export function personalTexts(customer: Pick<Customer, 'email' | 'first_name' | 'last_name' | 'phone'>): string[] {
  const { email, first_name: first, last_name: last, phone } = customer;
  const texts = [email, first, last, phone ?? ''].map((text) => text.trim().toLowerCase());
  return [...new Set(texts)].filter((text) => text.length >= MIN_SEARCHED_LENGTH && text !== '');
}

export function containsAny(text: string | null, texts: readonly string[]): boolean {
  const lowerCased = text?.toLowerCase() ?? '';
  return texts.some((searchedText) => lowerCased.includes(searchedText));
}

/** Returns the pieces of JSON that identify the customer in a kept answer. */
export function identifyingFragments(customer: Pick<Customer, 'id' | 'email' | 'phone'>): string[] {
  const texts = [customer.email, ...(customer.phone === null || customer.phone.length < 5 ? [] : [customer.phone])];
  const ids = [',', '}'].map((end) => `"customer_id":${customer.id}${end}`);
  return [...texts.map((text) => JSON.stringify(text)), ...ids];
}

/** The entry contains only the id, because the erased fields were personal data. */
export function eraseEntry(customerId: number): AuditEntry {
  return { action: 'customer.erase', subjectId: customerId };
}

export function eraseEvents(
  customerId: number,
  sales: { readonly proformaIds: readonly number[]; readonly orderIds: readonly number[] },
): DomainEvent[] {
  return [
    { type: 'customer.updated', recordId: customerId },
    ...sales.proformaIds.map((recordId): DomainEvent => ({ type: 'proforma.updated', recordId })),
    ...sales.orderIds.map((recordId): DomainEvent => ({ type: 'order.updated', recordId })),
  ];
}

/** Replaces a kept answer, so that a repeated call writes nothing and reveals no personal data. */
export const ERASED_ANSWER = { status: 410, text: '{"errors":{"detail":"Gone"}}' } as const;
