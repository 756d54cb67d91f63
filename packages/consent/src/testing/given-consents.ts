import type { CustomerIdentifier } from '@back-office/kernel';
import type { ManualClock } from '@back-office/kernel/testing';
import type { ConsentQueries, Consents, Devices, StoredChange } from '../index.js';

export interface AddedCustomer {
  readonly id: number;
  readonly data_part: number;
  readonly time_part: number;
}

export interface CustomerFields {
  readonly external_ref?: string;
  readonly phone?: string;
  readonly viber_subscribed?: boolean;
  readonly preferred_notification_channel_id?: number;
}

export interface GivenConsents {
  readonly consents: Consents;
  readonly consentQueries: ConsentQueries;
  readonly devices: Devices;
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  addCustomer(appId: number, fields?: CustomerFields): Promise<AddedCustomer>;
  startSession(appId: number, fields: { readonly customer: CustomerIdentifier }): Promise<{ readonly id: number }>;
  close(): Promise<void>;
}

export function nameOf({ id, data_part: dataPart, time_part: timePart }: AddedCustomer) {
  return { id, dataPart, timePart };
}

export function shortOf({ channel, step, from, to }: StoredChange): string {
  return `${channel} ${step} ${from} ${to}`;
}
