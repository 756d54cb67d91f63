import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createAppTable } from '../schema/app-table.js';

// One row contains many events. Otherwise a bulk call would write 10,000 rows with two index entries each.
const UNPLACED_EVENTS = {
  name: 'unplaced_events',
  definition: `
    app_id bigint not null,
    id bigint generated always as identity,
    at timestamptz not null,
    type text not null,
    record_ids bigint[] not null,
    warehouse_ids bigint[],
    part_ids bigint[],
    removed jsonb,
    constraint unplaced_events_pkey primary key (app_id, id)`,
  foreignKeys: {},
};

const STATEMENTS = [
  // Without this lock, an event that commits between the copy and the deletion would be lost.
  'lock table events in access exclusive mode',
  `insert into unplaced_events (app_id, at, type, record_ids, warehouse_ids, part_ids, removed)
   select app_id, at, type, array[record_id], array[warehouse_id], array[part_id],
     case when removed is not null then jsonb_build_array(removed) end
   from events where position is null order by app_id, id`,
  'delete from events where position is null',
  'drop index events_unplaced_idx',
  'drop index events_position_idx',
  'alter table events alter column position set not null',
  'create unique index events_position_idx on events (app_id, position)',
];

export class UnplacedEvents1763700000025 implements MigrationInterface {
  readonly name = 'UnplacedEvents1763700000025';

  async up(runner: QueryRunner): Promise<void> {
    await createAppTable(runner, UNPLACED_EVENTS);
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
