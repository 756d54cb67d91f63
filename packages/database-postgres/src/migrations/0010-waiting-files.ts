import type { MigrationInterface, QueryRunner } from 'typeorm';

const STATEMENTS = [`create index cdn_files_pending_idx on cdn_files (last_modified) where processing = 'pending'`];

export class WaitingFiles1763700000010 implements MigrationInterface {
  readonly name = 'WaitingFiles1763700000010';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await runner.query(statement);
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
