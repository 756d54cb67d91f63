import type { Page } from '@back-office/kernel';
import type { Customer, NewCustomer } from './customer.js';

/** Fields of a new customer that other customers of the app already use. */
export interface Taken {
  readonly taken: readonly ('email' | 'external_ref')[];
}

/** The customers of apps. A customer of another app is reported as missing. */
export interface Customers {
  /**
   * Adds a customer with parts from `newParts` of `@back-office/kernel`. E-mail, ignoring case, and reference are unique
   * in the app; when taken, nothing is added and the taken fields are returned.
   */
  add(appId: number, customer: NewCustomer): Promise<Customer | Taken>;
  /** `undefined` when the app has no customer of this id with these parts. */
  find(appId: number, id: number, dataPart: number, timePart: number): Promise<Customer | undefined>;
}

export interface CustomerFilter {
  /**
   * Searches e-mail, phone and both names in either order; ignores case, accents and script. Both sides are folded by
   * `foldedForPeople` of `@back-office/database-search` and lower-cased. A search that folds to nothing finds nobody.
   */
  readonly search: string | undefined;
  readonly externalRef: string | undefined;
}

export interface CustomerQueries {
  /**
   * One page as JSON text of {@link PresentedCustomer}s, by first name, last name and id. Texts sort by code points; a
   * PostgreSQL database needs the collation `C` for that.
   */
  list(appId: number, filter: CustomerFilter, page: Page): Promise<string>;
}
