import type { Page, RejectedRows } from '@back-office/kernel';
import { PAYMENT_METHODS } from './payment-methods.js';
import { PROMOTIONS } from './promotions.js';
import type { Resource, StoredRow } from './resource.js';
import { SHIPMENT_METHODS } from './shipment-methods.js';
import { VOUCHERS } from './vouchers.js';

export const RESOURCES = {
  payment_methods: PAYMENT_METHODS,
  promotions: PROMOTIONS,
  shipment_methods: SHIPMENT_METHODS,
  vouchers: VOUCHERS,
} as const satisfies Readonly<Record<string, Resource>>;

export type ResourceName = keyof typeof RESOURCES;

/** The app as it was at authentication; its currency may have changed since. */
export interface SetUpApp {
  readonly id: number;
  readonly currency: string;
  readonly decimals: number;
}

export type SetUpOutcome = { readonly rows: readonly StoredRow[] } | RejectedRows;

export interface SetUpRecords {
  /**
   * Upserts by code, all or nothing. Several rows may change the same record, in order. Throws `DatabaseUnavailable`
   * when the app's currency has changed.
   */
  put(name: ResourceName, app: SetUpApp, rows: readonly unknown[]): Promise<SetUpOutcome>;
}

export interface SetUpQueries {
  /** Returns the app's records with these ids, in any order. */
  findAll(name: ResourceName, appId: number, ids: readonly number[]): Promise<StoredRow[]>;
  /** Lists the oldest records first. A position contains only the id. */
  list(name: ResourceName, appId: number, page: Page): Promise<StoredRow[]>;
}
