import type { BulkOptions } from '@back-office/kernel';

export interface ProductOptions extends BulkOptions {
  /** Sent images replace the stored ones, and an empty list removes them. Default: sent images are appended. */
  readonly replacesImages?: boolean;
  /** Stores the references of products. Default: references are only used for matching. */
  readonly storesReferences?: boolean;
}
