import type { EventType } from '@back-office/kernel';

export interface EventRecord {
  readonly id: number;
  /** Increases by one with every event of the app. */
  readonly position: number;
  readonly at: Date;
  readonly type: EventType;
  readonly recordId: number;
  /** Null unless the event is about stock. */
  readonly warehouseId: number | null;
  /** Id of the refund, or index of the alert. */
  readonly partId: number | null;
  /** Identifiers of the record; present if the record no longer exists. */
  readonly removed: object | null;
}

export interface EventSelection {
  readonly types: readonly EventType[];
  readonly record?: { readonly id: number; readonly warehouseId?: number };
  readonly limit: number;
}

export interface EventPage {
  readonly events: readonly EventRecord[];
  /** The page has read every event up to this position, including events that it did not select. */
  readonly position: number;
  /** True when later events exist, even if the selection excludes them. */
  readonly hasMore: boolean;
}

/** Maximum number of events that one page reads, including events that it does not select. */
export const MAX_READ_EVENTS = 10_000;

/**
 * The position is too old, because the events after it were purged; or it is beyond the end, for example after a backup
 * was restored.
 */
export interface PositionExpired {
  /** Minimum position from which the feed can be read. */
  readonly restartAt: number;
}

/**
 * The events of an app in a fixed order. Events of one record have the order of their commits, and a new event always
 * comes after every event that was read.
 */
export interface EventFeed {
  /**
   * Returns selected events after a position, or from the oldest kept event. Reads at most {@link MAX_READ_EVENTS}
   * events, so a page may be empty even if more events follow.
   */
  page(appId: number, after: number | 'start', selection: EventSelection): Promise<EventPage | PositionExpired>;
  /** Returns the position of the newest event; 0 in an app that has never had an event. */
  lastPosition(appId: number): Promise<number>;
  /** Removes a batch of events older than the app's `events.retention_days`; returns true when more may remain. */
  purge(): Promise<boolean>;
}
