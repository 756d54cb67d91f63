import type { ListedPage, Page, Sorting } from '@back-office/kernel';
import type { Customer, NewCustomer, PresentedCustomer } from './customer.js';

export interface TakenFields {
  readonly taken: readonly ('email' | 'external_ref')[];
}

/** Methods treat customers of other apps as missing. */
export interface Customers {
  /**
   * Adds a customer with parts from `newParts` of `@back-office/kernel`. E-mail (ignoring case) and reference must be
   * unique in the app. If one is taken, adds nothing and returns the taken fields.
   */
  add(appId: number, customer: NewCustomer): Promise<Customer | TakenFields>;
  /** Returns `undefined` when the app has no customer with this id and these parts. */
  find(appId: number, id: number, dataPart: number, timePart: number): Promise<Customer | undefined>;
}

export interface CustomerFilter {
  /**
   * Text to find in e-mail, phone, and first and last name in either order. The search ignores case, accents and
   * script: both sides are folded by `foldSearched` of `@back-office/database` and lower-cased. A text that
   * folds to an empty text finds no customer.
   */
  readonly search: string | undefined;
  readonly externalRef: string | undefined;
  /** Minimum time of the latest change. */
  readonly updatedAfter: Date | undefined;
}

export const CUSTOMER_SORT_FIELDS = ['updated_at'] as const;

export interface CustomerQueries {
  /** Returns the app's customers with these ids, in any order. */
  findAll(appId: number, ids: readonly number[]): Promise<readonly PresentedCustomer[]>;
  /**
   * Returns one page of {@link PresentedCustomer}s, sorted by one of the {@link CUSTOMER_SORT_FIELDS} and id in the
   * same direction. Without `sorting`, the order is folded first and last name, then the names, then id.
   */
  list(appId: number, filter: CustomerFilter, page: Page, sorting?: Sorting): Promise<ListedPage>;
}
