import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createAppTable } from '../schema/app-table.js';

const PURGED_KEYS = {
  name: 'cdn_purged_keys',
  definition: `
    app_id bigint not null,
    key_hash bytea not null,
    constraint cdn_purged_keys_pkey primary key (app_id, key_hash)`,
  foreignKeys: { cdn_purged_keys_app_id_fkey: 'foreign key (app_id) references apps (id)' },
};

const RETIRED_RENDITIONS = {
  name: 'cdn_retired_renditions',
  definition: `
    app_id bigint not null,
    cdn_file_id bigint not null,
    label text not null,
    key text not null,
    constraint cdn_retired_renditions_pkey primary key (app_id, cdn_file_id, label)`,
  foreignKeys: {
    cdn_retired_renditions_file_fkey: 'foreign key (app_id, cdn_file_id) references cdn_files (app_id, id)',
  },
};

// An index entry has at most 2,704 bytes, and a token may have more. The escape makes every text valid input of bytea.
// The index comes first, because the other statements keep all sessions waiting until the end of the migration.
const DEVICE_STATEMENTS = [
  `create unique index notification_devices_token_key
    on notification_devices (app_id, sha256(replace(messaging_token, '\\', '\\\\')::bytea))`,
  `alter table notification_devices drop constraint notification_devices_messaging_token_key,
    add column mobile_info_is_object boolean not null default false`,
  `alter table access_tokens add column mobile_info_is_object boolean not null default false`,
];

export class PurgedKeysAndDevices1763700000034 implements MigrationInterface {
  readonly name = 'PurgedKeysAndDevices1763700000034';
  readonly isCompatible = true;

  async up(runner: QueryRunner): Promise<void> {
    await createAppTable(runner, PURGED_KEYS);
    await createAppTable(runner, RETIRED_RENDITIONS);
    await runner.query('create index cdn_retired_renditions_key_idx on cdn_retired_renditions (app_id, key)');
    for (const statement of DEVICE_STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
