import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = ['orders', 'products', 'customers', 'stocks'];

export class RecentChanges1763700000018 implements MigrationInterface {
  readonly name = 'RecentChanges1763700000018';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of TABLES) {
      await runner.query(`create index ${table}_updated_idx on ${table} (app_id, updated_at, id)`);
    }
  }

  down(): Promise<void> {
    return Promise.reject(new Error('There is no way back from this migration: restore a backup instead.'));
  }
}
