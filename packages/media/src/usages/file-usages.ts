import type { Page } from '@back-office/kernel';
import type { MediaApp } from '../files/upload-receipts.js';

/** Entity types whose usages the service derives from its own records. */
export const OWN_ENTITY_TYPES: readonly string[] = ['product', 'product_variant', 'app_location'];

/** File URLs that occur in an entity of the client, such as a page. */
export interface EntityUsages {
  readonly entity_type: string;
  readonly entity_id: string;
  readonly label?: string | null | undefined;
  readonly fields: readonly { readonly field: string; readonly url: string }[];
}

export interface Usage {
  readonly entity_type: string;
  readonly entity_id: string;
  readonly field: string;
  readonly label: string | null;
  readonly url: string;
  /** Number of usages on all pages. */
  readonly total_count: number;
}

export interface FileUsages {
  /** Replaces all usages of the entity. Ignores URLs outside the app's library. */
  replace(app: MediaApp, usages: EntityUsages): Promise<Usage[]>;
}

/** Each method returns one page of usages as JSON text in the format of the API. */
export interface FileUsageQueries {
  /** Returns the usages of a file in the order in which they were recorded; an empty page for a missing file. */
  usagesOfFile(appId: number, fileId: number, page: Page): Promise<string>;
  /** Returns usages of missing files, sorted by key. `search` matches label, URL, entity type, entity id and key. */
  brokenUsages(appId: number, search: string | undefined, page: Page): Promise<string>;
}
