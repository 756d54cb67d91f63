import type { EventType } from '@back-office/kernel';
import { appId, bigint, bigints, identity, jsonb, text, timestamptz } from './columns.js';
import { defineTable } from './define-table.js';

export const EVENTS = defineTable({
  name: 'events',
  columns: {
    app_id: appId(),
    id: identity(),
    at: timestamptz(),
    type: text<EventType>(),
    record_id: bigint(),
    warehouse_id: bigint().nullable(),
    part_id: bigint().nullable(),
    removed: jsonb<object>().nullable(),
    position: bigint(),
  },
  indexes: {
    events_position_idx: { columns: ['app_id', 'position'], unique: true },
  },
});

/** A row contains several events of one type. A list is null if no event of the row has such a value. */
export const UNPLACED_EVENTS = defineTable({
  name: 'unplaced_events',
  columns: {
    app_id: appId(),
    id: identity(),
    at: timestamptz(),
    type: text<EventType>(),
    record_ids: bigints(),
    warehouse_ids: bigints().nullable(),
    part_ids: bigints().nullable(),
    removed: jsonb<readonly object[]>().nullable(),
  },
});

export const EVENT_FEEDS = defineTable({
  name: 'event_feeds',
  columns: {
    app_id: appId(),
    last_position: bigint(),
    purged_position: bigint().default(0),
  },
  foreignKeys: {
    event_feeds_app_id_fkey: ['apps', { app_id: 'id' }],
  },
});
