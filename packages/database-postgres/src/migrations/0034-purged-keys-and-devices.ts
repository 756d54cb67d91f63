import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createAppTable } from '../app-table.js';

const PURGED_KEYS = {
  name: 'cdn_purged_keys',
  definition: `
    app_id bigint not null,
    key_hash bytea not null,
    constraint cdn_purged_keys_pkey primary key (app_id, key_hash)`,
  foreignKeys: { cdn_purged_keys_app_id_fkey: 'foreign key (app_id) references apps (id)' },
};

export class PurgedKeysAndDevices1763700000034 implements MigrationInterface {
  readonly name = 'PurgedKeysAndDevices1763700000034';
  readonly isCompatible = true;

  async up(runner: QueryRunner): Promise<void> {
    await createAppTable(runner, PURGED_KEYS);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
