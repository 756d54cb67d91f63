import type { BulkOptions, ListedPage, Page, Refusal, RejectedRows } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import type { DesiredWarehouse, NewWarehouse, Warehouse, WrittenWarehouse } from './warehouse.js';

export interface WrittenWarehouses {
  readonly warehouses: readonly WrittenWarehouse[];
  readonly deleted: readonly number[];
  readonly explain: Explanations | undefined;
}

export interface Warehouses {
  /** Refused when a warehouse of the app already has the code. */
  add(appId: number, warehouse: NewWarehouse): Promise<Warehouse | Refusal>;
  /**
   * Creates, changes and deletes warehouses, all or nothing. If several rows match a warehouse, the last one wins. A
   * string in `rows` is the message key of an invalid row. Returns the keys of the failed rows when a row is invalid,
   * matches two warehouses, or deletes a warehouse that is missing or has stock.
   */
  put(
    appId: number,
    rows: readonly (DesiredWarehouse | string)[],
    options?: BulkOptions,
  ): Promise<WrittenWarehouses | RejectedRows>;
}

export interface WarehouseQueries {
  /** Returns `undefined` when the app has no such warehouse, or has deleted it. */
  find(appId: number, id: number): Promise<Warehouse | undefined>;
  /**
   * Returns one page sorted by name, in the format of the API. `search` matches a part of a text field. Throws
   * `InvalidPosition` for a position of another list.
   */
  list(appId: number, search: string | undefined, page: Page): Promise<ListedPage>;
}
