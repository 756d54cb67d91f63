import type { Page } from '@back-office/kernel';
import type { MediaApp } from './upload-receipts.js';

/** Entity types whose usages follow from the service's own records. */
export const OWN_ENTITY_TYPES: readonly string[] = ['product', 'product_variant', 'app_location'];

/** URLs that a client's entity, such as a page, shows. */
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
  /** Of the whole list. */
  readonly total_count: number;
}

/** Usages of files by entities of the client. */
export interface FileUsages {
  /** Replaces all usages of the entity. Ignores URLs outside the app's library. */
  replace(app: MediaApp, usages: EntityUsages): Promise<Usage[]>;
}

/** Each method returns one page: JSON text of the usages as the API presents them. */
export interface FileUsageQueries {
  /** Usages of a file in recorded order; empty for a missing file. */
  ofFile(appId: number, fileId: number, page: Page): Promise<string>;
  /** Usages of missing files by key. `search` matches label, URL, entity type, entity id and key. */
  broken(appId: number, search: string | undefined, page: Page): Promise<string>;
}
