import type { EventRecord } from '@back-office/events';

/** The id of the record is the app's id. An app without a record has no events. */
export interface FeedRecord {
  readonly id: number;
  readonly last_position: number;
  readonly purged_position: number;
}

export type { EventRecord };
