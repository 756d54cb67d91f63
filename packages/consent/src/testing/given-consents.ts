import type { CustomerIdentifier } from '@back-office/kernel';
import type { ManualClock } from '@back-office/kernel/testing';
import type { ConsentQueries, Consents, Devices, StoredChange } from '../index.js';

export interface CustomerRow {
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

export interface ConsentFixture {
  readonly consents: Consents;
  readonly consentQueries: ConsentQueries;
  readonly devices: Devices;
  readonly clock: ManualClock;
  makeApp(): Promise<number>;
  addCustomer(appId: number, fields?: CustomerFields): Promise<CustomerRow>;
  startSession(appId: number, fields: { readonly customer: CustomerIdentifier }): Promise<{ readonly id: number }>;
  close(): Promise<void>;
}

export function identifierOf({ id, data_part: dataPart, time_part: timePart }: CustomerRow) {
  return { id, dataPart, timePart };
}

export function formatChange({ channel, step, from, to }: StoredChange): string {
  return `${channel} ${step} ${from} ${to}`;
}
