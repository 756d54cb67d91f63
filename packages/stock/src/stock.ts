import type { BulkOptions, FailedRow, Page } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import type { StockQuantity } from './stock-plan.js';

export interface AddedStock {
  /** In input order. */
  readonly failed: readonly FailedRow[];
  readonly explain: Explanations | undefined;
}

export interface ReconciledStock extends AddedStock {
  /** Null when nothing changed, and in a dry run. */
  readonly movementId: number | null;
}

/** Every change is booked as a movement. An invalid row arrives as its message key. */
export interface Stock {
  /**
   * Adds quantities to stock; a repeat adds again. A row without variant or warehouse, or below zero, fails; the others
   * are written together.
   */
  add(appId: number, rows: readonly (StockQuantity | string)[], options?: BulkOptions): Promise<AddedStock>;
  /**
   * Sets on hand in a warehouse to the counts, also below the reserved pieces. Failed rows change nothing; the others are
   * written in one movement. `undefined` when there is no such warehouse.
   */
  reconcile(
    appId: number,
    warehouseCode: string,
    rows: readonly (StockQuantity | string)[],
    options?: BulkOptions,
  ): Promise<ReconciledStock | undefined>;
}

export interface StockFilter {
  readonly warehouseId: number | undefined;
  readonly productId: number | undefined;
  readonly variantId: number | undefined;
}

export interface StockAggregateFilter {
  /** Exact, as is the barcode. */
  readonly code: string | undefined;
  readonly barcode: string | undefined;
  readonly productId: number | undefined;
}

export interface StockMovementFilter {
  readonly from: Date;
  readonly before: Date;
  readonly warehouseId: number | undefined;
  readonly productId: number | undefined;
}

/** Returns JSON text in the shape of the API. A filter by a missing record finds nothing. */
export interface StockQueries {
  /** One page, sorted by product, variant and warehouse; without deleted warehouses. */
  list(appId: number, filter: StockFilter, page: Page): Promise<string>;
  /** One page of variants by id, each with its sums and its stock per warehouse. */
  aggregate(appId: number, filter: StockAggregateFilter, page: Page): Promise<string>;
  /** All movement lines in booking order, as chunks of the inside of a JSON list. */
  movements(appId: number, filter: StockMovementFilter): AsyncIterable<string>;
}
