import type { EventRecord } from '@back-office/events';

/** `id` is the app's id. An app without this record has no events. */
export interface FeedRecord {
  readonly id: number;
  readonly last_position: number;
  readonly purged_position: number;
}

export type { EventRecord };
