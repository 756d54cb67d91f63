import type { DomainEvent } from '@back-office/kernel';
import type { State } from '../state.js';

/** Must run inside the transaction of the change. Events without a `recordId` get `newId`. */
export function publish(state: State, appId: number, at: Date, events: readonly DomainEvent[], newId?: number): void {
  if (events.length === 0) return;
  const feed = state.eventFeeds.get(appId, appId) ?? { id: appId, last_position: 0, purged_position: 0 };
  let position = feed.last_position;
  for (const { type, recordId, warehouseId, partId, removed } of events) {
    position += 1;
    state.events.insert(appId, {
      position,
      at,
      type,
      recordId: recordId ?? (newId as number),
      warehouseId: warehouseId ?? null,
      partId: partId ?? null,
      removed: removed ?? null,
    });
  }
  state.eventFeeds.put(appId, { ...feed, last_position: position });
}
