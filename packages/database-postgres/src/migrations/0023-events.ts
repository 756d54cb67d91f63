import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createAppTable } from '../schema/app-table.js';

// Has no foreign key, because it would be checked for each of the 10,000 events of a bulk call.
const EVENTS = {
  name: 'events',
  definition: `
    app_id bigint not null,
    id bigint generated always as identity,
    at timestamptz not null,
    type text not null,
    record_id bigint not null,
    warehouse_id bigint,
    part_id bigint,
    removed jsonb,
    position bigint,
    constraint events_pkey primary key (app_id, id)`,
  foreignKeys: {},
};

const EVENT_FEEDS = {
  name: 'event_feeds',
  definition: `
    app_id bigint not null,
    last_position bigint not null,
    purged_position bigint not null default 0,
    constraint event_feeds_pkey primary key (app_id)`,
  foreignKeys: { event_feeds_app_id_fkey: 'foreign key (app_id) references apps (id)' },
};

const INDEXES = [
  `create unique index events_position_idx on events (app_id, position) where position is not null`,
  `create index events_unplaced_idx on events (app_id, id) where position is null`,
];

export class Events1763700000023 implements MigrationInterface {
  readonly name = 'Events1763700000023';

  async up(runner: QueryRunner): Promise<void> {
    await createAppTable(runner, EVENTS);
    await createAppTable(runner, EVENT_FEEDS);
    for (const statement of INDEXES) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
