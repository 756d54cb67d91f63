import type { BulkOptions, ListedPage, Page, Refusal, Sorting } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import type { FailedCount, StockQuantity } from './stock-plan.js';

export interface StockCallOptions extends BulkOptions {
  /**
   * Unique in the app over all calls, without a time limit. Only a call that writes at least one row takes it. A repeat
   * with the same rows books nothing and returns the first result; with other rows, it is refused.
   */
  readonly reference?: string | null | undefined;
  /** One failing row fails the call: nothing is written. */
  readonly allOrNothing?: boolean | undefined;
}

/** Result that a reference keeps. */
export interface StockCallOutcome {
  /** Number of rows that were written. */
  readonly updated: number;
  readonly failed: readonly FailedCount[];
  /** One id per warehouse whose stock changed; empty in a dry run. */
  readonly movementIds: readonly number[];
}

export interface StockCallResult extends StockCallOutcome {
  /** Absent in a repeat. */
  readonly explain?: Explanations | undefined;
  readonly isRepeat?: boolean;
}

/** Every change is booked as a movement. A string in `rows` is the message key of an invalid row. */
export interface Stock {
  /**
   * Adds quantities to stock; a repeated call without a reference adds again. A row fails when its variant or warehouse
   * is missing, or when stock would fall below zero. All other rows are written together.
   */
  add(
    appId: number,
    rows: readonly (StockQuantity | string)[],
    options?: StockCallOptions,
  ): Promise<StockCallResult | Refusal>;
  /**
   * Sets the on-hand stock of a warehouse to the counts, even below the reserved pieces. A row with an `expected_qty`
   * fails when another number of pieces is on hand. Failed rows change nothing; the other rows are written in one
   * movement. Returns `undefined` for a missing warehouse.
   */
  reconcile(
    appId: number,
    warehouseCode: string,
    rows: readonly (StockQuantity | string)[],
    options?: StockCallOptions,
  ): Promise<StockCallResult | Refusal | undefined>;
}

export interface StockFilter {
  readonly warehouseId: number | undefined;
  readonly productId: number | undefined;
  readonly variantId: number | undefined;
  /** Minimum time of the latest change. */
  readonly updatedAfter: Date | undefined;
}

export const STOCK_SORT_FIELDS = ['updated_at'] as const;

export interface StockAggregateFilter {
  readonly code: string | undefined;
  readonly barcode: string | undefined;
  readonly productId: number | undefined;
  readonly variantId: number | undefined;
  /** Only variants with stock in this warehouse, and only this stock. */
  readonly warehouseId: number | undefined;
}

export interface StockMovementFilter {
  readonly from: Date;
  readonly before: Date;
  readonly warehouseId: number | undefined;
  readonly productId: number | undefined;
}

export interface StockListRow {
  readonly [field: string]: unknown;
  readonly product_variant_id: number;
  readonly warehouse_id: number;
}

/** Results of type `string` are JSON text in the format of the API. A filter by a missing record returns no rows. */
export interface StockQueries {
  /**
   * Returns the stock rows of these shelves in any order, in the format of the API. Omits rows that {@link list} omits.
   */
  findAll(
    appId: number,
    shelves: readonly { readonly variantId: number; readonly warehouseId: number }[],
  ): Promise<readonly StockListRow[]>;
  /**
   * Returns one page, sorted by one of the {@link STOCK_SORT_FIELDS} and id in the same direction. Without `sorting`,
   * the order is product, variant, warehouse. Omits deleted warehouses.
   */
  list(appId: number, filter: StockFilter, page: Page, sorting?: Sorting): Promise<ListedPage>;
  /** Returns one page of variants, sorted by id. Each variant has its sums and its stock per warehouse. */
  aggregate(appId: number, filter: StockAggregateFilter, page: Page): Promise<string>;
  /** Returns all movement lines in booking order, as chunks of a JSON list without its brackets. */
  movements(appId: number, filter: StockMovementFilter): AsyncIterable<string>;
}
