import type { BulkOptions, FailedRow, ListedPage, Page, Refusal } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import type { ImportedOrder } from './imported-order.js';
import type { ParsedChange } from './order-changes.js';
import type { Order } from './order.js';

export interface ImportedOrders {
  /**
   * Adds an order and returns its id. An order without a number gets a new one. Refused when another order of the app
   * has the external reference or number. Refused when the order refers to a record that the app does not have.
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
   * Applies the valid changes in one transaction and returns the failed rows. A string in `changes` is the message key
   * of an invalid row. Refunds only orders whose row requests it; the caller asks the payment service afterwards. A
   * canceled order without a payment also gives back its loyalty points.
   */
  change(appId: number, changes: readonly ParsedChange[], options: BulkOptions): Promise<ChangedOrders>;
}

export const ORDER_SORT_FIELDS = [
  'id',
  'order_number',
  'order_date',
  'invoice_number',
  'sales',
  'net_sales',
  'discount',
  'vat',
  'paid',
  'debt',
  'updated_at',
  'customer_name',
] as const;
export type OrderSortField = (typeof ORDER_SORT_FIELDS)[number];

export interface OrderFilter {
  /** Text to find in numbers and in the customer's name, e-mail and phone, ignoring case, accents and script. */
  readonly search: string | undefined;
  readonly customerId: number | undefined;
  readonly appLocationId: number | undefined;
  /** Minimum order date. */
  readonly from: Date | undefined;
  /** Exclusive end of the order dates. */
  readonly before: Date | undefined;
  /** Minimum time of the latest change. */
  readonly updatedAfter: Date | undefined;
}

export interface OrderListQuery {
  readonly app: { readonly id: number; readonly decimals: number; readonly currency: string };
  readonly filter: OrderFilter;
  /** A text such as `field`, `field asc` or `field desc`; any other value sorts newest first. */
  readonly orderBy: unknown;
  readonly page: Page;
}

export interface OrderQueries {
  /** Returns `undefined` when the app has no such order. */
  find(appId: number, id: number): Promise<Order | undefined>;
  /** Returns `undefined` when the app has no order with this id and these parts. */
  findByParts(appId: number, id: number, dataPart: number, timePart: number): Promise<Order | undefined>;
  /** Returns the app's orders with these ids, in any order. */
  findAll(appId: number, ids: readonly number[]): Promise<readonly Order[]>;
  list(query: OrderListQuery): Promise<ListedPage>;
}
