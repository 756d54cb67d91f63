import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [
  // Drops the old index last, because dropping it blocks reads.
  `create index cdn_files_listed_idx on cdn_files (app_id, filename, id) include (hidden) where state = 'active'`,
  `drop index cdn_files_by_name_idx`,
];

export class HiddenFiles1763700000011 implements MigrationInterface {
  readonly name = 'HiddenFiles1763700000011';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
