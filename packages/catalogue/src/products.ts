import type { BulkOptions, Page } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import type { DesiredProduct } from './desired-product.js';
import type { ProductPlan } from './product-plan.js';
import type { ProductCodes, VerifiedCodes } from './verification.js';

export interface CatalogueApp {
  readonly id: number;
  readonly currency: string;
  /** `prefix` is the first segment of the app's public keys. */
  readonly settings: { readonly media: { readonly prefix: string } };
}

export interface UpsertedProducts {
  /** In a dry run new records have no ids. */
  readonly outcomes: ProductPlan['outcomes'];
  readonly explain: Explanations | undefined;
}

export interface Products {
  /**
   * Creates and changes products with their variants; a repeat appends the images again. Writes the valid rows; an
   * invalid row arrives as its message key. Throws `DatabaseUnavailable` when the app's currency has changed.
   */
  upsert(
    app: CatalogueApp,
    rows: readonly (DesiredProduct | string)[],
    options?: BulkOptions,
  ): Promise<UpsertedProducts>;
}

/** `code` and `barcode` ignore case and surrounding spaces. */
export type LookUp = 'code' | 'barcode' | 'slug' | 'id';

export interface ProductLookUp {
  readonly by: LookUp;
  readonly value: string;
}

/** Filter of a list of products; absent fields do not filter. */
export interface ProductFilter {
  readonly search?: string;
  readonly searchAll?: string;
  readonly lookUps: readonly ProductLookUp[];
  /** Decimal text in the currency. */
  readonly priceFrom?: string;
  readonly priceTo?: string;
  readonly onlyOnStock: boolean;
}

export interface ProductListQuery {
  readonly filter: ProductFilter;
  /**
   * `name`, `price` (the lowest), `inserted_at` or `sales_quantity`, optionally with ` desc`; several separated by commas.
   * Anything else sorts the best matches first, or by name without a search.
   */
  readonly orderBy: string | undefined;
  readonly page: Page;
}

export interface ShownApp {
  readonly id: number;
  readonly decimals: number;
}

/** Returns products as JSON text, in the shape of the API. */
export interface ProductQueries {
  /** Prefers an exact code to one that differs in case. */
  find(app: ShownApp, lookUp: ProductLookUp): Promise<string | undefined>;
  /** One page, as a JSON object with the list `products`. */
  list(app: ShownApp, query: ProductListQuery): Promise<string>;
  /** Finds for each row, in input order, a variant or else a product. Ignores case and surrounding spaces. */
  verify(appId: number, rows: readonly ProductCodes[]): Promise<VerifiedCodes[]>;
}
