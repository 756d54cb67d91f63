import type { CustomerIdentifier, Page } from '@back-office/kernel';
import type { Change, ConsentRequest } from './change.js';
import type { Consent, Customer } from './consent.js';

export interface StoredChange extends Change {
  readonly id: number;
  readonly customerId: number;
  /** Sequence number of the change within its switch. */
  readonly step: number;
}

export interface KnownConsent {
  readonly customerId: number;
  readonly customer: Customer;
  readonly lastChanges: readonly StoredChange[];
}

/** The history of changes is append-only; the last change of each switch is the current consent. */
export interface Consents {
  /**
   * Changes a switch and returns the new consent; `undefined` when the app has no such customer. Stores nothing when
   * the state stays the same. Concurrent changes of a customer are serialized.
   */
  change(appId: number, customerId: number, request: ConsentRequest): Promise<Consent | undefined>;
}

export interface ConsentQueries {
  find(appId: number, customerId: number): Promise<Consent | undefined>;
  /** Returns the consents of the app's customers with these ids, by customer. */
  findAll(appId: number, customerIds: readonly number[]): Promise<ReadonlyMap<number, Consent>>;
  /** Returns the consent before a time; `undefined` when the app has no such customer. */
  findBefore(appId: number, customer: CustomerIdentifier, moment: Date): Promise<KnownConsent | undefined>;
  /** Returns a customer's changes, oldest first; an empty list when the app has no such customer. */
  history(appId: number, customerId: number, page: Page): Promise<StoredChange[]>;
}
