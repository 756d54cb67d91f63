import type { ListedPage, Page } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import type { DesiredProduct } from './desired-product.js';
import type { ProductOptions } from './product-options.js';
import type { ProductPlan } from './product-plan.js';
import type { ProductCodes, VerifiedCodes } from './verification.js';

export interface CatalogueApp {
  readonly id: number;
  readonly currency: string;
  readonly settings: { readonly media: { readonly prefix: string } };
}

export interface UpsertedProducts {
  /** In a dry run, new records have no ids. */
  readonly outcomes: ProductPlan['outcomes'];
  readonly failedVariants: ProductPlan['failedVariants'];
  readonly explain: Explanations | undefined;
}

export interface Products {
  /**
   * Creates and changes products with their variants. Writes only the valid rows. A string in `rows` is the message key
   * of an invalid row. A repeated call appends its images again, unless images are replaced. Throws
   * `DatabaseUnavailable` when the app's currency has changed.
   */
  upsert(
    app: CatalogueApp,
    rows: readonly (DesiredProduct | string)[],
    options?: ProductOptions,
  ): Promise<UpsertedProducts>;
}

/**
 * Look-ups by code and barcode ignore case and surrounding spaces. A code finds a product before a variant, a barcode
 * finds a variant before a product.
 */
export type LookUp = 'code' | 'barcode' | 'slug' | 'id';

export interface ProductLookUp {
  readonly by: LookUp;
  readonly value: string;
}

export interface ProductFilter {
  readonly search?: string;
  readonly searchAll?: string;
  readonly lookUps: readonly ProductLookUp[];
  /** Decimal text in the app's currency. A product is listed if one of its variants has a price in the range. */
  readonly priceFrom?: string;
  readonly priceTo?: string;
  readonly onlyOnStock: boolean;
  /** Minimum time of the latest change of the product or a variant; changes of stock are ignored. */
  readonly updatedAfter?: Date;
}

export interface ProductListQuery {
  readonly filter: ProductFilter;
  /**
   * Comma-separated fields `name`, `price` (the lowest), `inserted_at`, `updated_at` and `sales_quantity`, each with an
   * optional ` desc`. For any other text, a search is sorted by relevance, and other lists by name.
   */
  readonly orderBy: string | undefined;
  readonly page: Page;
}

export interface RequestingApp {
  readonly id: number;
  readonly decimals: number;
}

/** Returned products have the format of the API. */
export interface ProductQueries {
  /** Returns the product as JSON text. Prefers an exact code to a code in another case. */
  find(app: RequestingApp, lookUp: ProductLookUp): Promise<string | undefined>;
  /** Returns a map from ids to products, as objects. Omits missing ids. */
  findAll(app: RequestingApp, ids: readonly number[]): Promise<ReadonlyMap<number, object>>;
  /** A page of search results has no `end` position. */
  list(app: RequestingApp, query: ProductListQuery): Promise<ListedPage>;
  /** For each row, in order, finds a variant or, if there is none, a product. Ignores case and surrounding spaces. */
  verify(appId: number, rows: readonly ProductCodes[]): Promise<VerifiedCodes[]>;
}
