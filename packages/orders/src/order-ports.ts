import type { BulkOptions, FailedRow, Page, Refusal } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import type { ImportedOrder } from './imported-order.js';
import type { ParsedChange } from './order-changes.js';
import type { Order } from './order.js';

/** Orders of other systems, which keep their own stock. */
export interface ImportedOrders {
  /**
   * Adds an order and returns its id. Refused when the app has an order with this external reference or number, or lacks
   * a record that the order names. An order without a number gets a free one.
   */
  add(appId: number, order: ImportedOrder): Promise<{ readonly id: number } | Refusal>;
}

export interface UpdatedOrders {
  readonly failed: readonly FailedRow[];
  readonly explain: Explanations | undefined;
}

/** New refunds of a proforma, to be requested after the commit. */
export interface DueRefunds {
  readonly proformaId: number;
  readonly refundIds: readonly number[];
}

export interface ChangedOrders extends UpdatedOrders {
  readonly due: readonly DueRefunds[];
}

/** Bulk changes of orders, with their effects on stock, vouchers, points and payments. */
export interface OrderChanges {
  /**
   * Applies the valid changes in one transaction and returns the failed rows. An invalid row arrives as its message key.
   * Refunds only where a row asks for it; the caller requests the refunds afterwards.
   */
  change(appId: number, changes: readonly ParsedChange[], options: BulkOptions): Promise<ChangedOrders>;
}

/** Filter of a list of orders; `undefined` does not filter. */
export interface OrderFilter {
  /** Searches numbers and the customer's name, e-mail and phone; ignores case, accents and script. */
  readonly search: string | undefined;
  readonly customerId: number | undefined;
  readonly appLocationId: number | undefined;
  /** Inclusive, by order date. */
  readonly from: Date | undefined;
  /** Exclusive, by order date. */
  readonly before: Date | undefined;
}

export interface OrderListQuery {
  readonly app: { readonly id: number; readonly decimals: number; readonly currency: string };
  readonly filter: OrderFilter;
  /** `field`, `field asc` or `field desc`; anything else sorts newest first. */
  readonly orderBy: unknown;
  readonly page: Page;
}

export interface OrderQueries {
  /** `undefined` when the app has no such order. */
  find(appId: number, id: number): Promise<Order | undefined>;
  /** Like {@link find}, but `undefined` also when the parts do not match. */
  findByParts(appId: number, id: number, dataPart: number, timePart: number): Promise<Order | undefined>;
  /** One page as JSON text, in the shape of the API. */
  list(query: OrderListQuery): Promise<string>;
}
