import type { EventType } from '@back-office/kernel';

export interface EventRecord {
  readonly id: number;
  /** Grows by one from event to event of an app. */
  readonly position: number;
  readonly at: Date;
  readonly type: EventType;
  readonly recordId: number;
  /** Set for stock only. */
  readonly warehouseId: number | null;
  /** The payment of a refund, or the index of an alert. */
  readonly partId: number | null;
  /** What identifies a record that no longer exists. */
  readonly removed: object | null;
}

export interface EventSelection {
  readonly types: readonly EventType[];
  /** Selects events of one record. */
  readonly record?: { readonly id: number; readonly warehouseId?: number };
  readonly limit: number;
}

export interface EventPage {
  readonly events: readonly EventRecord[];
  /** Position up to which all events were read, selected or not. */
  readonly position: number;
  /** Whether later events exist, selected or not. */
  readonly hasMore: boolean;
}

/** Most events that one page reads, selected or not. */
export const MAX_READ_EVENTS = 10_000;

/** Events after the position were purged, or the position is beyond the end, as after the restore of a backup. */
export interface PositionExpired {
  /** The oldest position that can be read from. */
  readonly restartAt: number;
}

/**
 * Events of an app in an order that never changes. Events of one record have the order of their commits, and no event
 * appears before one that was read.
 */
export interface EventFeed {
  /**
   * Returns selected events after a position, or from the oldest kept event. Reads at most {@link MAX_READ_EVENTS} events,
   * so a page may be empty although more follow.
   */
  page(appId: number, after: number | 'start', selection: EventSelection): Promise<EventPage | PositionExpired>;
  /** Returns the position of the newest event; 0 when there has never been one. */
  lastPosition(appId: number): Promise<number>;
  /** Removes a batch of events older than `events.retention_days` of their app; returns true when there may be more. */
  purge(): Promise<boolean>;
}
