import { storedIdentifier } from '@back-office/kernel';

export interface Customer {
  readonly id: number;
  readonly data_part: number;
  readonly time_part: number;
  readonly external_ref: string | null;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly phone: string | null;
  readonly viber_subscribed: boolean;
  readonly preferred_notification_channel_id: number | null;
  readonly loyalty_points: number;
  readonly inserted_at: Date;
  readonly updated_at: Date;
}

export type PresentedCustomer = Omit<Customer, 'inserted_at' | 'updated_at'> & {
  /** UTC with a precision of seconds, as `formatDateTime` of `@back-office/kernel` writes it. */
  readonly inserted_at: string;
  readonly updated_at: string;
};

export type NewCustomer = Pick<Customer, 'email' | 'first_name' | 'last_name'> &
  Partial<Pick<Customer, 'external_ref' | 'phone' | 'viber_subscribed' | 'preferred_notification_channel_id'>>;

/** The columns of a new customer; the reference is stored trimmed. */
export function newCustomerColumns({ external_ref: reference, ...customer }: NewCustomer) {
  const external_ref = typeof reference === 'string' ? storedIdentifier(reference) : null;
  return { ...BLANK_CUSTOMER, ...customer, external_ref };
}

export const BLANK_CUSTOMER = {
  external_ref: null,
  phone: null,
  viber_subscribed: false,
  preferred_notification_channel_id: null,
  loyalty_points: 0,
} as const;
