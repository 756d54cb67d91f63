import type { BulkOptions } from '@back-office/kernel';
import type { Explanations } from '@back-office/matching';
import type { DesiredLocation } from './location-rows.js';
import type { WrittenLocation } from './location.js';

export interface LocationsApp {
  readonly id: number;
  readonly settings: { readonly media: { readonly prefix: string } };
}

export interface PutResult {
  /** For each row, in order: the location, or the message key of the failure. */
  readonly locations: readonly (WrittenLocation | string)[];
  readonly explain: Explanations | undefined;
}

export interface Locations {
  /**
   * Upserts locations by code, then external reference, and stores the usages of their images. A string in `rows` is
   * the message key of an invalid row. A row with the reference of another location fails. If several rows match a
   * location, the last one wins. Calls of an app are serialized.
   */
  put(app: LocationsApp, rows: readonly (DesiredLocation | string)[], options?: BulkOptions): Promise<PutResult>;
}
