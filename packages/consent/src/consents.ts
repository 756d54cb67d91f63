import type { CustomerIdentifier, Page } from '@back-office/kernel';
import type { Change, ConsentRequest } from './change.js';
import type { Consent, Customer } from './consent.js';

export interface StoredChange extends Change {
  readonly id: number;
  readonly customerId: number;
  /** Sequence number within its switch. */
  readonly step: number;
}

export interface KnownConsent {
  readonly customerId: number;
  readonly customer: Customer;
  /** The last change of each changed switch. */
  readonly lastChanges: readonly StoredChange[];
}

/** An append-only history of changes; the last ones are the present consent. */
export interface Consents {
  /**
   * Changes a switch and returns the new consent. Stores nothing when the state stays. Concurrent changes of a customer
   * are serialized. `undefined` when the app has no such customer.
   */
  change(appId: number, customerId: number, request: ConsentRequest): Promise<Consent | undefined>;
}

export interface ConsentQueries {
  /** The present consent; `undefined` when the app has no such customer. */
  find(appId: number, customerId: number): Promise<Consent | undefined>;
  /** The consent before a time; `undefined` when the app has no such customer. */
  findBefore(appId: number, name: CustomerIdentifier, moment: Date): Promise<KnownConsent | undefined>;
  /** One page of a customer's changes, oldest first; empty when the app has no such customer. */
  history(appId: number, customerId: number, page: Page): Promise<StoredChange[]>;
}
