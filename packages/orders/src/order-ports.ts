import type { BulkOptions, FailedRow, ListedPage, Page, Refusal } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import type { ImportedOrder } from './imported-order.js';
import type { ParsedChange } from './order-changes.js';
import type { Order } from './order.js';

export interface ImportedOrders {
  /**
   * Adds an order and returns its id. Refused when the app already has an order with this external reference or number,
   * or lacks a record that the order names. An order without a number gets a new one.
   */
  add(appId: number, order: ImportedOrder): Promise<{ readonly id: number } | Refusal>;
}

export interface UpdatedOrders {
  readonly failed: readonly FailedRow[];
  readonly explain: Explanations | undefined;
}

/** The caller requests these refunds after the commit. */
export interface DueRefunds {
  readonly proformaId: number;
  readonly refundIds: readonly number[];
}

export interface ChangedOrders extends UpdatedOrders {
  readonly dueRefunds: readonly DueRefunds[];
}

export interface OrderChanges {
  /**
   * Applies the valid changes in one transaction and returns the failed rows. An invalid row arrives as its message
   * key. Refunds only orders whose row asks for it; the caller requests the refunds afterwards. A canceled order
   * without a payment gives back its loyalty points, too.
   */
  change(appId: number, changes: readonly ParsedChange[], options: BulkOptions): Promise<ChangedOrders>;
}

export interface OrderFilter {
  /**
   * The text is searched in numbers and in the customer's name, e-mail and phone. Case, accents and script are ignored.
   */
  readonly search: string | undefined;
  readonly customerId: number | undefined;
  readonly appLocationId: number | undefined;
  /** Earliest order date, inclusive. */
  readonly from: Date | undefined;
  /** Latest order date, exclusive. */
  readonly before: Date | undefined;
  /** Earliest change, inclusive. */
  readonly updatedAfter: Date | undefined;
}

export interface OrderListQuery {
  readonly app: { readonly id: number; readonly decimals: number; readonly currency: string };
  readonly filter: OrderFilter;
  /** Value is `field`, `field asc` or `field desc`; anything else sorts newest first. */
  readonly orderBy: unknown;
  readonly page: Page;
}

export interface OrderQueries {
  /** `undefined` when the app has no such order. */
  find(appId: number, id: number): Promise<Order | undefined>;
  /** Returns `undefined` also when the parts do not match. */
  findByParts(appId: number, id: number, dataPart: number, timePart: number): Promise<Order | undefined>;
  /** Returns the orders that the app has, in any order. */
  findAll(appId: number, ids: readonly number[]): Promise<readonly Order[]>;
  list(query: OrderListQuery): Promise<ListedPage>;
}
