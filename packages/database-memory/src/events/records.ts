import type { EventRecord } from '@back-office/events';

/** Stored under the app's id. Without a record, the app has no events yet. */
export interface FeedRecord {
  readonly id: number;
  readonly last_position: number;
  readonly purged_position: number;
}

export type { EventRecord };
