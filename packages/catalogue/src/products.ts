import type { BulkOptions, ListedPage, Page } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import type { DesiredProduct } from './desired-product.js';
import type { ProductPlan } from './product-plan.js';
import type { ProductCodes, VerifiedCodes } from './verification.js';

export interface CatalogueApp {
  readonly id: number;
  readonly currency: string;
  readonly settings: { readonly media: { readonly prefix: string } };
}

export interface UpsertedProducts {
  /** New records have no ids in a dry run. */
  readonly outcomes: ProductPlan['outcomes'];
  readonly explain: Explanations | undefined;
}

export interface Products {
  /**
   * Creates and changes products with their variants. Writes the valid rows. A row that is already known to be invalid is passed as the message key of its error.
   * A repeat appends the images again. Throws `DatabaseUnavailable` when the app's currency has changed.
   */
  upsert(
    app: CatalogueApp,
    rows: readonly (DesiredProduct | string)[],
    options?: BulkOptions,
  ): Promise<UpsertedProducts>;
}

/** Codes and barcodes ignore case and surrounding spaces. */
export type LookUp = 'code' | 'barcode' | 'slug' | 'id';

export interface ProductLookUp {
  readonly by: LookUp;
  readonly value: string;
}

export interface ProductFilter {
  readonly search?: string;
  readonly searchAll?: string;
  readonly lookUps: readonly ProductLookUp[];
  /** Decimal text in the currency. */
  readonly priceFrom?: string;
  readonly priceTo?: string;
  readonly onlyOnStock: boolean;
  /** Earliest change of the product or a variant, inclusive. Changes of stock do not count. */
  readonly updatedAfter?: Date;
}

export interface ProductListQuery {
  readonly filter: ProductFilter;
  /**
   * Fields are `name`, `price` (the lowest), `inserted_at`, `updated_at` and `sales_quantity`, each with an optional ` desc`,
   * separated by commas. Anything else sorts the best matches first, or by name without a search.
   */
  readonly orderBy: string | undefined;
  readonly page: Page;
}

export interface RequestingApp {
  readonly id: number;
  readonly decimals: number;
}

/** Products are JSON text in the shape of the API. */
export interface ProductQueries {
  /** Prefers an exact code to one that differs only in case. */
  find(app: RequestingApp, lookUp: ProductLookUp): Promise<string | undefined>;
  /** Returns the app's products with these ids, by id. Missing ids are left out. */
  findAll(app: RequestingApp, ids: readonly number[]): Promise<ReadonlyMap<number, object>>;
  /** A search has no positions, so it is listed by offset only. */
  list(app: RequestingApp, query: ProductListQuery): Promise<ListedPage>;
  /** Finds for each row, in input order, a variant or otherwise a product. Case and surrounding spaces are ignored. */
  verify(appId: number, rows: readonly ProductCodes[]): Promise<VerifiedCodes[]>;
}
