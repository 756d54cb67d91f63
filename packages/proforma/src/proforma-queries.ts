import type { ListedPage, Page } from '@back-office/kernel';
import type { Proforma } from './proforma.js';

export const PROFORMA_SORT_FIELDS = [
  'expires_at',
  'end_sales',
  'paid',
  'debt',
  'customer_name',
  'processing_date',
  'inserted_at',
  'updated_at',
  'proforma_number',
  'status',
] as const;
export type ProformaSortField = (typeof PROFORMA_SORT_FIELDS)[number];

/** An absent field does not filter. */
export interface ProformaFilter {
  readonly statusIds?: readonly number[];
  /** Selects the proformas with these numbers; none for an empty list. */
  readonly numbers?: readonly string[];
  /** Selects open proformas whose deadline is after `after`, but not after `until`. */
  readonly expiring?: { readonly after: Date; readonly until: Date };
  readonly hasAlerts?: boolean;
  readonly anonymous?: boolean;
  readonly customerId?: number;
  readonly from?: Date;
  readonly before?: Date;
  /** Minimum time of the latest change. */
  readonly updatedAfter?: Date;
}

export interface RequestingApp {
  readonly id: number;
  readonly decimals: number;
  readonly currency: string;
}

/** The amounts are minor units. */
export interface ProformaStats {
  readonly openCount: number;
  readonly openSum: number;
  readonly awaitingPaymentCount: number;
  /** Number of open proformas with a deadline within 24 hours. */
  readonly expiringCount: number;
  readonly paidCount: number;
  readonly createdCount: number;
  /** Number of proformas that were created in the window and are converted. */
  readonly convertedCount: number;
  /** Number of proformas converted in the last 7 days. */
  readonly recentlyConvertedCount: number;
}

export interface ProformaQueries {
  /** Returns the app's proformas with these ids, in any order. */
  findAll(appId: number, ids: readonly number[]): Promise<readonly Proforma[]>;
  /** Returns one page. `orderBy` is `field`, `field asc` or `field desc`; any other value sorts newest first. */
  list(app: RequestingApp, filter: ProformaFilter, orderBy: unknown, page: Page, now: Date): Promise<ListedPage>;
  /** `window` selects proformas by creation time; `before` is exclusive. */
  stats(appId: number, window: { readonly from: Date; readonly before: Date }, now: Date): Promise<ProformaStats>;
}
