import { DEFAULT_EVENT_RETENTION_DAYS } from '@back-office/apps';
import {
  MAX_READ_EVENTS,
  type EventFeed,
  type EventPage,
  type EventRecord,
  type EventSelection,
  type PositionExpired,
} from '@back-office/events';
import { addHours, type Clock } from '@back-office/kernel';
import { NO_APP_ID } from '../apps/memory-apps.js';
import type { State } from '../state.js';
import { makeDue } from '../webhooks/stored-deliveries.js';

const HOURS_PER_DAY = 24;

export class MemoryEventFeed implements EventFeed {
  constructor(
    private readonly state: State,
    private readonly clock: Clock,
  ) {}

  async page(appId: number, after: number | 'start', selection: EventSelection): Promise<EventPage | PositionExpired> {
    const feed = this.state.eventFeeds.get(appId, appId) ?? { last_position: 0, purged_position: 0 };
    const { last_position: lastPosition, purged_position: purgedPosition } = feed;
    if (after !== 'start' && (after < purgedPosition || after > lastPosition)) return { restartAt: purgedPosition };
    const start = after === 'start' ? purgedPosition : after;
    const end = Math.min(start + MAX_READ_EVENTS, lastPosition);
    const events = this.state.events
      .all(appId)
      .filter(({ position }) => position > start && position <= end)
      .filter((event) => isSelected(event, selection))
      .slice(0, selection.limit);
    const isFull = events.length === selection.limit;
    const position = isFull ? (events.at(-1)?.position ?? start) : end;
    return { events, position, hasMore: position < lastPosition };
  }

  async lastPosition(appId: number): Promise<number> {
    return this.state.eventFeeds.get(appId, appId)?.last_position ?? 0;
  }

  async purge(): Promise<boolean> {
    this.state.memory.transaction(() => {
      for (const { id: appId, settings } of this.state.apps.all(NO_APP_ID)) {
        const days = settings.events?.retention_days ?? DEFAULT_EVENT_RETENTION_DAYS;
        this.purgeApp(appId, addHours(this.clock.now(), -days * HOURS_PER_DAY));
      }
    });
    return false;
  }

  private purgeApp(appId: number, end: Date): void {
    const feed = this.state.eventFeeds.get(appId, appId);
    if (feed === undefined) return;
    const events = this.state.events.all(appId);
    const keptIndex = events.findIndex(({ at }) => at >= end);
    const purgedEvents = keptIndex < 0 ? events : events.slice(0, keptIndex);
    const lastPurged = purgedEvents.at(-1);
    if (lastPurged === undefined) return;
    for (const { id } of purgedEvents) this.state.events.delete(appId, id);
    for (const { id, delivery } of this.state.webhookDeliveries.all(appId))
      if (delivery.event.position <= lastPurged.position) this.state.webhookDeliveries.delete(appId, id);
    this.state.eventFeeds.put(appId, { ...feed, purged_position: lastPurged.position });
    for (const { id } of this.state.webhookEndpoints.all(appId))
      makeDue(this.state, appId, id, this.clock.now(), 'first');
  }
}

export function isSelected(event: EventRecord, { types, record }: EventSelection): boolean {
  return (
    types.includes(event.type) &&
    (record === undefined || record.id === event.recordId) &&
    (record?.warehouseId === undefined || record.warehouseId === event.warehouseId)
  );
}
